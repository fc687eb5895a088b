#include "tools/server/http/content_coding.h"

#include <chrono>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace content_coding_test {

TEST(ContentCoding, IsChosenByTheQualitiesOfTheClient) {
  EXPECT_EQ(ChooseContentCoding(std::nullopt), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("gzip, deflate, br, zstd"), ContentCoding::kZstd);
  EXPECT_EQ(ChooseContentCoding("GZIP"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseContentCoding("zstd;q=0.2, gzip;q=0.9"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseContentCoding("gzip;q=0"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("*"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseContentCoding("gzip;q=0, *"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("*;q=0, gzip"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseContentCoding("br;q=1, identity"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding(",,;q=,gzip;q=x"), ContentCoding::kIdentity);
}

TEST(ContentCoding, BodiesComeBackFromEachCoding) {
  const std::string text(100'000, 'a');
  for (const char* coding : {"gzip", "zstd"}) {
    HttpResponse response;
    response.body = text;
    CompressResponse(coding, response);
    EXPECT_LT(response.body.size(), 1000u);
    ASSERT_EQ(response.headers.size(), 2u);
    EXPECT_EQ(response.headers[0].second, coding);
    EXPECT_EQ(*DecodeContent(coding, response.body, text.size()), text);
    EXPECT_TRUE(
        absl::IsResourceExhausted(DecodeContent(coding, response.body, text.size() - 1).status()));
    for (const size_t size : {size_t{0}, size_t{1}, response.body.size() - 1}) {
      EXPECT_TRUE(absl::IsInvalidArgument(
          DecodeContent(coding, response.body.substr(0, size), text.size()).status()))
          << coding << size;
    }
    EXPECT_FALSE(DecodeContent(coding, response.body + "x", text.size()).ok());
  }
  EXPECT_TRUE(absl::IsUnimplemented(DecodeContent("br", "", 10).status()));
}

TEST(ContentCoding, SmallBodiesStayAsTheyAre) {
  HttpResponse response;
  response.body = std::string(kLeastCompressedBytes - 1, 'a');
  CompressResponse("gzip", response);
  EXPECT_TRUE(response.headers.empty());
}

TEST(ContentCoding, LargeBodiesAreCompressedUnlessTheDeadlineComes) {
  std::string text;
  for (uint64_t i = 0; i < 100'000; ++i) text += std::to_string(i * i);
  for (const char* coding : {"gzip", "zstd"}) {
    HttpResponse response;
    response.body = text;
    CompressResponse(coding, response, std::chrono::steady_clock::now());
    EXPECT_EQ(response.body, text) << coding;
    EXPECT_TRUE(response.headers.empty()) << coding;
    CompressResponse(coding, response, std::chrono::steady_clock::now() + std::chrono::hours(1));
    EXPECT_LT(response.body.size(), text.size()) << coding;
    EXPECT_EQ(*DecodeContent(coding, response.body, text.size()), text) << coding;
  }
}

}  // namespace content_coding_test
}  // namespace pmdex
