// Stands in for ICU's data where the program is linked with ICU's archive. ICU looks there for
// locales, converters and break rules; the properties of characters that pmdex asks for
// (engine/analysis/unicode.cc) are compiled into the archive, and the 30 MB are never looked at. A
// function of ICU that does need data finds no valid header here and returns an error.
#include <unicode/utypes.h>

extern "C" {
extern const char U_ICUDATA_ENTRY_POINT[64];
alignas(16) const char U_ICUDATA_ENTRY_POINT[64] = {};
}
