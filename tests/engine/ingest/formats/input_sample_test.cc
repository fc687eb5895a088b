#include "engine/ingest/formats/input_sample.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <thread>

#include "engine/ingest/tuning/tuning.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace input_sample_test {

// Standard input is a pipe that gets `text`.
class InputSampleTest : public IngestFixture {
 protected:
  InputSampleTest() : saved_(dup(STDIN_FILENO)) {}
  ~InputSampleTest() override {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  std::string Sample(std::string_view text, FieldCollector& collector) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    std::thread writer([&text, fd = ends[1]] {
      for (size_t done = 0; done < text.size();) {
        const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
        if (wrote <= 0) break;
        done += static_cast<size_t>(wrote);
      }
      close(fd);
    });
    const auto read = SampleStandardInput(
        options_, ResolveParameters(options_, directory_->granularity()), collector);
    EXPECT_TRUE(read.ok()) << read.status();
    char rest[4096];  // so that the writer ends
    while (::read(STDIN_FILENO, rest, sizeof rest) > 0) {
    }
    writer.join();
    return read.ok() ? *read : "";
  }
  const int saved_;
};

TEST_F(InputSampleTest, ReadsUntilTheSampleIsOverAndKeepsWhatItRead) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{\"n\": " + std::to_string(i) + "}\n";
  FieldCollector collector({}, {9, false, true});
  const std::string read = Sample(text, collector);
  EXPECT_TRUE(collector.is_done());
  EXPECT_LT(read.size(), text.size());
  EXPECT_TRUE(text.starts_with(read));
  EXPECT_EQ(collector.Take().at("n").spec->type, FieldType::kI64);
}

TEST_F(InputSampleTest, AShortInputEndsTheSample) {
  const std::string text = "\xef\xbb\xbf{\"n\": 1}\nno json\n\n{\"n\": 2.5, \"s\": \"x\"}";
  FieldCollector collector({}, {9, false, true});
  EXPECT_EQ(Sample(text, collector), text);
  const KnownFields fields = collector.Take();
  EXPECT_EQ(fields.at("n").spec->type, FieldType::kF64);
  EXPECT_EQ(fields.at("s").spec->type, FieldType::kText);
}

TEST_F(InputSampleTest, ALineThatNeverEndsEndsTheSample) {
  const std::string text = "{\"n\": 1}\n{\"s\": \"" + std::string(kMaxInputSampleBytes * 2, 'x');
  FieldCollector collector({}, {9, false, true});
  const std::string read = Sample(text, collector);
  EXPECT_GE(read.size(), kMaxInputSampleBytes);
  EXPECT_LT(read.size(), kMaxInputSampleBytes + (size_t{1} << 20));
  EXPECT_EQ(collector.Take().size(), 1u);
}

}  // namespace input_sample_test
}  // namespace pmdex
