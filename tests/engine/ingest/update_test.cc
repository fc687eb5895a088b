// Builds in which later documents replace earlier ones, with any number of threads and after
// crashes, against a map from id to text.
#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "engine/ingest/build_options.h"
#include "engine/store/deletions/id_lookup.h"
#include "engine/store/deletions/live_segment.h"
#include "engine/store/store_verifier.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/failing_directory.h"
#include "tests/support/live_documents.h"

namespace pmdex {
namespace update_test {

using Model = std::map<std::string, std::string>;

class UpdateTest : public IngestFixture {
 protected:
  UpdateTest() {
    UseMemoryFileSystem();
    options_.memory_bytes = 1 << 20;  // blocks of 64 KiB
    options_.settings.store_text = true;
    options_.update = true;
    options_.checkpoint_interval = std::chrono::milliseconds(0);
  }

  static Model LiveDocuments(const Directory& directory) {
    auto live = ReadLiveDocuments(directory);
    EXPECT_TRUE(live.ok()) << live.status();
    return live.ok() ? *std::move(live) : Model();
  }

  // Writes JSON lines with ids that repeat, and puts the last text of each id into the model.
  std::string WriteLines(const std::string& name, size_t lines, std::mt19937& random,
                         Model& model) {
    std::string text;
    for (size_t i = 0; i < lines; ++i) {
      const std::string id = "id" + std::to_string(random() % (lines * 2 / 3 + 1));
      std::string body = "version " + std::to_string(++versions_);
      for (uint32_t words = random() % 60; words > 0; --words) {
        body += " w" + std::to_string(random() % 500);
      }
      text += R"({"id": ")" + id + R"(", "t": ")" + body + "\"}\n";
      model[id] = body;
    }
    return Write(name, text);
  }

  // Runs the build until it succeeds, each time with other numbers of threads; each run but the
  // last is cut off after some changes to the directory.
  void BuildWithCrashes(OpenMode mode, std::mt19937& random, int64_t most) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      options_.indexer_threads = 1 + static_cast<int>(random() % 8);
      options_.reader_threads = 1 + static_cast<int>(random() % 4);
      most += 3;  // so that it ends
      FailingDirectory failing(*directory_, static_cast<int64_t>(random() % most));
      auto writer =
          IndexWriter::OpenToResume(failing, mode, DescribeBuild(options_), options_.settings);
      if (!writer.ok()) {
        ASSERT_TRUE(absl::IsResourceExhausted(writer.status())) << writer.status();
        continue;
      }
      if ((*writer)->is_built()) return;
      const auto report = Ingest(options_, **writer, nullptr);
      if (report.ok()) return;
      ASSERT_TRUE(absl::IsResourceExhausted(report.status())) << report.status();
    }
    FAIL() << "no end";
  }

  // Deletes by id, as `pmdex delete` does, until it succeeds.
  void DeleteWithCrashes(const std::vector<std::string>& ids, std::mt19937& random) {
    for (int64_t most = 2;; ++most) {
      FailingDirectory failing(*directory_, static_cast<int64_t>(random() % most));
      if (TryDelete(failing, ids).ok()) return;
    }
  }
  absl::Status TryDelete(Directory& directory, const std::vector<std::string>& ids) {
    PMDEX_ASSIGN_OR_RETURN(const auto writer,
                           IndexWriter::Open(directory, OpenMode::kAppend, options_.settings));
    std::vector<LiveSegment> segments;
    for (const ManifestSegment& listed : writer->NextSegments()) {
      PMDEX_ASSIGN_OR_RETURN(LiveSegment opened, writer->OpenNext(listed));
      segments.push_back(std::move(opened));
    }
    PMDEX_ASSIGN_OR_RETURN(const IdMatches matches, FindIds(segments, ids, 2));
    for (size_t i = 0; i < segments.size(); ++i) {
      PMDEX_RETURN_IF_ERROR(
          writer->Delete(segments[i].segment->segment_id(), matches.docs[i]).status());
    }
    return writer->Publish();
  }

  uint64_t versions_ = 0;
};

TEST_F(UpdateTest, TheLastDocumentOfAnIdStaysWhateverTheThreads) {
  std::mt19937 random(1);
  Model model;
  std::vector<std::string> inputs;
  size_t written = 0;
  for (int file = 0; file < 5; ++file) {
    // The walk visits inputs in the order in which they are given.
    inputs.push_back(WriteLines(std::to_string(9 - file) + ".jsonl", 1500, random, model));
    written += 1500;
  }
  for (const int threads : {1, 2, 8}) {
    options_.indexer_threads = threads;
    options_.reader_threads = threads;
    const IngestReport report = Run(inputs);
    EXPECT_EQ(report.documents, written);
    EXPECT_EQ(report.updated, written - model.size());
    EXPECT_EQ(report.repeated_ids, 0u);
    EXPECT_TRUE(LiveDocuments(*directory_) == model) << threads;
  }
}

TEST_F(UpdateTest, ReplacesTheDocumentsOfTheIndexAtOnce) {
  Run({Write("a.jsonl", R"({"id": "a", "t": "old"})"
                        "\n"
                        R"({"id": "b", "t": "old"})"
                        "\n")});
  options_.update = false;
  Run({Write("b.jsonl", R"({"id": "a", "t": "older twin"})"
                        "\n")},
      OpenMode::kAppend);
  options_.update = true;
  const auto before = *Snapshot::Open(*directory_);
  const IngestReport report = Run({Write("c.jsonl", R"({"id": "a", "t": "new"})"
                                                    "\n"
                                                    R"({"id": "c", "t": "new"})"
                                                    "\n")},
                                  OpenMode::kAppend);
  EXPECT_EQ(report.updated, 2u) << "all documents of the id";
  EXPECT_EQ(LiveDocuments(*directory_), (Model{{"a", "new"}, {"b", "old"}, {"c", "new"}}));
  EXPECT_EQ(before->live_doc_count(), 3u);
  const auto after = *Snapshot::Open(*directory_);
  const auto found = *after->FindDocument("a");
  ASSERT_TRUE(found.has_value());
  const size_t last = after->segments().size() - 1;
  EXPECT_EQ(*found, after->doc_base(last)) << "the new document, not a deleted one";
}

TEST_F(UpdateTest, WithoutItAllDocumentsStayAndAreCounted) {
  options_.update = false;
  Run({Write("a.jsonl", R"({"id": "a", "t": "old"})"
                        "\n")});
  const IngestReport report = Run({Write("b.jsonl", R"({"id": "a", "t": "x"})"
                                                    "\n"
                                                    R"({"id": "a", "t": "y"})"
                                                    "\n")},
                                  OpenMode::kAppend);
  EXPECT_EQ(report.updated, 0u);
  EXPECT_EQ(report.repeated_ids, 2u);
  EXPECT_EQ(Ids(), (std::vector<std::string>{"a", "a", "a"}));
}

TEST_F(UpdateTest, FilesLinesAndTrecDocumentsReplaceOlderOnes) {
  const std::string tree = Path("tree");
  for (int i = 0; i < 50; ++i) Write("tree/" + std::to_string(i), "old " + std::to_string(i));
  Run({tree});
  for (int i = 0; i < 60; i += 2) Write("tree/" + std::to_string(i), "new " + std::to_string(i));
  options_.indexer_threads = 4;
  // Each path twice: once of each input.
  IngestReport report = Run({tree, tree}, OpenMode::kAppend);
  EXPECT_EQ(report.updated, 50u + 55u);
  Model model;
  for (int i = 0; i < 60; ++i) {
    if (i >= 50 && i % 2 == 1) continue;
    const std::string number = std::to_string(i);
    model[tree + "/" + number] = (i % 2 == 0 ? "new " : "old ") + number;
  }
  EXPECT_EQ(LiveDocuments(*directory_), model);
  directory_ = NewDramDirectory("lines");
  options_.format = InputFormat::kLines;
  Run({Write("log", "one\ntwo\n")});
  report = Run({Write("log", "one\ntwo changed\nthree\n")}, OpenMode::kAppend);
  EXPECT_EQ(report.updated, 2u);
  EXPECT_EQ(LiveDocuments(*directory_), (Model{{Path("log") + ":1", "one"},
                                               {Path("log") + ":2", "two changed"},
                                               {Path("log") + ":3", "three"}}));
  directory_ = NewDramDirectory("trec");
  options_.format = InputFormat::kTrec;
  const auto trec = [](const std::string& id, const std::string& text) {
    return "<DOC>\n<DOCNO>" + id + "</DOCNO>\n<TEXT>" + text + "</TEXT>\n</DOC>\n";
  };
  Run({Write("t1", trec("a", "old") + trec("b", "old") + trec("a", "newer"))});
  report = Run({Write("t2", trec("b", "new"))}, OpenMode::kAppend);
  EXPECT_EQ(report.updated, 1u);
  const Model documents = LiveDocuments(*directory_);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_NE(documents.at("a").find("newer"), std::string::npos) << documents.at("a");
  EXPECT_NE(documents.at("b").find("new"), std::string::npos) << documents.at("b");
}

// Rounds of new documents, replaced documents and deletions, each with crashes at random points.
TEST_F(UpdateTest, RandomRoundsWithCrashesEndInWhatAMapHolds) {
  std::mt19937 random(7);
  Model model;
  for (int round = 0; round < 12; ++round) {
    options_.inputs.clear();
    for (uint32_t files = 1 + random() % 3; files > 0; --files) {
      const std::string name = std::to_string(round) + "-" + std::to_string(files) + ".jsonl";
      options_.inputs.push_back(WriteLines(name, 200 + random() % 400, random, model));
    }
    BuildWithCrashes(round == 0 ? OpenMode::kCreate : OpenMode::kAppend, random,
                     2 + static_cast<int64_t>(random() % 30));
    ASSERT_TRUE(LiveDocuments(*directory_) == model) << "after the build of round " << round;
    std::vector<std::string> ids = {"nowhere"};
    for (const auto& [id, text] : model) {
      if (random() % 5 == 0) ids.push_back(id);
    }
    for (const std::string& id : ids) model.erase(id);
    DeleteWithCrashes(ids, random);
    ASSERT_TRUE(LiveDocuments(*directory_) == model) << "after the deletions of round " << round;
    EXPECT_TRUE(VerifyStore(*directory_)->findings.empty());
  }
  // The rule of statistics: deleted documents count until a merge drops them.
  const auto snapshot = *Snapshot::Open(*directory_);
  uint64_t in_segments = 0;
  for (const auto& segment : snapshot->segments()) in_segments += segment->doc_count();
  EXPECT_EQ(snapshot->field_statistics("t").doc_count, in_segments);
  EXPECT_LT(snapshot->live_doc_count(), in_segments);
  for (const auto& [id, text] : model) EXPECT_TRUE((*snapshot->FindDocument(id)).has_value());
  EXPECT_EQ(*snapshot->FindDocument("nowhere"), std::nullopt);
}

}  // namespace update_test
}  // namespace pmdex
