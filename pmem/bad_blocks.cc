#include "pmem/bad_blocks.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "pmem/pmem2_library.h"
#include "pmem/sysfs.h"

namespace pmdex {
namespace {

absl::Status AskError(const Pmem2Library& library) {
  return MakeStatus(absl::StatusCode::kUnimplemented,
                    absl::StrCat("list of bad blocks: ", library.errormsg()));
}

}  // namespace

bool DeviceHasBadBlocks(dev_t device, std::string_view root) {
  const std::string path = absl::StrCat("sys/dev/block/", major(device), ":", minor(device));
  std::optional<std::string> list = ReadSysText(root, path + "/badblocks");
  // A partition has no list of its own. The list of the whole device may have blocks outside of the
  // partition; then libpmem2 is asked in vain.
  if (!list.has_value()) list = ReadSysText(root, path + "/../badblocks");
  return list.has_value() && !list->empty();
}

absl::StatusOr<std::vector<BadBlock>> KnownBadBlocks(int fd, dev_t device, std::string_view root) {
  std::vector<BadBlock> blocks;
  if (!DeviceHasBadBlocks(device, root)) return blocks;
  PMDEX_ASSIGN_OR_RETURN(const Pmem2Library* const library, LoadPmem2());
  pmem2_source* source = nullptr;
  pmem2_badblock_context* context = nullptr;
  const auto release = absl::MakeCleanup([&] {
    if (context != nullptr) library->badblock_context_delete(&context);
    if (source != nullptr) library->source_delete(&source);
  });
  if (library->source_from_fd(&source, fd) != 0) return AskError(*library);
  if (library->badblock_context_new(&context, source) != 0) return AskError(*library);
  pmem2_badblock block;
  int result = 0;
  while ((result = library->badblock_next(context, &block)) == 0) {
    blocks.push_back({block.offset, block.length});
  }
  if (result != PMEM2_E_NO_BAD_BLOCK_FOUND) return AskError(*library);
  std::sort(blocks.begin(), blocks.end(),
            [](const BadBlock& a, const BadBlock& b) { return a.offset < b.offset; });
  return blocks;
}

}  // namespace pmdex
