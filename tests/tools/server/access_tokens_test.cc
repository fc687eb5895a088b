#include "tools/server/access_tokens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/run_program.h"

namespace pmdex {
namespace access_tokens_test {

constexpr char kToken[] = "0123456789abcdef";

bool Allows(const AccessTokens& tokens, const std::string& authorization) {
  HttpRequest request;
  request.headers.emplace_back("authorization", authorization);
  return tokens.Allow(request);
}

TEST(AccessTokens, AllowEveryRequestIfThereAreNone) {
  EXPECT_FALSE(AccessTokens().are_needed());
  EXPECT_TRUE(AccessTokens().Allow({}));
}

TEST(AccessTokens, AreTakenInEachScheme) {
  const AccessTokens tokens({"another-token-of-16", kToken});
  EXPECT_TRUE(tokens.are_needed());
  EXPECT_TRUE(Allows(tokens, "Bearer 0123456789abcdef"));
  EXPECT_TRUE(Allows(tokens, "bearer  0123456789abcdef "));
  EXPECT_TRUE(Allows(tokens, "ApiKey 0123456789abcdef"));
  EXPECT_TRUE(Allows(tokens, "ApiKey aWQ6MDEyMzQ1Njc4OWFiY2RlZg=="));  // id:TOKEN
  EXPECT_TRUE(Allows(tokens, "Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVm"));   // user:TOKEN
}

TEST(AccessTokens, RefuseEverythingElse) {
  const AccessTokens tokens({kToken});
  EXPECT_FALSE(tokens.Allow({}));
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeX",
        "Bearer 0123456789abcdef0123456789abcdef", "Basic 0123456789abcdef", "Basic !!",
        "Basic dXNlcg==", "Digest 0123456789abcdef", "0123456789abcdef"}) {
    EXPECT_FALSE(Allows(tokens, wrong)) << wrong;
  }
}

TEST(AccessTokens, ComeFromAFileThatOthersCannotRead) {
  const TemporaryDirectory directory;
  const auto load = [&](const std::string& text, mode_t mode) {
    const std::string path = directory.Write("tokens", text);
    chmod(path.c_str(), mode);
    return AccessTokens::Load(path);
  };
  const auto tokens = load("# who\n\n 0123456789abcdef \nanother-token-of-16\n", 0600);
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  EXPECT_TRUE(Allows(*tokens, "Bearer 0123456789abcdef"));
  EXPECT_TRUE(Allows(*tokens, "Bearer another-token-of-16"));
  EXPECT_FALSE(Allows(*tokens, "Bearer # who"));
  EXPECT_TRUE(absl::IsInvalidArgument(load("0123456789abcdef\n", 0604).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(load("short\n", 0600).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(load("# nothing\n", 0600).status()));
  EXPECT_FALSE(AccessTokens::Load(directory / "missing").ok());
}

}  // namespace access_tokens_test
}  // namespace pmdex
