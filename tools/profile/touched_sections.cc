#include "tools/profile/touched_sections.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/compare/medium/touched_lines.h"

namespace pmdex {
namespace {

constexpr size_t kMostTouchingQueries = 8;
constexpr size_t kMostTouchingLoads = 100'000;  // of a query; one takes some microseconds to record

void SetTouched(const std::vector<RecordedQuery>& recorded, ProfiledConfiguration& configuration) {
  if (recorded.empty()) return;
  configuration.touched_queries = recorded.size();
  for (const auto& [section, touches] : MeanTouches(recorded).sections) {
    configuration.touched.push_back({section, touches.of_64.random, touches.of_64.sequential});
  }
}

}  // namespace

absl::Status AddTouchedSections(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                                bool exhaustive, ProfiledConfiguration& configuration) {
  SearchOptions search;
  search.exhaustive = exhaustive;
  const size_t count = std::min(kMostTouchingQueries, queries.size());
  std::vector<RecordedQuery> recorded;
  size_t left_out = 0;
  for (size_t i = 0; i < count; ++i) {
    auto one =
        RecordQuery(searcher, queries[i * queries.size() / count].text, search, kMostTouchingLoads);
    if (absl::IsUnimplemented(one.status())) {
      configuration.notes.push_back(
          absl::StrCat("bytes touched are not recorded: ", std::string(Message(one.status()))));
      return absl::OkStatus();
    }
    if (absl::IsOutOfRange(one.status())) {
      ++left_out;
      continue;
    }
    PMDEX_RETURN_IF_ERROR(one.status());
    recorded.push_back(*std::move(one));
  }
  if (searcher.snapshot().unit_cache() != nullptr) {
    configuration.notes.push_back(
        "bytes touched: units that are read past the page cache are not counted");
  }
  if (left_out > 0) {
    configuration.notes.push_back(absl::StrCat("bytes touched: ", left_out, " of ", count,
                                               " queries have more than ", kMostTouchingLoads,
                                               " loads and are left out"));
  }
  SetTouched(recorded, configuration);
  return absl::OkStatus();
}

}  // namespace pmdex
