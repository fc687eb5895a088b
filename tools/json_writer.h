// Writes one JSON document into a string, for the --json flag of all commands. It handles commas
// and nesting; each command defines its own keys.
//
//   JsonWriter json;
//   json.BeginObject().Key("hits").Uint(3).Key("ids").BeginArray().String("a").EndArray().EndObject();
//   puts(json.result().c_str());
//
// Text may be any bytes: what is not UTF-8 becomes U+FFFD, or \xHH where it is a part of a name, so
// the document is always valid. The document is compact, on one line. Wrong nesting is a broken
// invariant (PMDEX_CHECK). For one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace pmdex {

class JsonWriter {
 public:
  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);  // inside an object; one value must follow

  JsonWriter& String(std::string_view text);
  // Names of files, ids and keywords, which tell things apart: EscapeBadUtf8 of the text.
  JsonWriter& Name(std::string_view text);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  JsonWriter& Double(double value);  // shortest text that reads back equal; NaN and infinity: null
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  JsonWriter& Raw(std::string_view json);  // a value as it stands; requires valid JSON

  // The text so far. It is a whole document once every Begin has its End.
  const std::string& result() const { return result_; }
  // Returns the text since the last call, so that a large document need not be whole in memory.
  std::string TakeText() { return std::exchange(result_, {}); }

 private:
  void BeforeValue();
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char opening, char closing);
  void AppendQuoted(std::string_view text);

  std::string result_;
  std::string open_;          // the brackets that are open, outermost first
  bool needs_comma_ = false;  // the next value follows a sibling
  bool after_key_ = false;    // a key was written, and its value must follow
};

// The text with each ill-formed part replaced by U+FFFD: one for each maximal subpart, as Unicode
// recommends (section 3.9, "U+FFFD Substitution of Maximal Subparts").
std::string ToValidUtf8(std::string_view text);

// The text with each byte of an ill-formed part replaced by \x and two hexadecimal digits, as
// Printable does (printable.h): names that differ in such a byte stay different. Valid UTF-8 stays
// as it is, control characters and backslashes too.
std::string EscapeBadUtf8(std::string_view text);

}  // namespace pmdex
