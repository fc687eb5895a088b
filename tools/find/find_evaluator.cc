#include "tools/find/find_evaluator.h"

#include <algorithm>
#include <utility>

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
  shown_prefix_ = point.given;
  stored_prefix_bytes_ = point.root.size();
  if (point.is_everything) return;
  if (!point.given.ends_with('/')) shown_prefix_ += '/';
  if (!point.root.ends_with('/')) ++stored_prefix_bytes_;
}

std::string_view FindEvaluator::PathOf(uint32_t i) {
  const auto path = paths_->TextOfKey(paths_->keys()[i]);
  if (path.ok()) return *path;
  status_.Update(path.status());
  return {};
}

bool FindEvaluator::IsRoot(uint32_t i) {
  if (window_->has_more_slashes) return BelowOf(i).empty();
  return paths_->keys()[i] == window_->keys.root;
}

void FindEvaluator::AppendShown(uint32_t i, std::string& text) {
  const std::string_view path = PathOf(i);
  if (are_shown_as_stored_) {
    text += path;
  } else if (window_->has_more_slashes || path.size() < stored_prefix_bytes_) {
    point_->AppendShown(BelowOf(i), text);
  } else {
    text += shown_prefix_;
    text += path.substr(stored_prefix_bytes_);
  }
}

std::string_view FindEvaluator::ShownOf(uint32_t i) {
  shown_.clear();
  AppendShown(i, shown_);
  return shown_;
}

void FindEvaluator::Evaluate(const EntryWindow& entries) {
  window_ = &entries;
  paths_ = &entries.reader.Values(FileAttribute::kPath);
  are_shown_as_stored_ =
      point_->is_everything || (!entries.has_more_slashes && point_->given == point_->root);
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
  const auto is_text = [&node](std::string_view text) { return text == node.text; };
  switch (node.test) {
    case FindTest::kName:
      return HoldsName(node, within);
    case FindTest::kPath:
      return HoldsPath(node, within);
    case FindTest::kNumber:
      return HoldsNumber(node, within);
    case FindTest::kUser:
      return HoldsText(node, FileAttribute::kUser, within, is_text);
    case FindTest::kGroup:
      return HoldsText(node, FileAttribute::kGroup, within, is_text);
    case FindTest::kPerm:
      return HoldsText(node, FileAttribute::kMode, within, [&node](std::string_view mode) {
        return node.mode.Holds(EntryReader::ModeOfText(mode));
      });
    case FindTest::kType:
      return HoldsText(node, FileAttribute::kType, within, [&node](std::string_view type) {
        return !type.empty() && node.text.find(type[0]) != std::string::npos;
      });
    case FindTest::kHasNoEntries:
      return HoldsEntry(within, [&](uint32_t i) { return HasNoEntries(i); });
    default:
      return {};
  }
}

template <typename Make>
WindowBits FindEvaluator::HoldsKeyword(const FindNode& node, FileAttribute attribute,
                                       const WindowBits& within, Make make) {
  AttributeColumn& column = window_->reader.Values(attribute);
  if (column.view() == nullptr) return {};
  WindowBits kept = within;
  for (size_t i = 0; i < kWindowWords; ++i) kept.words[i] &= column.present()[i];
  auto verdicts = verdicts_.find(&node);
  if (verdicts == verdicts_.end()) {
    absl::StatusOr<KeywordVerdicts> made = make(*column.view());
    status_.Update(made.status());
    if (!made.ok()) return {};
    verdicts = verdicts_.emplace(&node, *std::move(made)).first;
  }
  status_.Update(verdicts->second.Retain(column.keys(), kept));
  return kept;
}

WindowBits FindEvaluator::HoldsText(const FindNode& node, FileAttribute attribute,
                                    const WindowBits& within,
                                    std::function<bool(std::string_view)> test) {
  return HoldsKeyword(node, attribute, within, [&test](const ColumnView& column) {
    return KeywordVerdicts::Of(column, std::move(test));
  });
}

WindowBits FindEvaluator::HoldsGlob(const FindNode& node, FileAttribute attribute,
                                    const WindowBits& within) {
  return HoldsKeyword(node, attribute, within, [&node](const ColumnView& column) {
    return KeywordVerdicts::Of(column, node.glob);
  });
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
  const auto present = window_->reader.Values(FileAttribute::kName).present();
  WindowBits by_path;
  if (is_renamed_) by_path = HoldsEntry(within, [&](uint32_t i) { return IsRoot(i); });
  for (size_t i = 0; i < kWindowWords; ++i) by_path.words[i] |= within.words[i] & ~present[i];
  WindowBits others = within;
  others.AndNot(by_path);
  WindowBits kept = HoldsGlob(node, FileAttribute::kName, others);
  kept.Or(
      HoldsEntry(by_path, [&](uint32_t i) { return node.glob.Matches(NameOfPath(ShownOf(i))); }));
  return kept;
}

WindowBits FindEvaluator::HoldsPath(const FindNode& node, const WindowBits& within) {
  if (are_shown_as_stored_) return HoldsGlob(node, FileAttribute::kPath, within);
  return HoldsEntry(within, [&](uint32_t i) { return node.glob.Matches(ShownOf(i)); });
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
  if (actions_.size() == 1 && actions_[0].action != FindTest::kLs && !is_terminal_ &&
      !index_.hides_some() && !window_->has_more_slashes) {
    return PrintAll(all, actions_[0].action == FindTest::kPrint0 ? '\0' : '\n');
  }
  all.ForEach([&](uint32_t i) {
    window_->MoveTo(i);
    if (index_.hides_some() && !index_.MayShow(PathOf(i), window_->reader.type() == 'l')) {
      return true;
    }
    const std::string_view shown = ShownOf(i);
    for (const Action& action : actions_) {
      if ((action.entries.words[i / 64] >> (i % 64) & 1) != 0) Act(action.action, shown);
    }
    return true;
  });
}

// Copies the paths once their sizes are known. Requires that there are no more slashes.
void FindEvaluator::PrintAll(const WindowBits& entries, char end) {
  lines_.clear();
  const std::string_view prefix = are_shown_as_stored_ ? std::string_view() : shown_prefix_;
  const size_t skipped = are_shown_as_stored_ ? 0 : stored_prefix_bytes_;
  size_t size_bytes = 0;
  entries.ForEach([&](uint32_t i) {
    if (paths_->keys()[i] == window_->keys.root) {
      output_ += point_->given;
      output_ += end;
      return true;
    }
    std::string_view path = PathOf(i);
    path.remove_prefix(std::min(skipped, path.size()));  // in a damaged file it may be shorter
    size_bytes += prefix.size() + path.size() + 1;
    lines_.push_back(path);
    return true;
  });
  const size_t begin = output_.size();
  output_.resize(begin + size_bytes);
  char* next = output_.data() + begin;
  for (const std::string_view line : lines_) {
    next = std::copy(prefix.begin(), prefix.end(), next);
    next = std::copy(line.begin(), line.end(), next);
    *next++ = end;
  }
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
