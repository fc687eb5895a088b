#include "engine/store/placement/placement_options.h"

#include <sys/random.h>

#include <cerrno>

namespace pmdex {

absl::StatusOr<PlaceMark> NewPlaceMark() {
  PlaceMark mark;
  // getrandom returns so few bytes at once, or an error.
  if (getrandom(mark.data(), mark.size(), 0) != static_cast<ssize_t>(mark.size())) {
    return ErrnoStatus(errno, "draw the mark of a place");
  }
  return mark;
}

}  // namespace pmdex
