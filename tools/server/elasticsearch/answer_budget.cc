#include "tools/server/elasticsearch/answer_budget.h"

#include "absl/strings/str_cat.h"

namespace pmdex {

bool AnswerBudget::Take(uint64_t bytes) {
  if (!status_.ok()) return false;
  if (bytes > bytes_left_) {
    status_ =
        absl::OutOfRangeError(absl::StrCat("the answer would be larger than ", bytes_, " bytes"));
  } else if (IsPast(deadline_)) {
    status_ = absl::DeadlineExceededError("the deadline came while the answer was written");
  } else {
    bytes_left_ -= bytes;
  }
  return status_.ok();
}

}  // namespace pmdex
