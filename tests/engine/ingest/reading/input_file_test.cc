#include "engine/ingest/reading/input_file.h"

#include <sys/resource.h>

#include "engine/ingest/problem_kind.h"
#include "pmem/exhaustion.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace input_file_test {

class InputFileTest : public IngestFixture {
 protected:
  bool Opens(const std::string& path, bool walked) {
    InputFile file;
    file.path = path;
    file.walked = walked;
    const auto opened = OpenInput(file, problems_);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() && opened->has_value();
  }
  uint64_t Count(ProblemKind kind) {
    const auto problems = problems_.problems();
    const auto found = problems.find(kind);
    return found == problems.end() ? 0 : found->second.count;
  }
  ProblemLog problems_;
};

TEST_F(InputFileTest, OpensARegularFileWithItsSize) {
  InputFile file;
  file.path = Write("a", "12345");
  const auto opening = OpenInput(file, problems_);
  ASSERT_TRUE(opening.ok() && opening->has_value());
  const std::optional<OpenedFile>& opened = *opening;
  EXPECT_EQ(opened->size_bytes, 5u);
  char bytes[8];
  EXPECT_EQ(ReadFully(opened->fd, bytes, sizeof(bytes), StopFlag()), 5);
  EXPECT_EQ(ReadFully(opened->fd, bytes, sizeof(bytes), StopFlag()), 0);
}

TEST_F(InputFileTest, SaysWhatVanishedAfterTheWalk) {
  EXPECT_FALSE(Opens(Path("gone"), true));
  EXPECT_FALSE(Opens(Path("gone/deeper"), true));
  Write("target", "x");
  std::filesystem::create_symlink("target", Path("link"));
  EXPECT_FALSE(Opens(Path("link"), true)) << "a link took the place of a file";
  EXPECT_TRUE(Opens(Path("link"), false));
  EXPECT_EQ(Count(ProblemKind::kVanishedFile), 3u);
}

TEST_F(InputFileTest, NeverOpensAFifoOrADirectoryAsAFile) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(Opens(Path("pipe"), true));
  EXPECT_FALSE(Opens(root_, true));
  EXPECT_EQ(Count(ProblemKind::kSpecialFile), 2u);
}

TEST_F(InputFileTest, DoesNotBlameAFileForDescriptorsThatAreUsedUp) {
  InputFile file;
  file.path = Write("a", "1");
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto opened = OpenInput(file, problems_);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(ExhaustedResource(opened.status()), Resource::kDescriptors) << opened.status();
  EXPECT_TRUE(problems_.problems().empty());
}

TEST(LooksBinary, LooksForNulInTheBeginningOnly) {
  EXPECT_FALSE(LooksBinary(""));
  EXPECT_FALSE(LooksBinary("text\x01\x02"));
  EXPECT_TRUE(LooksBinary(std::string_view("a\0b", 3)));
  const std::string text(kBinaryProbeBytes, 'x');
  EXPECT_TRUE(LooksBinary(text.substr(1) + '\0'));
  EXPECT_FALSE(LooksBinary(text + '\0'));
  EXPECT_TRUE(
      LooksBinary("\xfe\xff"
                  "x"));
}

TEST(ByteOrderMark, IsThreeBytesOfUtf8) {
  EXPECT_EQ(ByteOrderMarkBytes("\xef\xbb\xbf"
                               "x"),
            3u);
  EXPECT_EQ(ByteOrderMarkBytes("\xef\xbb"), 0u);
}

}  // namespace input_file_test
}  // namespace pmdex
