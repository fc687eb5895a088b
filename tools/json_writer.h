// Writes one JSON document into a string: what every command's --json prints. It knows the grammar
// (commas, nesting), not the shapes; those stand in each command.
//
//   JsonWriter json;
//   json.BeginObject().Key("hits").Uint(3).Key("ids").BeginArray().String("a").EndArray().EndObject();
//   puts(json.result().c_str());
//
// Any bytes are accepted as text: what is not UTF-8 becomes U+FFFD, so the document always parses.
// Output is compact, on one line. Wrong nesting is a broken invariant (PMDEX_CHECK). Not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pmdex {

class JsonWriter {
 public:
  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);  // inside an object; one value must follow

  JsonWriter& String(std::string_view text);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  JsonWriter& Double(double value);  // shortest text that reads back equal; NaN and infinity: null
  JsonWriter& Bool(bool value);
  JsonWriter& Null();

  // The text so far; a whole document once every Begin has its End.
  const std::string& result() const { return result_; }

 private:
  void BeforeValue();
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char opening, char closing);
  void AppendQuoted(std::string_view text);

  std::string result_;
  std::string open_;          // the brackets that are open, outermost first
  bool needs_comma_ = false;  // a sibling stands before what comes next
  bool after_key_ = false;    // a key waits for its value
};

// `text` with every ill-formed part replaced by U+FFFD, one for each maximal subpart as Unicode
// recommends (section 3.9, "U+FFFD Substitution of Maximal Subparts").
std::string ToValidUtf8(std::string_view text);

}  // namespace pmdex
