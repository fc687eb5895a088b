// Replaces the data of ICU (30 MB of locales, converters and break rules) in a program that is
// linked with ICU's archive. pmdex only asks for properties of characters
// (engine/analysis/unicode.cc), which are compiled into the archive's code. A function of ICU that
// needs the data finds no valid header here and returns an error.
#include <unicode/utypes.h>

extern "C" {
extern const char U_ICUDATA_ENTRY_POINT[64];
alignas(16) const char U_ICUDATA_ENTRY_POINT[64] = {};
}
