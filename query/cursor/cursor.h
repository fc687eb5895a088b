// A cursor walks the documents of one segment that match a part of a query, in docid order. The
// planner's tree becomes a tree of cursors for each segment, and an algorithm walks its root.
//
// What every cursor promises, whatever its kind:
//   new          It stands on its first document, or at the end if there is none.
//   doc()        The document on which it stands; kEndOfDocs at the end. Costs nothing.
//   Next()       Moves to the following document. At the end it stays there.
//   Seek(t)      Moves to the first document >= t. Never moves back: t <= doc() moves nothing and
//                returns doc(). Seek(kEndOfDocs) moves to the end.
//   Score()      The score of doc(). Must not be called at the end. A second call returns the same.
//                May move inner cursors of optional clauses, but never doc().
//   Cost()       About how many documents follow at most. Only used to order conjunctions.
//
// Mapped bytes are not trusted. A docid that is out of range or out of order is reported in the
// context's damage and ends the cursor, so a walk always ends. Check the damage after the walk.
//
// Cursors, leaves and sets have the deleted documents, too. What makes hits of documents or counts
// them leaves those out that CursorContext::IsLive refuses.
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
#include "engine/segment/live_docs.h"
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

// The state that the cursors of one walk share. For one thread.
struct CursorContext {
  uint32_t doc_count = 0;  // of the segment
  std::string_view file_name;
  absl::Status damage;  // the first damage that was found; OK if there was none
  Deadline deadline = std::nullopt;
  // The deadline came. Cursors, lists and sets opened since are incomplete or wrong, so only
  // documents that were found before count.
  bool timed_out = false;
  uint64_t work_left = 0;               // before the next look at the clock
  const LiveDocs* live_docs = nullptr;  // of the segment; nullptr if no document is deleted
  uint64_t segment_id = 0;              // for live_docs->counts()

  // True if the document is not deleted. Requires a document of the segment.
  bool IsLive(DocId doc) const { return pmdex::IsLive(live_docs, doc); }

  // Like DeadlineWatch::IsOver, for all cursors that share the context.
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
  // The same for an error that already names the file.
  void ReportDamage(absl::Status status) {
    if (damage.ok()) damage = std::move(status);
  }
};

}  // namespace pmdex
