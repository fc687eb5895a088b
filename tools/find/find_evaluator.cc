#include "tools/find/find_evaluator.h"

#include <algorithm>

#include "engine/columns/column_key.h"
#include "engine/ingest/entries/path_parts.h"

namespace pmdex {
namespace {

uint32_t DepthOf(std::string_view below) {
  if (below.empty()) return 0;
  return 1 + static_cast<uint32_t>(std::count(below.begin(), below.end(), '/'));
}

// The keys of a column for the numbers of the range; none if low > high.
NumberRange KeysOf(const NumberRange& range, FieldType type) {
  if (type == FieldType::kU64) {
    return {std::max<__int128>(range.low, 0), std::min<__int128>(range.high, UINT64_MAX)};
  }
  const __int128 low = std::max<__int128>(range.low, INT64_MIN);
  const __int128 high = std::min<__int128>(range.high, INT64_MAX);
  if (low > high) return {};
  return {KeyOfI64(static_cast<int64_t>(low)), KeyOfI64(static_cast<int64_t>(high))};
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

void FindEvaluator::Begin(const StartingPoint& point) {
  point_ = &point;
  is_renamed_ = NameOfPath(point.given) != NameOfPath(point.root);
}

std::string_view FindEvaluator::BelowOf(uint32_t i) {
  window_->MoveTo(i);
  return point_->Below(window_->reader.path()).value_or(std::string_view());
}

std::string_view FindEvaluator::ShownOf(uint32_t i) {
  shown_.clear();
  point_->AppendShown(BelowOf(i), shown_);
  return shown_;
}

void FindEvaluator::Evaluate(const EntryWindow& entries) {
  window_ = &entries;
  if (segment_ != entries.segment) verdicts_.clear();
  segment_ = entries.segment;
  WindowBits within = entries.entries;
  if (command_.has_depth) RetainDepths(within);
  actions_.clear();
  Holds(*command_.expression, within);
  Act();
  status_.Update(entries.reader.status());
}

void FindEvaluator::RetainDepths(WindowBits& entries) {
  WindowBits kept;
  entries.ForEach([&](uint32_t i) {
    const uint32_t depth = DepthOf(BelowOf(i));
    if (depth >= command_.least_depth && depth <= command_.most_depth) kept.Set(i);
    return true;
  });
  entries = kept;
}

WindowBits FindEvaluator::Holds(const FindNode& node, const WindowBits& within) {
  WindowBits bits = within;
  switch (node.test) {
    case FindTest::kAnd:
      for (const auto& part : node.parts) bits = Holds(*part, bits);
      return bits;
    case FindTest::kOr: {
      WindowBits any;
      for (const auto& part : node.parts) {
        any.Or(Holds(*part, bits));
        bits.AndNot(any);
      }
      return any;
    }
    case FindTest::kNot:
      bits.AndNot(Holds(*node.parts[0], within));
      return bits;
    case FindTest::kTrue:
      return within;
    case FindTest::kFalse:
      return {};
    case FindTest::kPrint:
    case FindTest::kPrint0:
    case FindTest::kLs:
      actions_.push_back({node.test, within});
      return within;
    default:
      return HoldsTest(node, within);
  }
}

WindowBits FindEvaluator::HoldsTest(const FindNode& node, const WindowBits& within) {
  const auto is_text = [&](std::string_view text) { return text == node.text; };
  switch (node.test) {
    case FindTest::kName:
      return HoldsName(node, within);
    case FindTest::kPath:
      return HoldsEntry(within, [&](uint32_t i) { return node.glob.Matches(ShownOf(i)); });
    case FindTest::kNumber:
      return HoldsNumber(node, within);
    case FindTest::kUser:
      return HoldsKeyword(node, FileAttribute::kUser, within, is_text);
    case FindTest::kGroup:
      return HoldsKeyword(node, FileAttribute::kGroup, within, is_text);
    case FindTest::kPerm:
      return HoldsKeyword(node, FileAttribute::kMode, within, [&](std::string_view mode) {
        return node.mode.Holds(EntryReader::ModeOfText(mode));
      });
    case FindTest::kType:
      return HoldsKeyword(node, FileAttribute::kType, within, [&](std::string_view type) {
        return !type.empty() && node.text.find(type[0]) != std::string::npos;
      });
    case FindTest::kHasNoEntries:
      return HoldsEntry(within, [&](uint32_t i) { return HasNoEntries(i); });
    default:
      return {};
  }
}

// test: of the text of a keyword. It is asked once for each keyword of the segment.
template <typename Test>
WindowBits FindEvaluator::HoldsKeyword(const FindNode& node, FileAttribute attribute,
                                       const WindowBits& within, Test test) {
  AttributeColumn& column = window_->reader.Values(attribute);
  WindowBits kept;
  if (column.view() == nullptr) return kept;
  Verdicts& verdicts = verdicts_[&node];
  verdicts.resize(column.view()->keyword_count());
  within.ForEach([&](uint32_t i) {
    if (!column.Has(i)) return true;
    const uint64_t key = column.Key(i);
    if (key >= verdicts.size()) return true;  // in a damaged file
    if (verdicts[key] == Verdict::kUnknown) {
      const auto text = column.TextOfKey(key);
      status_.Update(text.status());
      verdicts[key] = text.ok() && test(*text) ? Verdict::kHolds : Verdict::kFails;
    }
    if (verdicts[key] == Verdict::kHolds) kept.Set(i);
    return true;
  });
  return kept;
}

template <typename Test>
WindowBits FindEvaluator::HoldsEntry(const WindowBits& within, Test test) {
  WindowBits kept;
  within.ForEach([&](uint32_t i) {
    if (test(i)) kept.Set(i);
    return true;
  });
  return kept;
}

// The attribute has the name but for the starting point, which may be written in another way, and
// where the index has a field of this name with another type.
WindowBits FindEvaluator::HoldsName(const FindNode& node, const WindowBits& within) {
  const auto matches = [&](std::string_view name) { return node.glob.Matches(name); };
  const AttributeColumn& names = window_->reader.Values(FileAttribute::kName);
  const auto is_shown_name = [&](uint32_t i) {
    return !names.Has(i) || (is_renamed_ && BelowOf(i).empty());
  };
  WindowBits by_path;
  const bool all_have_names =
      names.view() != nullptr && std::all_of(names.present().begin(), names.present().end(),
                                             [](uint64_t word) { return word == ~uint64_t{0}; });
  if (is_renamed_ || !all_have_names) by_path = HoldsEntry(within, is_shown_name);
  WindowBits others = within;
  others.AndNot(by_path);
  WindowBits kept = HoldsKeyword(node, FileAttribute::kName, others, matches);
  kept.Or(HoldsEntry(by_path, [&](uint32_t i) { return matches(NameOfPath(ShownOf(i))); }));
  return kept;
}

// A document without the number has 0.
WindowBits FindEvaluator::HoldsNumber(const FindNode& node, const WindowBits& within) {
  const AttributeColumn& column = window_->reader.Values(node.attribute);
  if (column.view() == nullptr) return node.range.Has(0) ? within : WindowBits();
  const NumberRange range = KeysOf(node.range, column.view()->type());
  WindowBits kept;
  if (range.low > range.high) return kept;
  const auto low = static_cast<uint64_t>(range.low);
  const uint64_t span = static_cast<uint64_t>(range.high) - low;
  const uint64_t* const keys = column.keys().data();
  for (size_t word = 0; word < kWindowWords; ++word) {
    if (within.words[word] == 0) continue;
    uint64_t bits = 0;
    for (size_t i = 0; i < 64; ++i) bits |= uint64_t{keys[word * 64 + i] - low <= span} << i;
    kept.words[word] = bits & within.words[word];
  }
  return kept;
}

bool FindEvaluator::HasNoEntries(uint32_t i) {
  window_->MoveTo(i);
  const auto is_filled = filled_.Contains(window_->reader.path());
  status_.Update(is_filled.status());
  return is_filled.ok() && !*is_filled;
}

// Entry by entry, and for each of them action by action, as find does.
void FindEvaluator::Act() {
  WindowBits all;
  for (const Action& action : actions_) all.Or(action.entries);
  const bool prints_alone = actions_.size() == 1 && actions_[0].action != FindTest::kLs;
  all.ForEach([&](uint32_t i) {
    const std::string_view below = BelowOf(i);
    if (index_.hides_some() && !index_.MayShow(window_->reader.path())) return true;
    if (prints_alone) {
      const size_t begin = output_.size();
      point_->AppendShown(below, output_);
      EndPrinted(actions_[0].action, begin);
      return true;
    }
    const std::string_view shown = ShownOf(i);
    for (const Action& action : actions_) {
      if ((action.entries.words[i / 64] >> (i % 64) & 1) != 0) Act(action.action, shown);
    }
    return true;
  });
}

void FindEvaluator::Act(FindTest action, std::string_view shown) {
  if (action == FindTest::kLs) return listing_.Append(window_->reader, shown, output_);
  const size_t begin = output_.size();
  output_ += shown;
  EndPrinted(action, begin);
}

// Ends a path that was appended to the output from `begin` on.
void FindEvaluator::EndPrinted(FindTest action, size_t begin) {
  if (action == FindTest::kPrint0) {
    output_ += '\0';
    return;
  }
  if (is_terminal_) {
    std::replace_if(output_.begin() + static_cast<ptrdiff_t>(begin), output_.end(), IsControl, '?');
  }
  output_ += '\n';
}

}  // namespace pmdex
