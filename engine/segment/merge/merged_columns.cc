#include "engine/segment/merge/merged_columns.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr DocId kDocsBetweenChecks = 1 << 14;

absl::Status Cancelled() {
  return MakeStatus(absl::StatusCode::kCancelled, "the merge was cancelled");
}

}  // namespace

MergedColumns::MergedColumns(std::span<const MergeSource> sources, const MergedDocs& docs,
                             const std::function<bool()>& stop)
    : sources_(sources), docs_(docs), stop_(stop) {
  std::map<std::string_view, std::vector<const ColumnView*>> by_name;
  for (size_t i = 0; i < sources.size(); ++i) {
    for (const ColumnView& view : sources[i].segment->columns()) {
      auto& views = by_name[view.name()];
      views.resize(sources.size(), nullptr);
      views[i] = &view;
    }
  }
  for (auto& [name, views] : by_name) columns_.push_back({std::string(name), std::move(views)});
}

FieldType MergedColumns::TypeOf(const Column& column) const {
  for (const ColumnView* const view : column.views) {
    if (view != nullptr) return view->type();
  }
  PMDEX_CHECK(false);
  return FieldType::kText;
}

absl::Status MergedColumns::Check() const {
  for (const Column& column : columns_) {
    for (const ColumnView* const view : column.views) {
      if (view == nullptr || view->type() == TypeOf(column)) continue;
      return InvalidArgument(
          absl::StrCat("the field ", column.name, " has different types in the segments to merge"));
    }
  }
  return absl::OkStatus();
}

bool MergedColumns::IsStopped(DocId doc) const {
  return doc % kDocsBetweenChecks == 0 && stop_ && stop_();
}

absl::Status MergedColumns::CopyInOrder(Copiers& copiers) const {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (!copiers[i].has_value()) continue;
    for (DocId doc = 0; doc < sources_[i].segment->doc_count(); ++doc) {
      if (IsStopped(doc)) return Cancelled();
      const DocId to = docs_.New(i, doc);
      if (to != MergedDocs::kDeleted) PMDEX_RETURN_IF_ERROR(copiers[i]->Copy(doc, to));
    }
  }
  return absl::OkStatus();
}

absl::Status MergedColumns::CopyPermuted(Copiers& copiers) const {
  MergedDocs::Place place;
  for (DocId to = 0; to < docs_.count(); ++to) {
    if (IsStopped(to)) return Cancelled();
    place = docs_.PlaceOf(to, place);
    if (!copiers[place.source].has_value()) continue;
    PMDEX_RETURN_IF_ERROR(copiers[place.source]->Copy(place.doc, to));
  }
  return absl::OkStatus();
}

absl::StatusOr<const ColumnBuilder*> MergedColumns::Load(size_t index) {
  if (loaded_index_ == index) return &*loaded_;
  loaded_index_.reset();
  const Column& column = columns_[index];
  ColumnBuilder& target = loaded_.emplace(column.name, TypeOf(column));
  Copiers copiers(sources_.size());
  uint64_t values = 0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (column.views[i] == nullptr) continue;
    copiers[i].emplace(*column.views[i], target);
    values += column.views[i]->value_count();
  }
  target.Reserve(values);
  PMDEX_RETURN_IF_ERROR(docs_.is_permuted() ? CopyPermuted(copiers) : CopyInOrder(copiers));
  target.Freeze();
  loaded_index_ = index;
  return &target;
}

}  // namespace pmdex
