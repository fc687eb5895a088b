// Writes the man pages and the shell completions into a directory. The build runs this program.
//   pmdex_manual DIRECTORY
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "tools/command_reference.h"
#include "tools/manual/completion.h"
#include "tools/manual/man_page.h"
#include "tools/run_pmdex.h"

namespace pmdex {
namespace {

bool Write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "pmdex_manual: error: cannot write %s\n", path.c_str());
  return file.good();
}

int WriteManual(const std::filesystem::path& directory) {
  Invocation invocation;
  CLI::App app;
  DefineCommandLine(app, invocation);
  const CommandReference program = DescribeCommand(app);
  const std::filesystem::path pages = directory / "man1";
  bool written = Write(pages / ManPageName(program), RenderManPage(program, PMDEX_VERSION));
  for (const CommandReference& command : program.commands) {
    written = Write(pages / ManPageName(command), RenderManPage(command, PMDEX_VERSION)) && written;
  }
  written = Write(directory / "bash" / "pmdex", RenderBashCompletion(program)) && written;
  written = Write(directory / "zsh" / "_pmdex", RenderZshCompletion(program)) && written;
  written = Write(directory / "fish" / "pmdex.fish", RenderFishCompletion(program)) && written;
  return written ? 0 : 1;
}

}  // namespace
}  // namespace pmdex

int main(int argc, char** argv) {
  if (argc == 2) return pmdex::WriteManual(argv[1]);
  std::fputs("usage: pmdex_manual DIRECTORY\n", stderr);
  return 2;
}
