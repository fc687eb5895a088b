#include "pmem/exhaustion.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "pmem/status.h"

namespace pmdex {
namespace exhaustion_test {

TEST(Exhaustion, IsWhatSystemCallsSayThatDidNotLookAtTheFile) {
  for (const int error : {EMFILE, ENFILE, ENOMEM}) EXPECT_TRUE(IsExhaustion(error));
  for (const int error : {EACCES, ENOENT, EIO, ENOSPC, EMLINK, 0})
    EXPECT_FALSE(IsExhaustion(error));
}

TEST(Exhaustion, NamesTheLimit) {
  const std::string own(Message(ExhaustionStatus(EMFILE, "open a")));
  EXPECT_TRUE(own.starts_with("open a: Too many open files (the limit of this process is ")) << own;
  const std::string system(Message(ExhaustionStatus(ENFILE, "b")));
  EXPECT_NE(system.find("fs.file-max"), std::string::npos) << system;
}

TEST(Exhaustion, KnowsTheResourceOfAStatus) {
  EXPECT_EQ(ExhaustedResource(absl::OkStatus()), Resource::kNone);
  EXPECT_EQ(ExhaustedResource(absl::NotFoundError("")), Resource::kNone);
  EXPECT_EQ(ExhaustedResource(ErrnoStatus(ENOSPC, "a")), Resource::kSpace);
  EXPECT_EQ(ExhaustedResource(ErrnoStatus(EMFILE, "a")), Resource::kDescriptors);
  EXPECT_EQ(ExhaustedResource(ErrnoStatus(ENFILE, "a")), Resource::kDescriptors);
  EXPECT_EQ(ExhaustedResource(ErrnoStatus(ENOMEM, "a")), Resource::kMemory);
  EXPECT_EQ(ExhaustedResource(OutOfMemory()), Resource::kMemory);
  EXPECT_EQ(ExhaustedResource(Exhausted(Resource::kThreads, "")), Resource::kThreads);
}

TEST(Exhaustion, MakesAStatusOfMemoryThatRanOut) {
  const auto throws = []() -> absl::Status { throw std::bad_alloc(); };
  EXPECT_EQ(CatchOutOfMemory(throws), OutOfMemory());
  EXPECT_TRUE(CatchOutOfMemory([] { return absl::OkStatus(); }).ok());
}

}  // namespace exhaustion_test
}  // namespace pmdex
