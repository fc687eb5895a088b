// The command `pmdex doctor` (doctor.h).
#include "tools/command.h"
#include "tools/doctor.h"
#include "tools/output.h"

namespace pmdex {

void AddDoctorCommand(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "show what this machine and PATH provide, and what to fix");
  command
      ->add_option("path", options->path,
                   "a directory (default: /mnt/pmem if there is one, else .)")
      ->type_name("PATH");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer(
      "Exit status:\n"
      "  0  the report is complete, whatever it says\n"
      "  1  PATH does not exist or cannot be examined\n"
      "  2  wrong usage");
  command->callback([options, &invocation] {
    invocation.run = [options]() -> absl::StatusOr<int> {
      PMDEX_ASSIGN_OR_RETURN(const std::string text, RunDoctor(*options));
      WriteOutput(text);
      if (!text.ends_with('\n')) WriteOutput("\n");
      return kExitDone;
    };
  });
}

}  // namespace pmdex
