// The parameters of a URL, and values of JSON, as numbers, switches, times and lists. Every
// function returns an ApiError (400) that names the parameter or key where the value does not fit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

// A view of a request's parameters. Where one repeats, the last one counts. The request must
// outlive it.
class Parameters {
 public:
  explicit Parameters(const HttpRequest& request) : request_(request) {}

  // An error that names the parameters that are in neither list.
  absl::Status CheckNames(std::string_view known, std::string_view also_known) const;

  std::optional<std::string_view> Text(std::string_view name) const;
  absl::StatusOr<bool> Switch(std::string_view name, bool otherwise) const;
  absl::StatusOr<std::optional<int64_t>> Integer(std::string_view name) const;
  absl::StatusOr<std::optional<std::chrono::milliseconds>> Time(std::string_view name) const;
  // The parts between commas; empty if the parameter is missing or empty.
  std::vector<std::string> List(std::string_view name) const;

 private:
  const HttpRequest& request_;
};

std::vector<std::string> SplitAtCommas(std::string_view text);

// name: for the error. "500ms", "1.5s", "2m", "1h", "1d", also "micros" and "nanos"; "-1" and "0"
// are 0.
absl::StatusOr<std::chrono::milliseconds> ParseTime(std::string_view name, std::string_view text);

// Values of JSON as Elasticsearch takes them: a number may be a string.
absl::StatusOr<bool> JsonSwitch(std::string_view name, const Json& value);
absl::StatusOr<int64_t> JsonInteger(std::string_view name, const Json& value);
absl::StatusOr<double> JsonNumber(std::string_view name, const Json& value);
// A string; a number or a switch as text.
absl::StatusOr<std::string> JsonText(std::string_view name, const Json& value);
// A list of strings; a string alone is a list of one.
absl::StatusOr<std::vector<std::string>> JsonTexts(std::string_view name, const Json& value);

}  // namespace pmdex
