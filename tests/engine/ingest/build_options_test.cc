#include "engine/ingest/build_options.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"

namespace pmdex {
namespace build_options_test {

IngestOptions OptionsOf(const std::string& input) {
  IngestOptions options;
  options.inputs = {input};
  return options;
}

TEST(BuildOptions, ReadLikeACommandLine) {
  IngestOptions options;
  options.inputs = {"/a", "/with space", "-"};
  options.format = InputFormat::kJsonl;
  options.fields = {"title", "it's"};
  EXPECT_EQ(DescribeBuild(options),
            "--format jsonl --analyzer standard --positions on --store off --id-field id "
            "--fields title --fields 'it'\\''s' /a '/with space' -");
}

TEST(BuildOptions, DifferWhereTheIndexWould) {
  const IngestOptions base = OptionsOf("/a");
  std::vector<IngestOptions> others(8, base);
  others[1].inputs = {"/a", "/b"};
  others[2].inputs = {"/a /b"};
  others[3].format = InputFormat::kLines;
  others[4].id_field = "doi";
  others[5].fields = {"id"};
  others[6].settings.positions = false;
  others[7].inputs = {"a"};
  std::set<std::string> seen;
  for (const IngestOptions& options : others) seen.insert(DescribeBuild(options));
  EXPECT_EQ(seen.size(), 8u);
}

TEST(BuildOptions, AreTheSameWithOtherMemoryAndThreads) {
  IngestOptions options = OptionsOf("/a");
  const std::string before = DescribeBuild(options);
  options.memory_bytes *= 2;
  options.indexer_threads = 7;
  options.reader_threads = 3;
  EXPECT_EQ(DescribeBuild(options), before);
}

TEST(BuildOptions, AreOneLineWhateverTheInput) {
  const IngestOptions options = OptionsOf("/a\nb");
  EXPECT_EQ(DescribeBuild(options).find('\n'), std::string::npos);
}

TEST(BuildTotals, ComeBackFromTheManifest) {
  IngestReport report;
  report.documents = 1;
  report.skipped = 2;
  report.bytes_in = 3;
  report.tokens = 4;
  report.segments = 5;
  Manifest manifest;
  EXPECT_EQ(ReportOfFinishedBuild(manifest).documents, 0u);
  manifest.properties[kBuildTotalsProperty] = EncodeBuildTotals(report);
  const IngestReport read = ReportOfFinishedBuild(manifest);
  EXPECT_EQ(read.documents, 1u);
  EXPECT_EQ(read.resumed_documents, 1u);
  EXPECT_EQ(read.skipped, 2u);
  EXPECT_EQ(read.bytes_in, 3u);
  EXPECT_EQ(read.tokens, 4u);
  EXPECT_EQ(read.segments, 5u);
}

TEST(FileRoots, AreKeptOnceEachWhateverTheirBytes) {
  const std::string once = AddFileRoots("", {"a\nb", "-", "./x", "a\nb"});
  EXPECT_EQ(DecodeFileRoots(once), (std::vector<std::string>{"a\nb", "./x"}));
  EXPECT_EQ(AddFileRoots(once, {"./x"}), once);
  EXPECT_EQ(DecodeFileRoots(AddFileRoots(once, {"y"})),
            (std::vector<std::string>{"a\nb", "./x", "y"}));
  EXPECT_TRUE(DecodeFileRoots("").empty());
  EXPECT_TRUE(DecodeFileRoots("no end").empty());
}

}  // namespace build_options_test
}  // namespace pmdex
