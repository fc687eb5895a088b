// The search page for people, at "/". It is one file without external resources. Thread-safe.
#pragma once

#include "tools/server/http/http_message.h"

namespace pmdex {

// The page with a Content-Security-Policy that lets the browser run its own script only.
HttpResponse SearchPage();

}  // namespace pmdex
