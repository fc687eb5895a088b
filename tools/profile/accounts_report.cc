#include "tools/profile/accounts_report.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"

namespace pmdex {
namespace {

// Milliseconds. What is less is not shown as if it were nothing.
std::string SecondsText(double seconds) {
  return seconds > 0 && seconds < 0.0005 ? "<0.001" : absl::StrFormat("%.3f", seconds);
}

// One number of an account: its key in JSON and the title of its column.
struct AccountColumn {
  const char* key;
  const char* title;
  std::optional<double> TaskAccount::*seconds = nullptr;
  std::optional<uint64_t> TaskAccount::*count = nullptr;

  bool IsKnown(const TaskAccount& account) const {
    return seconds != nullptr ? (account.*seconds).has_value() : (account.*count).has_value();
  }
  std::string Text(const TaskAccount& account) const {
    if (!IsKnown(account)) return "";
    return seconds != nullptr ? SecondsText(*(account.*seconds)) : WithThousands(*(account.*count));
  }
};

constexpr AccountColumn kAccountColumns[] = {
    {"cpu_s", "CPU s", &TaskAccount::cpu_s},
    {"user_s", "user s", &TaskAccount::user_s},
    {"system_s", "system s", &TaskAccount::system_s},
    {"cpu_wait_s", "waited for a CPU, s", &TaskAccount::wait_s},
    {"minor_faults", "minor faults", nullptr, &TaskAccount::minor_faults},
    {"major_faults", "major faults", nullptr, &TaskAccount::major_faults},
    {"voluntary_switches", "voluntary switches", nullptr, &TaskAccount::voluntary_switches},
    {"involuntary_switches", "involuntary switches", nullptr, &TaskAccount::involuntary_switches}};

// Keys of the object that is open.
void WriteAccount(const TaskAccount& account, JsonWriter& json) {
  for (const AccountColumn& column : kAccountColumns) {
    if (!column.IsKnown(account)) continue;
    json.Key(column.key);
    if (column.seconds != nullptr) {
      json.Double(*(account.*column.seconds));
    } else {
      json.Uint(*(account.*column.count));
    }
  }
}

}  // namespace

ReportTable AccountsTable(const ProcessAccounts& accounts) {
  ReportTable table;
  table.key_columns = 2;
  table.columns = {{"thread"}, {"name"}};
  std::vector<AccountColumn> columns;
  for (const AccountColumn& column : kAccountColumns) {
    if (!column.IsKnown(accounts.whole) &&
        std::none_of(accounts.threads.begin(), accounts.threads.end(),
                     [&](const ThreadAccount& thread) { return column.IsKnown(thread.account); })) {
      continue;
    }
    columns.push_back(column);
    table.columns.push_back({column.title, true});
  }
  const auto add = [&](std::string thread, std::string name, const TaskAccount& account) {
    std::vector<std::string> row = {std::move(thread), std::move(name)};
    for (const AccountColumn& column : columns) row.push_back(column.Text(account));
    table.rows.push_back(std::move(row));
  };
  add("all", "", accounts.whole);
  for (const ThreadAccount& thread : accounts.threads) {
    add(absl::StrCat(thread.thread), absl::StrCat(thread.name, thread.has_ended ? " (ended)" : ""),
        thread.account);
  }
  return table;
}

void WriteAccounts(const ProcessAccounts& accounts, JsonWriter& json) {
  json.Key("process").BeginObject();
  WriteAccount(accounts.whole, json);
  json.EndObject().Key("threads").BeginArray();
  for (const ThreadAccount& thread : accounts.threads) {
    json.BeginObject().Key("thread").Uint(thread.thread).Key("name").String(thread.name);
    json.Key("ended").Bool(thread.has_ended);
    WriteAccount(thread.account, json);
    json.EndObject();
  }
  json.EndArray().Key("idle_threads").Uint(accounts.idle_threads);
}

}  // namespace pmdex
