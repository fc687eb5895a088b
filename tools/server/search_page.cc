#include "tools/server/search_page.h"

#include <sys/random.h>

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "tools/server/static_files.h"

namespace pmdex {
namespace {

// A number that nobody can guess, so that no text of a document can name it in a script of its own.
std::string NewNonce() {
  std::array<char, 18> bytes = {};
  (void)!getrandom(bytes.data(), bytes.size(), 0);
  return absl::WebSafeBase64Escape(absl::string_view(bytes.data(), bytes.size()));
}

std::string ReplaceAll(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what)) {
    out += text.substr(0, at);
    out += by;
    text.remove_prefix(at + what.size());
  }
  out += text;
  return out;
}

}  // namespace

HttpResponse SearchPage() {
  const std::string nonce = NewNonce();
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back(
      "Content-Security-Policy",
      absl::StrCat("default-src 'none'; connect-src 'self'; script-src 'nonce-", nonce,
                   "'; style-src 'nonce-", nonce,
                   "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"));
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = ReplaceAll(kSearchPageHtml, "@NONCE@", nonce);
  return response;
}

}  // namespace pmdex
