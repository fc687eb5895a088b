// Fails each operation of the medium in turn, in memory and on a file system. The index must always
// return an error, never lose or half publish a generation, and the next writer must remove all
// files that are left.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/faulty_directory.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace faults_test {

using Ids = std::vector<std::string>;

// Far above what any scenario needs: a loop that never gets through is a failure, not a hang.
constexpr uint64_t kMostOperations = 1000;

struct Fault {
  absl::StatusCode code;
  bool for_good;
};
constexpr Fault kFaults[] = {{absl::StatusCode::kDataLoss, false},
                             {absl::StatusCode::kResourceExhausted, false},
                             {absl::StatusCode::kDataLoss, true},
                             {absl::StatusCode::kResourceExhausted, true}};

// Ids of all live documents, read through every layer: dictionary, postings, document table.
absl::StatusOr<Ids> ReadIds(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(directory));
  if (!snapshot->quarantined().empty()) return snapshot->quarantined().front().reason;
  Ids ids;
  for (size_t number = 0; number < snapshot->segments().size(); ++number) {
    const auto& segment = snapshot->segments()[number];
    PMDEX_RETURN_IF_ERROR(segment->Prefault(/*whole=*/true));
    PMDEX_ASSIGN_OR_RETURN(const std::optional<DictionaryEntry> entry,
                           segment->Find(*segment->FindField("body"), "word"));
    if (!entry.has_value()) return DataLoss("the term is gone");
    PMDEX_ASSIGN_OR_RETURN(const PostingListView list, segment->Postings(*entry));
    for (uint32_t i = 0; i < list.df; ++i) {
      if (!IsLive(snapshot->live_docs(number), list.Doc(i))) continue;
      PMDEX_ASSIGN_OR_RETURN(const std::string id, segment->doc_id(list.Doc(i)));
      ids.emplace_back(id);
    }
  }
  return ids;
}

// One run of a writer, as `pmdex index` makes one: two segments, or none at all.
absl::Status Write(Directory& directory, OpenMode mode, const Ids& ids) {
  PMDEX_ASSIGN_OR_RETURN(auto writer, IndexWriter::Open(directory, mode, TestSettings()));
  for (const std::string& id : ids) {
    const auto input = MakeInput({{id, "word"}});
    PMDEX_RETURN_IF_ERROR(writer->WriteSegment(*input).status());
  }
  return writer->Publish();
}

// A store of two segments, {a, b, c} and {d}, of which b is deleted.
void BuildWithDeletions(Directory& directory) {
  BuildStore(directory, OpenMode::kCreate,
             {{{"a", "word"}, {"b", "word"}, {"c", "word"}}, {{"d", "word"}}});
  const auto writer = IndexWriter::Open(directory, OpenMode::kAppend, TestSettings());
  ASSERT_TRUE(writer.ok());
  ASSERT_EQ(*(*writer)->Delete(1, std::vector<DocId>{1}), 1u);
  ASSERT_TRUE((*writer)->Publish().ok());
}

// Replaces a by another document, deletes all of the second segment, and publishes both at once.
absl::Status Replace(Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(auto writer,
                         IndexWriter::Open(directory, OpenMode::kAppend, TestSettings()));
  const auto input = MakeInput({{"a2", "word"}, {"e", "word"}});
  PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info, writer->WriteSegment(*input));
  PMDEX_RETURN_IF_ERROR(writer->Delete(1, std::vector<DocId>{0}).status());
  PMDEX_RETURN_IF_ERROR(writer->Delete(2, std::vector<DocId>{0}).status());
  PMDEX_RETURN_IF_ERROR(writer->Delete(info.segment_id, std::vector<DocId>{1}).status());
  return writer->Publish();
}

// Files of the store that the newest manifest does not list.
std::set<std::string> UnlistedFiles(const Directory& directory) {
  std::set<std::string> names = FileNames(directory);
  const auto manifest = LoadNewestManifest(directory, nullptr);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  if (!manifest.ok()) return names;
  names.erase(ManifestFileName(manifest->generation));
  for (const ManifestSegment& segment : manifest->segments) {
    names.erase(SegmentFileName(segment.id));
    names.erase(LiveDocsFileName({segment.id, segment.live_docs_generation}));
  }
  return names;
}

// An index at its second generation that still has the first manifest, as after a writer that died
// after it published and before it cleaned up.
void BuildWithLeftovers(Directory& directory) {
  ASSERT_TRUE(Write(directory, OpenMode::kCreate, {"a"}).ok());
  const auto first = LoadNewestManifest(directory, nullptr);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Write(directory, OpenMode::kAppend, {"b"}).ok());
  ASSERT_TRUE(PublishManifest(directory, *first).ok());
  ASSERT_EQ(UnlistedFiles(directory).size(), 1u);
}

using NewDirectory = std::function<std::unique_ptr<Directory>()>;

struct Medium {
  const char* name;
  NewDirectory (*make)(const TemporaryDirectory& root);
  size_t faults;  // how many of kFaults: a file system takes its time
};

NewDirectory OnMemory(const TemporaryDirectory&) {
  return [] { return NewDramDirectory("faults"); };
}

// Without durability: fsync would only make the test slow, and the operations are the same.
NewDirectory OnFiles(const TemporaryDirectory& root) {
  return [&root, count = 0]() mutable {
    auto directory =
        OpenFileDirectory(root / std::to_string(++count), {.create = true, .durable = false});
    EXPECT_TRUE(directory.ok()) << directory.status();
    return *std::move(directory);
  };
}

class StoreFaults : public testing::TestWithParam<Medium> {
 protected:
  // Runs `operation` on an index made by `prepare`, with a fault at each operation of the medium in
  // turn, until a run meets no fault. Calls `check` after each run.
  void FailEverywhere(
      const std::function<void(Directory&)>& prepare,
      const std::function<absl::Status(Directory&)>& operation,
      const std::function<void(Directory&, const absl::Status&, bool touched)>& check) {
    for (const Fault& fault : std::span(kFaults).first(GetParam().faults)) {
      bool touched = true;
      for (uint64_t n = 1; touched; ++n) {
        ASSERT_LE(n, kMostOperations);
        const std::unique_ptr<Directory> behind = make_();
        prepare(*behind);
        if (testing::Test::HasFatalFailure()) return;
        FaultPlan plan(n, MakeStatus(fault.code, "injected"), fault.for_good);
        absl::Status status;
        {
          const auto faulty = NewFaultyDirectory(*behind, plan);
          status = operation(*faulty);
        }
        touched = plan.touched();
        SCOPED_TRACE("operation " + std::to_string(n) + ": " + plan.failed() + ": " +
                     status.ToString());
        ASSERT_TRUE(touched || status.ok());
        EXPECT_TRUE(status.ok() || status.code() == fault.code);
        check(*behind, status, touched);
        if (testing::Test::HasFailure()) return;
      }
    }
  }

  // A writer's run on a store whose documents were `before` (none: no store).
  void FailWriter(OpenMode mode, const Ids& before, const Ids& after,
                  const std::function<void(Directory&)>& prepare) {
    FailEverywhere(
        prepare,
        [mode](Directory& directory) {
          return Write(directory, mode, {"c", "d"});
        },
        [&](Directory& behind, const absl::Status& status, bool) {
          const auto ids = ReadIds(behind);
          if (ids.ok()) {
            EXPECT_TRUE(*ids == after || (!status.ok() && *ids == before)) << ids->size();
          } else {
            EXPECT_TRUE(!status.ok() && before.empty() && absl::IsNotFound(ids.status()))
                << ids.status();
          }
          const bool exists = ids.ok();
          ASSERT_TRUE(Write(behind, exists ? OpenMode::kAppend : OpenMode::kCreate, {"e"}).ok());
          EXPECT_EQ(UnlistedFiles(behind), std::set<std::string>());
          Ids expected = exists ? *ids : Ids();
          expected.push_back("e");
          EXPECT_EQ(*ReadIds(behind), expected);
          EXPECT_TRUE(VerifyStore(behind)->findings.empty());
        });
  }

  const TemporaryDirectory root_{FastTemporaryParent()};
  const NewDirectory make_ = GetParam().make(root_);
};

TEST_P(StoreFaults, CreatingAnIndexLeavesAWholeOneOrNone) {
  FailWriter(OpenMode::kCreate, {}, {"c", "d"}, [](Directory&) {});
}

TEST_P(StoreFaults, AppendingKeepsWhatWasPublished) {
  FailWriter(OpenMode::kAppend, {"a", "b"}, {"a", "b", "c", "d"}, [](Directory& directory) {
    ASSERT_TRUE(Write(directory, OpenMode::kCreate, {"a", "b"}).ok());
  });
}

TEST_P(StoreFaults, AppendingBehindAWriterThatDiedKeepsWhatItPublished) {
  FailWriter(OpenMode::kAppend, {"a", "b"}, {"a", "b", "c", "d"}, BuildWithLeftovers);
}

TEST_P(StoreFaults, OverwritingGivesTheOldOrTheNew) {
  FailWriter(OpenMode::kOverwrite, {"a", "b"}, {"c", "d"}, [](Directory& directory) {
    ASSERT_TRUE(Write(directory, OpenMode::kCreate, {"a", "b"}).ok());
  });
}

TEST_P(StoreFaults, DeletingWithNewDocumentsIsDoneWholeOrNotAtAll) {
  const Ids before = {"a", "c", "d"};
  const Ids after = {"c", "a2"};
  FailEverywhere(BuildWithDeletions, Replace,
                 [&](Directory& behind, const absl::Status& status, bool) {
                   const auto ids = ReadIds(behind);
                   ASSERT_TRUE(ids.ok()) << ids.status();
                   EXPECT_TRUE(*ids == after || (!status.ok() && *ids == before)) << ids->size();
                   ASSERT_TRUE(Write(behind, OpenMode::kAppend, {"e"}).ok());
                   EXPECT_EQ(UnlistedFiles(behind), std::set<std::string>());
                   Ids expected = *ids;
                   expected.push_back("e");
                   EXPECT_EQ(*ReadIds(behind), expected);
                   EXPECT_TRUE(VerifyStore(behind)->findings.empty());
                 });
}

TEST_P(StoreFaults, ReadingDeletionsGivesEverythingOrAnError) {
  FailEverywhere(
      BuildWithDeletions,
      [](Directory& directory) {
        const auto ids = ReadIds(directory);
        EXPECT_TRUE(!ids.ok() || *ids == (Ids{"a", "c", "d"}));
        return ids.status();
      },
      [](Directory&, const absl::Status& status, bool touched) {
        EXPECT_NE(status.ok(), touched);
      });
}

TEST_P(StoreFaults, ASegmentThatCannotBeWrittenIsNotThere) {
  FailEverywhere([](Directory&) {},
                 [](Directory& directory) {
                   const auto input = MakeInput({{"a", "word"}});
                   return WriteSegment(directory, 7, *input).status();
                 },
                 [](Directory& behind, const absl::Status& status, bool) {
                   EXPECT_EQ(FileNames(behind).contains(SegmentFileName(7)), status.ok());
                 });
}

// A reader that cannot open the newest generation says so; it does not step back in silence.
TEST_P(StoreFaults, ReadingGivesEverythingOrAnError) {
  FailEverywhere(
      BuildWithLeftovers,
      [](Directory& directory) {
        const auto ids = ReadIds(directory);
        EXPECT_TRUE(!ids.ok() || *ids == (Ids{"a", "b"}));
        return ids.status();
      },
      [](Directory& behind, const absl::Status& status, bool touched) {
        EXPECT_NE(status.ok(), touched);
        EXPECT_EQ(*ReadIds(behind), (Ids{"a", "b"}));
      });
}

TEST_P(StoreFaults, VerifyingGivesAnErrorOrAFinding) {
  bool clean = false;
  FailEverywhere(
      BuildWithLeftovers,
      [&](Directory& directory) {
        const auto report = VerifyStore(directory);
        clean = report.ok() && report->findings.empty();
        return report.status();
      },
      [&](Directory& behind, const absl::Status&, bool touched) {
        EXPECT_NE(clean, touched);
        EXPECT_TRUE(VerifyStore(behind)->findings.empty());
      });
}

TEST_P(StoreFaults, MergingKeepsEveryDocument) {
  FailEverywhere(
      [](Directory& directory) {
        ASSERT_TRUE(Write(directory, OpenMode::kCreate, {"a", "b", "c"}).ok());
      },
      [](Directory& directory) -> absl::Status {
        PMDEX_ASSIGN_OR_RETURN(auto writer,
                               IndexWriter::Open(directory, OpenMode::kAppend, TestSettings()));
        const uint64_t ids[] = {2, 3};
        PMDEX_RETURN_IF_ERROR(writer->Merge(ids, {}).status());
        return writer->Publish();
      },
      [](Directory& behind, const absl::Status& status, bool) {
        EXPECT_EQ(*ReadIds(behind), (Ids{"a", "b", "c"}));
        const size_t segments = LoadNewestManifest(behind, nullptr)->segments.size();
        EXPECT_TRUE(segments == 2 || (!status.ok() && segments == 3)) << segments;
        ASSERT_TRUE(Write(behind, OpenMode::kAppend, {"e"}).ok());
        EXPECT_EQ(UnlistedFiles(behind), std::set<std::string>());
        EXPECT_EQ(*ReadIds(behind), (Ids{"a", "b", "c", "e"}));
        EXPECT_TRUE(VerifyStore(behind)->findings.empty());
      });
}

INSTANTIATE_TEST_SUITE_P(On, StoreFaults,
                         testing::Values(Medium{"Memory", OnMemory, 4},
                                         Medium{"Files", OnFiles, 1}),
                         [](const auto& medium) { return std::string(medium.param.name); });

}  // namespace faults_test
}  // namespace pmdex
