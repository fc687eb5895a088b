#include "tools/profile/touched_sections.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/compare/medium/touched_lines.h"

namespace pmdex {
namespace {

// So many queries of each class are recorded, more if there are few classes.
constexpr size_t kTouchingQueriesOfClass = 2;
constexpr size_t kFewestTouchingQueries = 8;

// What was recorded of the queries of one class.
struct TouchingClass {
  std::vector<const ProfileQuery*> queries;
  std::vector<RecordedQuery> recorded;
};
using TouchingClasses = std::map<std::string, TouchingClass>;

// A query that shall be recorded: the first ones of all classes come first, and of these the fast
// ones, or those of short lists if times are not known.
struct TouchingQuery {
  size_t round = 0;
  double cost = 0;
  const ProfileQuery* query = nullptr;
  TouchingClass* of_class = nullptr;
};

double CostOf(const ProfileQuery& query, size_t number,
              const ProfiledConfiguration& configuration) {
  const auto postings = static_cast<double>(query.postings);
  if (number >= configuration.each_query.size()) return postings;
  const MetricValue* const time = configuration.each_query[number].metrics.Find("time_us");
  return time == nullptr ? postings : time->value;
}

// The classes point into all queries.
std::vector<TouchingQuery> ChooseQueries(const std::vector<ProfileQuery>& all,
                                         const ProfiledConfiguration& configuration,
                                         TouchingClasses& classes) {
  const size_t few =
      (kFewestTouchingQueries + classes.size() - 1) / std::max<size_t>(classes.size(), 1);
  std::vector<TouchingQuery> chosen;
  for (auto& [name, of_class] : classes) {
    const std::vector<const ProfileQuery*>& queries = of_class.queries;
    const size_t count = std::min(std::max(kTouchingQueriesOfClass, few), queries.size());
    for (size_t i = 0; i < count; ++i) {
      const ProfileQuery* const query = queries[i * queries.size() / count];
      const auto number = static_cast<size_t>(query - all.data());
      chosen.push_back({i, CostOf(*query, number, configuration), query, &of_class});
    }
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) {
    return std::pair(a.round, a.cost) < std::pair(b.round, b.cost);
  });
  return chosen;
}

class TouchRecording {
 public:
  TouchRecording(const Searcher& searcher, bool exhaustive, const TouchLimits& limits)
      : searcher_(searcher), limits_(limits), loads_left_(limits.loads_of_all) {
    search_.exhaustive = exhaustive;
  }

  absl::Status Record(const TouchingQuery& chosen) {
    const size_t most = std::min(limits_.loads_of_query, loads_left_);
    if (most == 0) {
      ++not_recorded_;
      return absl::OkStatus();
    }
    auto one = RecordQuery(searcher_, chosen.query->text, search_, most);
    if (absl::IsOutOfRange(one.status())) {
      ++(most < limits_.loads_of_query ? not_recorded_ : left_out_);
      loads_left_ -= most;
      return absl::OkStatus();
    }
    PMDEX_RETURN_IF_ERROR(one.status());
    loads_left_ -= one->loads;
    chosen.of_class->recorded.push_back(*std::move(one));
    return absl::OkStatus();
  }

  // What the reader must know of `queries` that were to be recorded.
  std::vector<std::string> Notes(size_t queries) const {
    std::vector<std::string> notes;
    if (left_out_ > 0) {
      notes.push_back(absl::StrCat("bytes touched: ", left_out_, " of ", queries,
                                   " queries have more than ", limits_.loads_of_query,
                                   " loads and are left out"));
    }
    if (not_recorded_ > 0) {
      notes.push_back(absl::StrCat("bytes touched: ", not_recorded_, " of ", queries,
                                   " queries are left out, because others have taken the ",
                                   limits_.loads_of_all, " loads that are recorded at most"));
    }
    return notes;
  }

 private:
  const Searcher& searcher_;
  SearchOptions search_;
  const TouchLimits limits_;
  size_t loads_left_;
  size_t left_out_ = 0;
  size_t not_recorded_ = 0;
};

std::vector<TouchedSection> MeanSections(const std::vector<RecordedQuery>& recorded) {
  std::vector<TouchedSection> sections;
  for (const auto& [section, touches] : MeanTouches(recorded).sections) {
    sections.push_back({section, touches.of_64.random, touches.of_64.sequential});
  }
  return sections;
}

// A class counts by the number of its queries in the whole file.
void SetTouched(const TouchingClasses& classes, ProfiledConfiguration& configuration) {
  double queries = 0;
  for (const auto& [name, of_class] : classes) {
    if (!of_class.recorded.empty()) queries += static_cast<double>(of_class.queries.size());
  }
  std::map<std::string, TouchedSection> all;
  for (const auto& [name, of_class] : classes) {
    if (of_class.recorded.empty()) continue;
    const double weight = static_cast<double>(of_class.queries.size()) / queries;
    const std::vector<TouchedSection> sections = MeanSections(of_class.recorded);
    for (const TouchedSection& one : sections) {
      TouchedSection& sum = all.try_emplace(one.section, TouchedSection{one.section}).first->second;
      sum.random_lines += weight * one.random_lines;
      sum.sequential_lines += weight * one.sequential_lines;
    }
    configuration.touched_queries += of_class.recorded.size();
    for (QueryGroup& group : configuration.classes) {
      if (group.name != name) continue;
      group.touched = sections;
      group.touched_queries = of_class.recorded.size();
    }
  }
  for (auto& [section, sum] : all) configuration.touched.push_back(std::move(sum));
}

}  // namespace

absl::Status AddTouchedSections(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                                bool exhaustive, ProfiledConfiguration& configuration,
                                const TouchLimits& limits) {
  TouchingClasses classes;
  for (const ProfileQuery& query : queries) classes[query.query_class].queries.push_back(&query);
  const std::vector<TouchingQuery> chosen = ChooseQueries(queries, configuration, classes);
  TouchRecording recording(searcher, exhaustive, limits);
  for (const TouchingQuery& one : chosen) {
    const absl::Status status = recording.Record(one);
    if (absl::IsUnimplemented(status)) {
      configuration.notes.push_back(
          absl::StrCat("bytes touched are not recorded: ", std::string(Message(status))));
      return absl::OkStatus();
    }
    PMDEX_RETURN_IF_ERROR(status);
  }
  if (searcher.snapshot().unit_cache() != nullptr) {
    configuration.notes.push_back(
        "bytes touched: units that are read past the page cache are not counted");
  }
  for (std::string& note : recording.Notes(chosen.size())) {
    configuration.notes.push_back(std::move(note));
  }
  SetTouched(classes, configuration);
  return absl::OkStatus();
}

}  // namespace pmdex
