#include "engine/ingest/entries/path_parts.h"

#include <algorithm>
#include <iterator>

namespace pmdex {
namespace {

struct MimeType {
  std::string_view extension;
  std::string_view type;
};

// In the order of their extensions. The names are those of Debian's /etc/mime.types.
constexpr MimeType kMimeTypes[] = {
    {"bash", "application/x-sh"},
    {"bib", "text/x-bibtex"},
    {"bz2", "application/x-bzip2"},
    {"c", "text/x-csrc"},
    {"cc", "text/x-c++src"},
    {"cpp", "text/x-c++src"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"cxx", "text/x-c++src"},
    {"diff", "text/x-diff"},
    {"eml", "message/rfc822"},
    {"gz", "application/gzip"},
    {"h", "text/x-chdr"},
    {"hh", "text/x-c++hdr"},
    {"hpp", "text/x-c++hdr"},
    {"hs", "text/x-haskell"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"ics", "text/calendar"},
    {"java", "text/x-java"},
    {"js", "application/javascript"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"log", "text/plain"},
    {"md", "text/markdown"},
    {"patch", "text/x-diff"},
    {"pl", "text/x-perl"},
    {"pm", "text/x-perl"},
    {"ps", "application/postscript"},
    {"py", "text/x-python"},
    {"rtf", "application/rtf"},
    {"sgml", "text/sgml"},
    {"sh", "application/x-sh"},
    {"sql", "application/sql"},
    {"svg", "image/svg+xml"},
    {"tcl", "text/x-tcl"},
    {"tex", "text/x-tex"},
    {"tsv", "text/tab-separated-values"},
    {"txt", "text/plain"},
    {"vcf", "text/vcard"},
    {"xht", "application/xhtml+xml"},
    {"xhtml", "application/xhtml+xml"},
    {"xml", "application/xml"},
    {"xsl", "application/xslt+xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zst", "application/zstd"},
};

std::string_view WithoutSlashes(std::string_view path) {
  const size_t end = path.find_last_not_of('/');
  return end == std::string_view::npos ? path.substr(0, 1) : path.substr(0, end + 1);
}

}  // namespace

std::string_view NameOfPath(std::string_view path) {
  path = WithoutSlashes(path);
  if (path == "/") return path;
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view DirectoryOfPath(std::string_view path) {
  path = WithoutSlashes(path);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return WithoutSlashes(path.substr(0, slash + 1));
}

std::string ExtensionOf(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return "";
  std::string extension(name.substr(dot + 1));
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return extension;
}

std::string_view MimeTypeOf(std::string_view extension) {
  const auto* const found = std::lower_bound(
      std::begin(kMimeTypes), std::end(kMimeTypes), extension,
      [](const MimeType& type, std::string_view name) { return type.extension < name; });
  const bool is_known = found != std::end(kMimeTypes) && found->extension == extension;
  return is_known ? found->type : std::string_view();
}

}  // namespace pmdex
