#include "pmem/status.h"

#include <cerrno>
#include <memory>
#include <string>

#include "gtest/gtest.h"

#include "pmem/text.h"

namespace pmdex {
namespace status_test {

TEST(Status, FitsTheCodeToTheErrno) {
  EXPECT_EQ(ErrnoStatus(ENOENT, "x").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrnoStatus(EEXIST, "x").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ErrnoStatus(ENOSPC, "x").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus(EDQUOT, "x").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus(ENOMEM, "x").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus(EIO, "x").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ErrnoStatus(EWOULDBLOCK, "x").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ErrnoStatus(EOPNOTSUPP, "x").code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ErrnoStatus(EINVAL, "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrnoStatus(EACCES, "x").code(), absl::StatusCode::kInternal);
}

TEST(Status, SaysWhatFailedAndWhy) {
  EXPECT_EQ(Message(ErrnoStatus(ENOENT, "open /a")), "open /a: No such file or directory");
  EXPECT_EQ(Message(DataLoss("bad bytes")), "bad bytes");
  EXPECT_EQ(DataLoss("x").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(InvalidArgument("x").code(), absl::StatusCode::kInvalidArgument);
}

absl::StatusOr<std::unique_ptr<int>> Make(bool good) {
  if (!good) return DataLoss("not good");
  return std::make_unique<int>(7);
}

absl::StatusOr<int> UseTwice(bool first, bool second) {
  PMDEX_ASSIGN_OR_RETURN(const auto a, Make(first));
  PMDEX_ASSIGN_OR_RETURN(const auto b, Make(second));
  return *a + *b;
}

absl::Status Chain(bool good) {
  PMDEX_RETURN_IF_ERROR(Make(good).status());
  return absl::OkStatus();
}

TEST(Status, MacrosMoveValuesAndReturnTheFirstError) {
  ASSERT_TRUE(UseTwice(true, true).ok());
  EXPECT_EQ(*UseTwice(true, true), 14);
  EXPECT_EQ(UseTwice(false, true).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(UseTwice(true, false).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(Chain(true).ok());
  EXPECT_EQ(Message(Chain(false)), "not good");
}

TEST(Text, CrossesTheBridgeBothWays) {
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(ToStd(ToAbsl(text)), text);
}

}  // namespace status_test
}  // namespace pmdex
