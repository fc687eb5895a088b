#include "tools/server/http_error.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pmdex {
namespace http_error_test {

TEST(HttpError, HasATypeAReasonAndTheStatus) {
  const HttpResponse response = ErrorResponse(404, "no \"such\" path");
  EXPECT_EQ(response.status, 404);
  const auto body = nlohmann::json::parse(response.body);
  EXPECT_EQ(body["error"]["type"], "not_found");
  EXPECT_EQ(body["error"]["reason"], "no \"such\" path");
  EXPECT_EQ(body["status"], 404);
  EXPECT_TRUE(response.headers.empty());
}

TEST(HttpError, TellsWhenToTryAgain) {
  for (const int status : {429, 503}) {
    const HttpResponse response = ErrorResponse(status, "later");
    ASSERT_EQ(response.headers.size(), 1u);
    EXPECT_EQ(response.headers[0].first, "Retry-After");
  }
}

TEST(HttpError, DistinguishesTheFaultsOfTheClientFromOthers) {
  EXPECT_EQ(ErrorResponse(InvalidArgument("x")).status, 400);
  EXPECT_EQ(ErrorResponse(MakeStatus(absl::StatusCode::kResourceExhausted, "x")).status, 503);
  EXPECT_EQ(ErrorResponse(DataLoss("x")).status, 500);
}

TEST(HttpError, CutsALongReason) {
  EXPECT_LT(ErrorResponse(400, std::string(100'000, 'x')).body.size(), 2000u);
}

}  // namespace http_error_test
}  // namespace pmdex
