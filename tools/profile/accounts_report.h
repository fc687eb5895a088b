// Presents what the kernel keeps of the threads of a process, for process_report.h. Thread-safe: no
// state.
#pragma once

#include "tools/json_writer.h"
#include "tools/profile/task_accounts.h"
#include "tools/report/report_table.h"

namespace pmdex {

// A row for the whole process and one for each thread. A column that the kernel tells of none of
// them is left out, and a cell that it does not tell is empty.
ReportTable AccountsTable(const ProcessAccounts& accounts);

// "process", "threads" and "idle_threads": keys of the object that is open. What the kernel does
// not tell has no key.
void WriteAccounts(const ProcessAccounts& accounts, JsonWriter& json);

}  // namespace pmdex
