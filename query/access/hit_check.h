// Decides when an answer is made which of its documents it may show. Thread-safe.
#pragma once

#include <string_view>

namespace pmdex {

class HitCheck {
 public:
  virtual ~HitCheck() = default;
  // id: of a document. is_link: the document is a symbolic link itself, and not what is behind it.
  virtual bool MayShow(std::string_view id, bool is_link) const = 0;
};

}  // namespace pmdex
