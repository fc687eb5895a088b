#include "tools/profile/task_accounts.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/sysfs.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

// As in the passes over queries: the division into user and system time says nothing below it.
constexpr double kLeastDividedS = 0.1;
// By which the difference of two times in ticks, each rounded down, is at most too large.
constexpr uint64_t kTicksTooMany = 2;

double SecondsOfTicks(uint64_t ticks) {
  static const auto per_second = static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L));
  return static_cast<double>(ticks) / per_second;
}

// Reading fails, too, where the task ends after its file was opened.
std::optional<std::string> TextOfTask(const std::string& directory, const char* name) {
  auto text = ReadReportFile(absl::StrCat(directory, "/", name), 65536);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

std::optional<uint64_t> NumberOf(std::string_view word) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// The numbers between blanks; nullopt for a word that is none, so that places stay right. Negative
// numbers count as none: nothing that is read here can be below 0.
std::vector<std::optional<uint64_t>> NumbersIn(std::string_view text) {
  std::vector<std::optional<uint64_t>> numbers;
  while (true) {
    const size_t start = text.find_first_not_of(" \t\n");
    if (start == std::string_view::npos) return numbers;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
    numbers.push_back(NumberOf(word));
    text.remove_prefix(word.size());
  }
}

// The number behind "NAME:" at the start of a line of /proc/PID/status.
std::optional<uint64_t> NumberOfLine(std::string_view text, std::string_view name) {
  const std::string start = absl::StrCat("\n", std::string(name), ":");
  const size_t at = text.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + start.size());
  const auto numbers = NumbersIn(rest.substr(0, rest.find('\n')));
  return numbers.empty() ? std::nullopt : numbers[0];
}

// "NUMBER (NAME) STATE ...": the name may have brackets and blanks in it (proc_pid_stat(5)).
bool ParseStat(std::string_view text, TaskNumbers& task) {
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      close + 2 >= text.size()) {
    return false;
  }
  task.name = std::string(text.substr(open + 1, close - open - 1));
  task.state = text[close + 2];
  constexpr size_t kFirst = 4;  // the number, in proc_pid_stat(5), of the field behind the state
  const auto fields = NumbersIn(text.substr(close + 3));
  bool are_numbers = true;
  const auto field = [&](size_t number) {
    const bool is_there = number - kFirst < fields.size() && fields[number - kFirst].has_value();
    are_numbers = are_numbers && is_there;
    return is_there ? *fields[number - kFirst] : 0;
  };
  task.minor_faults = field(10);
  task.major_faults = field(12);
  task.user_ticks = field(14);
  task.system_ticks = field(15);
  task.start_ticks = field(22);
  return are_numbers;
}

bool IsOver(const TaskNumbers& task) {
  return task.state == 'Z' || task.state == 'X';
}

// A kernel's count may not fall, but a made-up or broken one does.
uint64_t Increase(uint64_t begin, uint64_t end) {
  return end < begin ? 0 : end - begin;
}

std::optional<uint64_t> Increase(std::optional<uint64_t> begin, std::optional<uint64_t> end) {
  if (!begin.has_value() || !end.has_value()) return std::nullopt;
  return Increase(*begin, *end);
}

std::optional<double> Seconds(std::optional<uint64_t> ns) {
  if (!ns.has_value()) return std::nullopt;
  return static_cast<double>(*ns) / 1e9;
}

// Of a thread that starts while it is watched.
TaskNumbers NumbersAtStart() {
  TaskNumbers task;
  task.run_ns = task.wait_ns = 0;
  task.voluntary_switches = task.involuntary_switches = 0;
  return task;
}

// What this kernel counts at all. A sandbox writes zeros for what it does not count.
struct Counted {
  bool run = false;
  bool faults = false;
  bool switches = false;

  // Every process has run, has had faults when its program began, and has waited for its files: a
  // number above 0 of one of its threads tells.
  void Learn(const TaskNumbers& task) {
    run = run || task.run_ns.value_or(0) > 0;
    faults = faults || task.minor_faults > 0;
    switches = switches || task.voluntary_switches.value_or(0) > 0 ||
               task.involuntary_switches.value_or(0) > 0;
  }
};

TaskAccount Difference(const TaskNumbers& begin, const TaskNumbers& end, const Counted& counted) {
  TaskAccount account;
  const double user_s = SecondsOfTicks(Increase(begin.user_ticks, end.user_ticks));
  const double system_s = SecondsOfTicks(Increase(begin.system_ticks, end.system_ticks));
  if (counted.run) {
    account.cpu_s = Seconds(Increase(begin.run_ns, end.run_ns));
    account.wait_s = Seconds(Increase(begin.wait_ns, end.wait_ns));
  }
  if (!account.cpu_s.has_value() && user_s + system_s > 0) account.cpu_s = user_s + system_s;
  if (user_s + system_s >= kLeastDividedS) {
    if (user_s > 0) account.user_s = user_s;
    if (system_s > 0) account.system_s = system_s;
  }
  if (counted.switches) {
    account.voluntary_switches = Increase(begin.voluntary_switches, end.voluntary_switches);
    account.involuntary_switches = Increase(begin.involuntary_switches, end.involuntary_switches);
  }
  if (counted.faults) {
    account.minor_faults = Increase(begin.minor_faults, end.minor_faults);
    account.major_faults = Increase(begin.major_faults, end.major_faults);
  }
  return account;
}

bool DidSomething(const TaskAccount& account) {
  return account.cpu_s.value_or(0) > 0 || account.wait_s.value_or(0) > 0 ||
         account.minor_faults.value_or(0) > 0 || account.major_faults.value_or(0) > 0 ||
         account.voluntary_switches.value_or(0) > 0 || account.involuntary_switches.value_or(0) > 0;
}

template <typename Number>
void AddTo(const std::optional<Number>& from, std::optional<Number>& sum) {
  if (from.has_value()) sum = sum.value_or(0) + *from;
}

std::vector<std::string> NotesOfMissing(const Counted& counted) {
  std::vector<std::string> notes;
  if (!counted.run) {
    notes.emplace_back(
        "this kernel does not tell how long threads wait for a CPU (/proc/PID/schedstat): CPU "
        "times come from its ticks, and those below a tick are left out");
  }
  if (!counted.faults) notes.emplace_back("this kernel counts no page faults of threads");
  if (!counted.switches) {
    notes.emplace_back("this kernel does not tell the switches of threads (/proc/PID/status)");
  }
  return notes;
}

}  // namespace

std::optional<TaskNumbers> ReadTaskNumbers(const std::string& directory) {
  TaskNumbers task;
  const auto stat = TextOfTask(directory, "stat");
  if (!stat.has_value() || !ParseStat(*stat, task)) return std::nullopt;
  if (const auto text = TextOfTask(directory, "schedstat"); text.has_value()) {
    const auto numbers = NumbersIn(*text);  // run, waited, times
    if (numbers.size() >= 3) {
      task.run_ns = numbers[0];
      task.wait_ns = numbers[1];
    }
  }
  if (const auto text = TextOfTask(directory, "status"); text.has_value()) {
    task.voluntary_switches = NumberOfLine(*text, "voluntary_ctxt_switches");
    task.involuntary_switches = NumberOfLine(*text, "nonvoluntary_ctxt_switches");
  }
  return task;
}

absl::StatusOr<TaskWatch> TaskWatch::Start(uint32_t pid, const std::string& proc) {
  TaskWatch watch(absl::StrCat(proc, "/", pid));
  const auto process = ReadTaskNumbers(watch.directory_);
  if (!process.has_value()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat("process ", pid, ": no such process in ", proc));
  }
  watch.name_ = process->name;
  watch.begin_ = *process;
  watch.end_ = *process;
  watch.LookAtThreads(/*is_first=*/true);
  return watch;
}

void TaskWatch::Look() {
  if (has_ended_) return;
  const auto process = ReadTaskNumbers(directory_);
  if (!process.has_value() || process->start_ticks != begin_.start_ticks) {
    has_ended_ = true;
    for (auto& [number, thread] : threads_) thread.has_ended = true;
    return;
  }
  end_ = *process;
  LookAtThreads(/*is_first=*/false);
}

void TaskWatch::LookAtThreads(bool is_first) {
  std::set<uint32_t> seen;
  const std::vector<std::string> names = ListSysNames(directory_, "task");
  for (const std::string& name : names) {
    const auto number = NumberOf(name);
    if (!number.has_value() || *number > std::numeric_limits<uint32_t>::max()) continue;
    const auto id = static_cast<uint32_t>(*number);
    auto numbers = ReadTaskNumbers(absl::StrCat(directory_, "/task/", name));
    if (!numbers.has_value()) {
      if (is_first) unread_.insert(id);
      continue;
    }
    auto [at, is_new] = threads_.try_emplace(id);
    Watched& thread = at->second;
    if (!is_new && thread.end.start_ticks != numbers->start_ticks) {
      thread.has_ended = true;
      replaced_.push_back(std::exchange(thread, Watched()));
      is_new = true;
    }
    if (is_new) {
      thread.thread = id;
      // What a thread did before the first look is not known where that look could not read it.
      const bool may_be_old = is_first || unread_.erase(id) > 0;
      thread.begin = may_be_old ? *numbers : NumbersAtStart();
    }
    if (!IsOver(*numbers)) seen.insert(id);
    thread.end = *std::move(numbers);
  }
  if (names.empty()) return;  // not readable at this moment: a process has its first thread
  for (auto& [number, thread] : threads_) thread.has_ended = !seen.contains(number);
  has_ended_ = seen.empty() && IsOver(end_);
}

ProcessAccounts TaskWatch::Take() const {
  std::vector<Watched> all = replaced_;
  for (const auto& [number, thread] : threads_) all.push_back(thread);
  Counted counted;
  counted.Learn(end_);
  for (const Watched& watched : all) counted.Learn(watched.end);
  ProcessAccounts result;
  TaskAccount sum;
  for (const Watched& watched : all) {
    ThreadAccount thread = {watched.thread, watched.end.name, watched.has_ended,
                            Difference(watched.begin, watched.end, counted)};
    AddTo(thread.account.cpu_s, sum.cpu_s);
    AddTo(thread.account.wait_s, sum.wait_s);
    AddTo(thread.account.voluntary_switches, sum.voluntary_switches);
    AddTo(thread.account.involuntary_switches, sum.involuntary_switches);
    if (!DidSomething(thread.account)) {
      ++result.idle_threads;
      continue;
    }
    result.threads.push_back(std::move(thread));
  }
  std::stable_sort(result.threads.begin(), result.threads.end(),
                   [](const ThreadAccount& a, const ThreadAccount& b) {
                     return a.account.cpu_s.value_or(0) > b.account.cpu_s.value_or(0);
                   });
  // The schedstat and status of a process are those of its first thread.
  TaskNumbers begin = begin_;
  TaskNumbers end = end_;
  begin.run_ns = end.run_ns = std::nullopt;
  result.whole = Difference(begin, end, counted);
  // The sum is exact, but lacks threads that no look has seen. The ticks of the process have these,
  // but are up to a tick of user and one of system time too many.
  if (sum.cpu_s.has_value() &&
      result.whole.cpu_s.value_or(0) <= *sum.cpu_s + SecondsOfTicks(kTicksTooMany)) {
    result.whole.cpu_s = sum.cpu_s;
  }
  result.whole.wait_s = sum.wait_s;
  result.whole.voluntary_switches = sum.voluntary_switches;
  result.whole.involuntary_switches = sum.involuntary_switches;
  result.notes = NotesOfMissing(counted);
  return result;
}

}  // namespace pmdex
