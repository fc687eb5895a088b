// How long does a command take from exec to its end, and how much of that does the system cost?
//
//   build/bench/first_answer [--runs N] COMMAND [ARGUMENT...]
//
// Starts the command N times (default 200), one after the other, discards its output, and prints
// the wall time, CPU time and page faults of the process. `first_answer /bin/true` measures the
// least that a process costs on this machine.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Run {
  double wall_ms;
  double cpu_ms;
  long faults;
};

double Milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

// Ends this program if the command cannot be started or fails.
Run RunOnce(char** command, const posix_spawn_file_actions_t& redirect) {
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int error = posix_spawnp(&child, command[0], &redirect, nullptr, command, environ);
  int status = 0;
  rusage usage;
  if (error != 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fprintf(stderr, "first_answer: %s: %s, status %d\n", command[0], std::strerror(error),
                 status);
    std::exit(1);
  }
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime),
          usage.ru_minflt + usage.ru_majflt};
}

double Quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(fraction * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 200;
  char** command = argv + 1;
  if (argc > 2 && std::strcmp(command[0], "--runs") == 0) {
    runs = std::atoi(command[1]);
    command += 2;
  }
  if (command[0] == nullptr || runs < 1) {
    std::fprintf(stderr, "usage: first_answer [--runs N] COMMAND [ARGUMENT...]\n");
    return 2;
  }
  posix_spawn_file_actions_t redirect;
  posix_spawn_file_actions_init(&redirect);
  posix_spawn_file_actions_addopen(&redirect, 1, "/dev/null", O_WRONLY, 0);
  RunOnce(command, redirect);  // fills the page cache
  std::vector<double> wall;
  std::vector<double> cpu;
  long faults = 0;
  for (int i = 0; i < runs; ++i) {
    const Run run = RunOnce(command, redirect);
    wall.push_back(run.wall_ms);
    cpu.push_back(run.cpu_ms);
    faults = run.faults;
  }
  posix_spawn_file_actions_destroy(&redirect);
  std::printf(
      "%d runs, ms: least %.2f, quartile %.2f, median %.2f, 90th %.2f; CPU %.2f; %ld page faults\n",
      runs, Quantile(wall, 0), Quantile(wall, 0.25), Quantile(wall, 0.5), Quantile(wall, 0.9),
      Quantile(cpu, 0.5), faults);
  return 0;
}
