#include "engine/ingest/pipeline/indexer.h"

#include "engine/ingest/problem_kind.h"
#include "engine/ingest/tuning/tuning.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace indexer_test {

TEST_F(IngestFixture, IndexerIndexesTheFieldsThatFitByNameAndReportsTheRest) {
  auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, options_.settings);
  ASSERT_TRUE(writer.ok());
  IngestContext context(ResolveParameters(options_, directory_->granularity()));
  ASSERT_TRUE((*writer)->StartBuild("x").ok());
  Checkpointer checkpointer(**writer, {});
  Flusher flusher(context.parameters.memory.memtables_bytes, 1, checkpointer, **writer);
  Indexer indexer(CheckpointLimitsOf(options_), context, checkpointer, flusher);
  std::vector<std::string> names;
  for (size_t i = 0; i <= kMaxFields; ++i) names.push_back("f" + std::to_string(i));
  std::vector<DocumentField> fields;
  for (const std::string& name : names) fields.push_back({name, "word"});
  Document document;
  document.id = "wide";
  document.place = {"in", 3};
  document.fields = fields;
  const Block block;
  indexer.BeginBlock(block);
  ASSERT_TRUE(indexer.Add(document).ok());
  ASSERT_TRUE(indexer.EndBlock({}).ok());
  ASSERT_TRUE(indexer.Finish().ok());
  ASSERT_TRUE(indexer.Finish().ok()) << "nothing to do";
  flusher.Close();
  ASSERT_TRUE(flusher.Run().ok());
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_EQ(Find("f0", "word"), std::vector<std::string>{"wide"});
  EXPECT_EQ(Find(kOtherField, "word"), std::vector<std::string>{"wide"});
  EXPECT_EQ(checkpointer.progress().problems.at(ProblemKind::kTooManyFields).count, 1u);
  EXPECT_EQ(context.counters.documents, 1u);
  EXPECT_EQ(checkpointer.progress().segments, 1u);
}

}  // namespace indexer_test
}  // namespace pmdex
