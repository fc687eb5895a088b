// Walking the documents of one segment that match a part of a query, in docid order. The planner's
// tree becomes a tree of cursors for each segment; an algorithm walks the root.
//
// What every cursor promises, whatever its kind:
//   new          It stands on its first document, or at the end when there is none.
//   doc()        Where it stands; kEndOfDocs at the end. Costs nothing, moves nothing.
//   Next()       To the following document. At the end it stays there, however often it is called.
//   Seek(t)      To the first document >= t that is not behind it. t <= doc() moves nothing: a
//                cursor never goes back, so a target out of order just returns doc().
//                Seek(kEndOfDocs) goes to the end.
//   Score()      Of the document it stands on; not at the end. Twice gives the same. May move
//                cursors of optional clauses inside, never doc().
//   Cost()       At most about this many documents follow; orders conjunctions, promises nothing.
//
// Mapped bytes are not trusted: a docid that is out of range or out of order is put down in the
// context's damage and ends the cursor, so a walk always terminates. Look at the damage at its end.
//
// A cursor belongs to one thread and reads views of the segment, which must outlive it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/segment/format.h"
#include "pmem/status.h"
#include "query/deadline.h"

namespace pmdex {

inline constexpr DocId kEndOfDocs = 0xffffffff;
static_assert(kMaxDocsPerSegment < kEndOfDocs);

template <typename C>
concept DocIterator = requires(C& cursor, const C& constant, DocId target) {
  { constant.doc() } -> std::same_as<DocId>;
  { cursor.Next() } -> std::same_as<DocId>;  // doc() after the move
  { cursor.Seek(target) } -> std::same_as<DocId>;
  { constant.Cost() } -> std::same_as<uint64_t>;
};

template <typename C>
concept ScoringDocIterator = DocIterator<C> && requires(C& cursor) {
  { cursor.Score() } -> std::same_as<float>;
};

// The same promises behind virtual calls, for trees whose shape is known at run time only.
class DocCursor {
 public:
  virtual ~DocCursor() = default;
  DocId doc() const { return doc_; }
  virtual DocId Next() = 0;
  virtual DocId Seek(DocId target) = 0;
  virtual float Score() = 0;
  virtual uint64_t Cost() const = 0;

 protected:
  DocId doc_ = kEndOfDocs;  // kept true by every move
};
static_assert(ScoringDocIterator<DocCursor>);

using CursorPointer = std::unique_ptr<DocCursor>;

// What the cursors of one walk share.
struct CursorContext {
  uint32_t doc_count = 0;  // of the segment
  std::string_view file_name;
  absl::Status damage;  // the first thing found wrong; OK as long as nothing was
  Deadline deadline = std::nullopt;
  // The deadline came: what was opened, found or expanded since is less than it should be, or
  // wrong, and no document counts that was not known before.
  bool timed_out = false;
  uint64_t work_left = 0;  // before the next look at the clock

  // As DeadlineWatch::IsOver, for all that share the context.
  bool IsOver(uint64_t work) {
    if (work_left > work) {
      work_left -= work;
    } else {
      work_left = DeadlineWatch::kWorkPerLook;
      timed_out = timed_out || IsPast(deadline);
    }
    return timed_out;
  }

  void ReportDamage(std::string_view what) {
    if (damage.ok()) damage = DataLoss(std::string(file_name) + ": " + std::string(what));
  }
  // The same of an error that already says where.
  void ReportDamage(absl::Status status) {
    if (damage.ok()) damage = std::move(status);
  }
};

}  // namespace pmdex
