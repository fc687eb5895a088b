// Decides when an answer is made which of its documents it may show. Thread-safe.
#pragma once

#include <string_view>

namespace pmdex {

class HitCheck {
 public:
  virtual ~HitCheck() = default;
  // id: of a document.
  virtual bool MayShow(std::string_view id) const = 0;
};

}  // namespace pmdex
