// pmdex doctor: what this machine and a path offer.
#include "tools/command.h"
#include "tools/doctor.h"
#include "tools/output.h"

namespace pmdex {

void AddDoctorCommand(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "what this machine and PATH offer, and what to mend");
  command
      ->add_option("path", options->path,
                   "a directory (default: /mnt/pmem when there is one, else .)")
      ->type_name("PATH");
  command->add_flag("--json", options->json, "one JSON document on stdout");
  command->footer(
      "Exit status:\n"
      "  0  told, whatever it found\n"
      "  1  PATH could not be looked at\n"
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
