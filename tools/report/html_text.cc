#include "tools/report/html_text.h"

#include "tools/json_writer.h"

namespace pmdex {

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : ToValidUtf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        escaped += is_control ? ' ' : c;
    }
  }
  return escaped;
}

}  // namespace pmdex
