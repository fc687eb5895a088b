// What a highlight is made of where an index stores no text: the file itself.
#include "tools/server/elasticsearch/search/stored_document.h"

#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/ingest/build_options.h"
#include "query/access/user_identity.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tools/server/elasticsearch/search/hit_writer.h"

namespace pmdex {
namespace stored_document_test {

class HighlightedFiles : public IngestFixture {
 protected:
  HighlightedFiles() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kFiles;
    chmod(root_.c_str(), 0755);
  }

  void Index(const std::string& input) {
    options_.inputs = {input};
    const auto writer = IndexWriter::Open(*directory_, OpenMode::kOverwrite, options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    (*writer)->SetProperty(kFileRootsProperty, AddFileRoots("", {input}));
    const auto report = Ingest(options_, **writer, nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
    snapshot_ = Snapshot::Open(*directory_).value();
    Use(std::make_shared<const Searcher>(snapshot_));
  }
  void Use(std::shared_ptr<const Searcher> searcher) {
    body_.query = Json::parse(R"({"match": {"body": "fox"}})");
    body_.highlight = ReadHighlight(Json::parse(R"({"fields": {"body": {}}})")).value();
    auto index = std::make_shared<const ServedIndex>(ServedIndex{"files", "memory", searcher});
    query_ = ReadIndexQuery(std::move(index), body_, analyzers_, {}).value();
    result_ = searcher->Search(*query_.scored, SearchOptions()).value();
  }
  // The hits of the search that was made, as they are written now.
  std::vector<Json> Written(uint64_t budget_bytes = 1 << 20) {
    AnswerBudget budget(budget_bytes, kNoDeadline);
    auto written =
        HitWriter(query_, body_, analyzers_, budget).Write(result_.hits, {}, kNoDeadline);
    EXPECT_EQ(written.ok(), budget_bytes >= 1 << 20) << written.status();
    if (!written.ok()) return {};
    for (Json& hit : *written) ParseRawJson(hit);
    return *std::move(written);
  }
  FieldTexts Texts(uint64_t doc) {
    FileText files(*snapshot_);
    LastStoredChunk last;
    return TextsOf(*snapshot_, doc, &files, last).value();
  }

  std::shared_ptr<const Snapshot> snapshot_;
  SearchBody body_;
  AnalyzerPools analyzers_;
  IndexQuery query_;
  SearchResult result_;  // hits point into it
};

TEST_F(HighlightedFiles, ShowTheTextOfTheFileItself) {
  const std::string path = Write("t/a", "the quick fox jumps");
  Index(Path("t"));
  EXPECT_EQ(Texts(0), (FieldTexts{{"body", {"the quick fox jumps"}}}));
  ASSERT_EQ(Written().size(), 1u);
  EXPECT_EQ(Written()[0]["highlight"],
            Json::parse(R"({"body": ["the quick <em>fox</em> jumps"]})"));
  EXPECT_TRUE(Written(4).empty()) << "the text counts for the size of the answer";
  Write("t/a", "the fox has changed");
  EXPECT_EQ(Texts(0), FieldTexts());
  EXPECT_FALSE(Written()[0].contains("highlight"));
}

TEST_F(HighlightedFiles, AreNotReadWhereTheIndexHasTheText) {
  options_.settings.store_text = true;
  Write("t/a", "the quick fox");
  Index(Path("t"));
  Write("t/a", "the fox has changed");
  EXPECT_EQ(Texts(0), (FieldTexts{{"body", {"the quick fox"}}}));
  EXPECT_EQ(Written()[0]["highlight"], Json::parse(R"({"body": ["the quick <em>fox</em>"]})"));
}

TEST_F(HighlightedFiles, AreShutToAUserWhoMayNotReadThemAnyMore) {
  if (geteuid() != 0) GTEST_SKIP() << "only root opens files for other users";
  const std::string path = Write("t/a", "the quick fox");
  chmod(Path("t").c_str(), 0755);
  chmod(path.c_str(), 0644);
  Index(Path("t"));
  const Searcher whole(snapshot_);
  Use(whole.ForUser(UserIdentity{61002, {61002}}).value());
  ASSERT_EQ(Written().size(), 1u);
  EXPECT_TRUE(Written()[0].contains("highlight"));
  chmod(path.c_str(), 0600);  // between the search and its answer
  ASSERT_EQ(Written().size(), 1u);
  EXPECT_FALSE(Written()[0].contains("highlight"));
}

}  // namespace stored_document_test
}  // namespace pmdex
