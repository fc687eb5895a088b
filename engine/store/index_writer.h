// Writes an index. Only one process can have a writer of an index at a time. Several threads may
// write segments at the same time. All of them become visible to readers at Publish; segments that
// were never published are removed.
//
// A long build makes its work durable before Publish. It calls StartBuild once, and Checkpoint from
// time to time. Each Checkpoint publishes a manifest that lists the segments so far as pending,
// with the progress of the build. Readers do not see pending segments. After a crash OpenToResume
// goes on with them.
//
// A build that is to be searched while it runs calls PublishPart instead of Checkpoint: readers see
// the segments at once, and the build goes on. What is published stays in the index, even if the
// build is never finished.
//
// Publish also makes deletions visible: new segments and the deletions that they cause, as when a
// document replaces an older one, are one generation.
//
// Any thread may call WriteSegment. Only one thread at a time may call Checkpoint or PublishPart.
// No other function may run at the same time as these.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_segment.h"
#include "engine/store/deletions/pending_deletions.h"
#include "engine/store/manifest.h"
#include "engine/store/merging/merge_request.h"
#include "engine/store/own_files.h"
#include "engine/store/placement/place_choice.h"
#include "engine/store/placement/placement_options.h"
#include "engine/store/placement/writable_places.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

// The property that says which build was finished last. Its value is EncodeBuild(mode, options).
inline constexpr char kBuildProperty[] = "build";
std::string EncodeBuild(OpenMode mode, const std::string& options);

class IndexWriter {
 public:
  // Takes the writer lock, makes the newest generation durable in case its writer was killed before
  // it did, and removes files of earlier writers that no manifest lists. New files get the group
  // and the mode of the newest manifest (Directory::TakeAccessOf). If the directory was opened with
  // a mode, all files of the index get that mode instead. The directory must outlive the writer.
  //
  // Returns kUnavailable if another process holds the lock; kDataLoss if the newest manifest is
  // damaged and the mode is not kOverwrite; and kFailedPrecondition, before it changes anything, if
  // the directory contains other files than an index (own_files.h). OpenMode says what else.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> Open(Directory& directory, OpenMode mode,
                                                           const IndexSettings& settings);
  // Opens a writer for a build that may have been begun, or finished, before. If the unfinished
  // build has these options and this mode, the writer goes on with it. If the last finished build
  // has them, is_built() is true. Otherwise it opens as Open does. mode: kCreate stands for any
  // mode. Returns kFailedPrecondition if another build is unfinished, and kDataLoss if the segments
  // of the build are damaged.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> OpenToResume(Directory& directory,
                                                                   OpenMode mode,
                                                                   const std::string& options,
                                                                   const IndexSettings& settings);
  ~IndexWriter();  // removes the segments that were neither published nor checkpointed

  // The build that Publish will finish: one that OpenToResume goes on with, or that StartBuild
  // began.
  const std::optional<PendingBuild>& build() const { return build_; }
  // True if OpenToResume found that the build is finished.
  bool is_built() const { return is_built_; }
  // An unfinished build with pending segments that this writer does not go on with. StartBuild or
  // Publish drops it.
  const std::optional<PendingBuild>& dropped() const { return dropped_; }

  // Chooses where new segments go. Makes directories that are not places of the index yet places of
  // it, and lists them from the next StartBuild or Publish on; no segment may be written before.
  // Places that the options do not name take no more segments. Without a call, segments go where
  // the manifest says, and TierChoice::kAsIndex holds. Returns the errors of WritablePlaces::Add,
  // and kFailedPrecondition if there would be too many places.
  absl::Status UsePlaces(const PlacementOptions& options);

  // Begins a build, or begins it anew: all segments that it has written are then dropped. Durable
  // on return, so that OpenToResume always knows which build was begun.
  absl::Status StartBuild(const std::string& options);
  // Adds segments that were written to the pending build, and replaces its progress. Durable on
  // return. Other threads may write segments meanwhile. Requires build().
  absl::Status Checkpoint(std::span<const uint64_t> segment_ids, std::vector<std::byte> progress);

  // Like Checkpoint, and makes all segments of the build so far visible to readers. The first call
  // of a build that replaces an index (kOverwrite) makes that one invisible. fields: those of the
  // documents so far. Deletions of visible segments and of these become visible with them.
  absl::Status PublishPart(std::span<const uint64_t> segment_ids, std::vector<std::byte> progress,
                           FieldSpecs fields);

  // Writes one segment. Any number of threads may write at a time. Where a place has no space left,
  // another one is tried. Returns kResourceExhausted if none has space, and kFailedPrecondition if
  // all are absent.
  absl::StatusOr<SegmentFileInfo> WriteSegment(SegmentInput& input);

  // Deletes documents of a segment that is visible, pending or written, from the next Publish on:
  // what Publish makes visible and the deletions are one generation. Returns how many of the
  // documents were not deleted before, by this writer or earlier ones. A segment without live
  // documents is listed no more. Returns kNotFound if there is no such segment,
  // kFailedPrecondition if its place is absent, and kDataLoss if its live documents are damaged.
  // Requires that the documents are below the segment's doc_count.
  absl::StatusOr<uint64_t> Delete(uint64_t segment_id, std::span<const DocId> docs);
  // The segments that the next Publish makes visible or keeps visible, in index order, and one of
  // them opened, with the documents that are live so far. Where a segment is damaged or absent, its
  // kept copy is opened; the documents have the same docids there. Errors as Delete, and those of
  // Segment::Open.
  std::vector<ManifestSegment> NextSegments();
  absl::StatusOr<LiveSegment> OpenNext(const ManifestSegment& listed);

  // Writes a copy of a segment of another index, of either tier, into the directory of this index.
  // listed: what the manifest of the other index says of it; time and heat are kept. Its deleted
  // documents are to be deleted in the copy. Returns the errors of CopySegment.
  absl::StatusOr<SegmentFileInfo> AddCopy(const Segment& source, const ManifestSegment& listed);

  // Writes a visible segment anew in this tier, at a place for that tier or at `place`, with its
  // deleted documents, which stay deleted. From the
  // next Publish on the new segment stands where the old one stood, and the old file is removed.
  // Readers that have the old one open keep it. A segment that was converted already is converted
  // from its new file. Returns the manifest's entry of the new segment. Returns kNotFound if the
  // segment is not listed, kFailedPrecondition if its place is absent, and the errors of
  // ConvertSegment.
  absl::StatusOr<ManifestSegment> Convert(uint64_t segment_id, Tier tier,
                                          std::optional<uint32_t> place = std::nullopt);
  // Merges visible segments that are adjacent in the index, given in index order, into one. From
  // the next Publish on the new segment stands where they stood, and their files are removed.
  // Readers that have them open keep them. Deleted documents are dropped; if none is left, no
  // segment is written. One segment is written anew. Where the request names no tier and there is
  // no space for an uncompressed segment, TierChoice::kAsIndex holds. Requires that nothing waits
  // for Publish.
  // Returns kNotFound if a segment is not listed, kInvalidArgument if they are not adjacent,
  // kCancelled if the request says so, and the error of a segment that is damaged or absent.
  absl::StatusOr<MergedSegment> Merge(std::span<const uint64_t> segment_ids,
                                      const MergeRequest& request);
  // Keeps the unfinished build that dropped() says, so that Publish does not drop it. For writers
  // that change visible segments only.
  void KeepPendingBuild();
  // Writes a compressed copy of each visible uncompressed segment that has none, to the place of
  // compressed segments. From the next Publish on the manifest lists the copies: readers take one
  // where its segment is damaged or missing, and Rebuild makes the segment anew. A copy goes with
  // its segment: Merge and Convert to the compressed tier drop it. A copy has the same live
  // documents as its segment. Writes what it can, and returns the first error of Convert.
  absl::Status WriteCopies();
  // Whether the index keeps copies, from the next Publish on and for all later writers. Publish
  // then also writes missing copies, and publishes them in a generation of their own.
  void KeepCopies(bool keep);
  // Why the last Publish that returned OK left segments without copies; OK if it left none. Later
  // calls of Publish try again. Callers tell the user.
  const absl::Status& missing_copies() const { return missing_copies_; }
  // Lists the copies of these segments no more, from the next Publish on, so that WriteCopies
  // writes them anew.
  void DropCopies(const std::set<uint64_t>& segment_ids);
  // Writes a visible segment anew from its copy. From the next Publish on the new segment stands
  // where the damaged one stood, with the same live documents. Returns kNotFound if the segment has
  // no copy, kDataLoss if the copy is damaged, too, and the errors of Convert.
  absl::StatusOr<ManifestSegment> Rebuild(uint64_t segment_id);
  // True if a segment is of this tier and at a place that takes segments of the tier, so that
  // Convert would change nothing.
  bool IsPlaced(const ManifestSegment& segment, Tier tier) const;
  // The directories that take uncompressed segments, and the bytes of the segments there.
  std::vector<std::string> UncompressedPaths() const;
  uint64_t UncompressedBytes() const { return choice_.bytes(); }
  // With TierChoice::kAuto, segments that are begun from then on are compressed ones once there are
  // so many bytes of uncompressed ones. Call it after UsePlaces, before segments are written.
  void LimitUncompressed(uint64_t bytes) { uncompressed_limit_ = bytes; }
  // Adds counts of queries to the heat of segments, keyed by segment id, from the next Publish on.
  void AddHeat(const std::map<uint64_t, uint64_t>& queries);

  // Sets a property of the manifest, from the next Publish on.
  void SetProperty(const std::string& key, std::string value);
  // Replaces the fields of the manifest, from the next Publish on.
  void SetFields(FieldSpecs fields) { next_.fields = std::move(fields); }
  const std::map<std::string, std::string>& next_properties() const { return next_.properties; }

  // Makes all segments since the last Publish, pending ones included, part of the next generation.
  // Durable and visible on return. After StartBuild, Checkpoint or Publish has returned an error,
  // all three return it again; only the next writer finds out if that generation was published.
  // Copies that cannot be written (KeepCopies) are no error here: missing_copies() says why.
  absl::Status Publish();

  const Manifest& published() const { return manifest_; }
  const Directory& directory() const { return directory_; }

 private:
  IndexWriter(Directory& directory, std::unique_ptr<DirectoryLock> lock, Manifest manifest);
  static absl::StatusOr<std::unique_ptr<IndexWriter>> OpenLocked(Directory& directory,
                                                                 OpenMode mode);
  absl::Status CleanUp();
  // Takes the segments with these ids out of unpublished_, since a manifest that lists them may
  // exist from now on, and adds them to the build.
  void AddToBuild(std::span<const uint64_t> segment_ids, PendingBuild& build)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Publishes a manifest of a build that goes on.
  absl::Status PublishBuild(Manifest manifest, PendingBuild build);
  absl::Status Begin(OpenMode mode, const IndexSettings& settings);
  absl::Status TakeUp(const IndexSettings& settings);
  uint64_t NextGeneration() const;
  absl::Status PublishGeneration(const Manifest& manifest);
  absl::Status PublishSegments();
  absl::Status PublishCopies();
  absl::Status WriteCopyOf(const ManifestSegment& segment, uint32_t place);
  absl::StatusOr<LiveSegment> OpenFile(const ManifestSegment& listed) const;
  absl::StatusOr<uint64_t> TakeSegmentId();
  absl::StatusOr<SegmentFileInfo> WriteTo(uint32_t place, SegmentInput& input);
  absl::StatusOr<SegmentFileInfo> WriteUncompressed(SegmentInput& input);
  absl::StatusOr<SegmentFileInfo> WriteCompressed(SegmentInput& input);
  absl::StatusOr<ManifestSegment> ConvertTo(const ManifestSegment& listed, Tier tier,
                                            uint32_t place);
  absl::StatusOr<ManifestSegment> WriteMerged(SegmentInput& input, std::optional<Tier> asked,
                                              bool all_compressed);
  bool MaySpill(const absl::Status& written) const;
  void Replace(ManifestSegment& listed, ManifestSegment& replacement,
               std::shared_ptr<const LiveDocs> live_docs);
  void RemoveFile(const ManifestSegment& segment);
  absl::StatusOr<const Directory*> FindPlaceOf(const ManifestSegment& listed) const;
  void ChoosePlaces();

  Directory& directory_;
  const std::unique_ptr<DirectoryLock> lock_;
  WritablePlaces places_;
  PlaceChoice choice_;
  TakenNames taken_;   // after recovery, in all places
  Manifest manifest_;  // the newest generation, with its pending build
  Manifest next_;      // to which the next Publish adds: manifest_, or nothing with kOverwrite
  OpenMode mode_ = OpenMode::kCreate;
  TierChoice tier_ = TierChoice::kAsIndex;
  bool is_compressed_ = false;  // all segments were when the writer was opened, and there were some
  uint64_t uncompressed_limit_ = UINT64_MAX;
  uint64_t now_s_ = 0;           // of new segments
  absl::Status publish_status_;  // the first error of StartBuild, Checkpoint or Publish
  std::optional<PendingBuild> build_;
  std::optional<PendingBuild> dropped_;
  bool is_built_ = false;
  Mutex mutex_;
  uint64_t next_segment_id_ ABSL_GUARDED_BY(mutex_);
  std::vector<ManifestSegment> unpublished_ ABSL_GUARDED_BY(mutex_);
  // They were converted or merged, stand in next_.segments, and are not published.
  std::vector<ManifestSegment> converted_;
  PendingDeletions deletions_;  // of segments of the next generation
  absl::Status missing_copies_;
};

}  // namespace pmdex
