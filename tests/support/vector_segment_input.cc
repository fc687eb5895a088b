#include "tests/support/vector_segment_input.h"

#include <algorithm>

#include "engine/segment/documents/norms.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

class VectorTermStream : public TermStream {
 public:
  explicit VectorTermStream(const VectorSegmentInput::Terms& terms) : terms_(terms) {}

  bool Next() override {
    if (!started_) {
      started_ = true;
      at_ = terms_.begin();
    } else {
      ++at_;
    }
    posting_ = 0;
    return at_ != terms_.end();
  }
  FieldId field() const override { return at_->first.first; }
  std::string_view term() const override { return at_->first.second; }
  uint32_t df() const override { return static_cast<uint32_t>(at_->second.size()); }
  uint64_t cf() const override {
    uint64_t sum = 0;
    for (const VectorPosting& posting : at_->second) sum += posting.freq;
    return sum;
  }
  bool NextBlock(PostingBlock& block) override {
    const std::vector<VectorPosting>& list = at_->second;
    block.count = static_cast<uint32_t>(std::min<size_t>(kBlockPostings, list.size() - posting_));
    block.positions.Clear();
    for (uint32_t i = 0; i < block.count; ++i) {
      const VectorPosting& posting = list[posting_ + i];
      block.docids[i] = posting.doc;
      block.freqs[i] = posting.freq;
      block.positions.Append(posting.positions);
    }
    posting_ += block.count;
    return block.count > 0;
  }

 private:
  const VectorSegmentInput::Terms& terms_;
  VectorSegmentInput::Terms::const_iterator at_;
  bool started_ = false;
  size_t posting_ = 0;
};

}  // namespace

FieldId VectorSegmentInput::AddField(std::string name) {
  fields_.push_back({std::move(name), 0, 0, {}});
  return static_cast<FieldId>(fields_.size() - 1);
}

DocId VectorSegmentInput::AddDocument(std::string id) {
  ids_.push_back(std::move(id));
  stored_.emplace_back();
  return static_cast<DocId>(ids_.size() - 1);
}

void VectorSegmentInput::AddPosting(FieldId field, std::string_view term, VectorPosting posting) {
  PMDEX_CHECK(posting.positions.size() == (options_.positions ? posting.freq : 0));
  std::vector<VectorPosting>& list = terms_[{field, std::string(term)}];
  PMDEX_CHECK(list.empty() || list.back().doc < posting.doc);
  list.push_back(std::move(posting));
}

void VectorSegmentInput::AddText(DocId doc, FieldId field, std::string_view text) {
  if (options_.stored_text) AddStoredValue(doc, field, std::string(text));
  uint32_t& position = next_position_[{field, doc}];
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view token = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (token.empty()) continue;
    std::vector<VectorPosting>& list = terms_[{field, std::string(token)}];
    if (list.empty() || list.back().doc != doc) list.push_back({doc, 0, {}});
    ++list.back().freq;
    if (options_.positions) list.back().positions.push_back(position);
    ++position;
  }
}

void VectorSegmentInput::AddStoredValue(DocId doc, FieldId field, std::string text) {
  stored_.at(doc).emplace_back(field, std::move(text));
}

void VectorSegmentInput::Finish() {
  lengths_.assign(fields_.size(), std::vector<uint32_t>(ids_.size(), 0));
  norms_.assign(fields_.size(), std::vector<uint8_t>(ids_.size(), 0));
  doc_token_counts_.assign(ids_.size(), 0);
  for (const auto& [key, list] : terms_) {
    for (const VectorPosting& posting : list) {
      lengths_.at(key.first).at(posting.doc) += posting.freq;
      doc_token_counts_.at(posting.doc) += posting.freq;
      fields_[key.first].token_count += posting.freq;
    }
  }
  for (size_t field = 0; field < fields_.size(); ++field) {
    for (size_t doc = 0; doc < ids_.size(); ++doc) {
      norms_[field][doc] = EncodeLength(lengths_[field][doc]);
      if (lengths_[field][doc] > 0) ++fields_[field].doc_count;
    }
    fields_[field].norms = norms_[field];
  }
  if (!options_.stored_text) return;
  for (const auto& values : stored_) {
    std::vector<std::pair<FieldId, std::string_view>> views(values.begin(), values.end());
    chunks_.AddDocument(views);
  }
  PMDEX_CHECK(chunks_.Finish().ok());
}

std::unique_ptr<TermStream> VectorSegmentInput::OpenTerms() {
  return std::make_unique<VectorTermStream>(terms_);
}

}  // namespace pmdex
