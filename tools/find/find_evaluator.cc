#include "tools/find/find_evaluator.h"

#include <charconv>

#include "engine/ingest/entries/path_parts.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

bool Compares(Comparison comparison, uint64_t value, uint64_t number) {
  switch (comparison) {
    case Comparison::kLess:
      return value < number;
    case Comparison::kGreater:
      return value > number;
    case Comparison::kEqual:
      break;
  }
  return value == number;
}

uint64_t SizeInUnits(EntryReader& reader, uint64_t unit_bytes) {
  const auto size_bytes = static_cast<uint64_t>(reader.number(FileAttribute::kSize));
  return size_bytes / unit_bytes + (size_bytes % unit_bytes == 0 ? 0 : 1);
}

std::string_view PathWithoutSlashes(std::string_view path) {
  const size_t end = path.find_last_not_of('/');
  return end == std::string_view::npos ? path.substr(0, 1) : path.substr(0, end + 1);
}

}  // namespace

bool FindEvaluator::IsEmpty(EntryReader& reader) const {
  const char type = reader.type();
  if (type == 'f') return reader.number(FileAttribute::kSize) == 0;
  return type == 'd' && !filled_.contains(ToAbsl(PathWithoutSlashes(reader.path())));
}

bool FindEvaluator::HoldsTime(const FindNode& node, EntryReader& reader) {
  const int64_t time_ns = reader.number(FileAttribute::kMtime);
  switch (node.comparison) {
    case Comparison::kLess:
      return time_ns < node.time_ns;
    case Comparison::kGreater:
      return time_ns > node.time_ns;
    case Comparison::kEqual:
      break;
  }
  return time_ns > node.time_ns && static_cast<__int128>(time_ns) - node.time_ns <= node.window_ns;
}

// A name, as it was when the entry was indexed; a number if no name is equal to it.
bool FindEvaluator::HoldsAccount(const FindNode& node, EntryReader& reader) {
  const bool is_user = node.test == FindTest::kUser;
  const auto name = is_user ? FileAttribute::kUser : FileAttribute::kGroup;
  if (reader.Has(name) && reader.text(name) == node.text) return true;
  int64_t number = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [parsed, error] = std::from_chars(node.text.data(), end, number);
  if (error != std::errc() || parsed != end) return false;
  return reader.number(is_user ? FileAttribute::kUid : FileAttribute::kGid) == number;
}

void FindEvaluator::Print(std::string_view shown) {
  const size_t begin = output_.size();
  output_ += shown;
  for (size_t i = begin; is_terminal_ && i < output_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(output_[i]);
    if (byte < 0x20 || byte == 0x7f) output_[i] = '?';
  }
}

bool FindEvaluator::Holds(const FindNode& node, EntryReader& reader, std::string_view shown) {
  switch (node.test) {
    case FindTest::kAnd:
      return Holds(*node.left, reader, shown) && Holds(*node.right, reader, shown);
    case FindTest::kOr:
      return Holds(*node.left, reader, shown) || Holds(*node.right, reader, shown);
    case FindTest::kNot:
      return !Holds(*node.left, reader, shown);
    case FindTest::kTrue:
      return true;
    case FindTest::kFalse:
      return false;
    case FindTest::kName:
      return node.glob.Matches(NameOfPath(shown));
    case FindTest::kPath:
      return node.glob.Matches(shown);
    case FindTest::kSize:
      return Compares(node.comparison, SizeInUnits(reader, node.unit_bytes), node.number);
    case FindTest::kTime:
      return HoldsTime(node, reader);
    case FindTest::kNumber:
      return Compares(node.comparison, static_cast<uint64_t>(reader.number(node.attribute)),
                      node.number);
    case FindTest::kUser:
    case FindTest::kGroup:
      return HoldsAccount(node, reader);
    case FindTest::kPerm:
      return node.mode.Holds(reader.mode(), reader.type() == 'd');
    case FindTest::kType:
      return node.text.find(reader.type()) != std::string::npos;
    case FindTest::kEmpty:
      return IsEmpty(reader);
    case FindTest::kPrint:
      Print(shown);
      output_ += '\n';
      return true;
    case FindTest::kPrint0:
      output_ += shown;
      output_ += '\0';
      return true;
    case FindTest::kLs:
      listing_.Append(reader, shown, output_);
      return true;
  }
  return false;
}

}  // namespace pmdex
