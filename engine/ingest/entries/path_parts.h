// The parts of a path that are attributes of a document. Pure functions on bytes.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

// Behind the last slash; slashes at the end do not count. "/" for the root.
std::string_view NameOfPath(std::string_view path);
// Without a slash at its end. "." where the path has no directory, "/" for what is in the root and
// for the root itself.
std::string_view DirectoryOfPath(std::string_view path);
// In lower case and without its dot; empty for names without one, and for names such as ".bashrc".
std::string ExtensionOf(std::string_view name);
// By the extension in lower case; empty for those that are not known.
std::string_view MimeTypeOf(std::string_view extension);

}  // namespace pmdex
