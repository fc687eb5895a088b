#include "tools/library/api_status.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace api_status_test {

TEST(ApiStatus, KeepsCodesAndMessages) {
  EXPECT_TRUE(ToCallStatus(absl::OkStatus()).ok());
  const CallStatus lost = ToCallStatus(DataLoss("page 3"));
  EXPECT_FALSE(lost.ok());
  EXPECT_EQ(lost.code(), ErrorCode::kDataLoss);
  EXPECT_EQ(lost.message(), "page 3");
  EXPECT_EQ(ToCallStatus(absl::CancelledError("x")).code(), ErrorCode::kCancelled);
  EXPECT_EQ(ToCallStatus(InvalidArgument("column 2: no\nx(\n ^")).message(), "column 2: no");
}

TEST(ApiStatus, CallsCodesWithoutANameInternal) {
  EXPECT_EQ(ToCallStatus(absl::AbortedError("x")).code(), ErrorCode::kInternal);
  EXPECT_EQ(ToCallStatus(absl::InternalError("x")).code(), ErrorCode::kInternal);
}

}  // namespace api_status_test
}  // namespace pmdex
