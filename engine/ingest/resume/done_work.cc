#include "engine/ingest/resume/done_work.h"

#include <iterator>
#include <utility>

namespace pmdex {
namespace {

template <typename T>
void Append(std::vector<T>& to, std::vector<T>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
}

}  // namespace

void DoneWork::AddFile(uint64_t ordinal, uint64_t input, std::string_view path) {
  if (!files.empty() && files.back().last_ordinal + 1 == ordinal) {
    files.back().last_ordinal = ordinal;
    files.back().last.input = input;
    files.back().last.path.assign(path);
  } else {
    const WalkPosition position = {input, std::string(path)};
    files.push_back({ordinal, ordinal, position, position});
  }
}

void DoneWork::Add(DoneWork&& other) {
  documents += other.documents;
  tokens += other.tokens;
  bytes_in += other.bytes_in;
  Append(segment_ids, std::move(other.segment_ids));
  Append(orders, std::move(other.orders));
  MergeProblems(other.problems, problems);
  for (const auto& [name, count] : other.bad_values) bad_values[name] += count;
  Append(files, std::move(other.files));
  Append(bytes, std::move(other.bytes));
}

}  // namespace pmdex
