#include "engine/store/document_ids.h"

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/store/snapshot.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace document_ids_test {

using Ids = std::vector<std::string>;

// The segments keep what they read from the SegmentBytes.
struct TestSegments {
  explicit TestSegments(const std::vector<Ids>& ids_of_segments) {
    for (const Ids& ids : ids_of_segments) {
      VectorSegmentInput input({.positions = false});
      input.AddField("f");
      for (const std::string& id : ids) input.AddDocument(id);
      input.Finish();
      bytes.push_back(std::make_unique<SegmentBytes>(input));
      segments.push_back(bytes.back()->Open().value());
    }
  }
  std::vector<std::unique_ptr<SegmentBytes>> bytes;
  std::vector<std::shared_ptr<const Segment>> segments;
};

TEST(DocumentIds, FindTheDocumentsOfRandomIdsWithRepeats) {
  std::mt19937_64 random(29);
  for (const size_t different : {size_t{1}, size_t{3}, size_t{500}, size_t{20'000}}) {
    std::vector<Ids> segments(4);
    std::map<std::string, std::vector<uint64_t>> expected;
    uint64_t doc = 0;
    for (Ids& ids : segments) {
      for (size_t i = 0; i < different; ++i, ++doc) {
        // Some ids are longer than the entry of a document.
        std::string id = std::to_string(random() % different);
        if (random() % 8 == 0) id += std::string(200, '-');
        expected[id].push_back(doc);
        ids.push_back(id);
      }
    }
    const TestSegments test(segments);
    const auto snapshot = Snapshot::Of({}, test.segments);
    for (const auto& [id, numbers] : expected) {
      const auto found = snapshot->FindDocument(id);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_EQ(*found, numbers.back()) << id;
      ASSERT_EQ(snapshot->FindDocuments(id).value(), numbers) << id;
    }
    for (const char* missing : {"", "x", "-1", "0 "}) {
      EXPECT_EQ(snapshot->FindDocument(missing).value(), std::nullopt);
      EXPECT_TRUE(snapshot->FindDocuments(missing).value().empty());
    }
  }
}

TEST(DocumentIds, TakeFewBytesForEachDocument) {
  Ids ids;
  for (int i = 0; i < 3000; ++i) ids.push_back(std::to_string(i));
  const TestSegments test({ids});
  const auto built = DocumentIds::Build({{test.segments[0].get(), 0}});
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_LE(built->memory_bytes(), 3000u * 22);
}

TEST(DocumentIds, FindNothingInAnEmptyIndex) {
  EXPECT_EQ(Snapshot::Of({}, {})->FindDocument("a").value(), std::nullopt);
}

}  // namespace document_ids_test
}  // namespace pmdex
