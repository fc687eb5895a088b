// A test fixture: the segment of a dictionary of random terms.
#pragma once

#include <memory>
#include <random>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {

// Two fields of random terms with many common prefixes, and a field without terms between them. A
// third of the terms are frequent.
class RandomDictionary : public testing::Test {
 protected:
  static constexpr FieldId kFields[] = {0, 2};

  RandomDictionary() : input_({.positions = false}) {
    for (const char* name : {"first", "none", "last"}) input_.AddField(name);
    for (int i = 0; i < 6; ++i) input_.AddDocument("doc" + std::to_string(i));
    for (const FieldId field : kFields) {
      while (terms_[field].size() < 3000) {
        std::string term(1 + random_() % (random_() % 50 == 0 ? 255 : 20), ' ');
        for (char& c : term) c = static_cast<char>(random_() % 3 == 0 ? random_() : 'e');
        terms_[field].insert(std::move(term));
      }
      for (const std::string& term : terms_[field]) {
        const DocId df = 1 + static_cast<DocId>(random_() % 6);
        for (DocId doc = 0; doc < df; ++doc) input_.AddPosting(field, term, {doc, 1, {}});
      }
    }
    input_.Finish();
    bytes_ = std::make_unique<SegmentBytes>(input_);
    segment_ = bytes_->Open().value();
  }
  std::string Probe() {
    std::string probe(random_() % 6, ' ');
    for (char& c : probe) c = static_cast<char>(random_() % 3 == 0 ? random_() : 'e');
    return probe;
  }

  std::mt19937_64 random_{23};
  VectorSegmentInput input_;
  std::set<std::string> terms_[3];
  std::unique_ptr<SegmentBytes> bytes_;
  std::shared_ptr<const Segment> segment_;
};

}  // namespace pmdex
