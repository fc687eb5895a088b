#include "tests/support/store_workload.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/segment/order/graph_order.h"
#include "engine/segment/order/path_order.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/known_files/known_files_store.h"
#include "engine/store/placement/places.h"
#include "pmem/check.h"
#include "pmem/text.h"
#include "query/searcher.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace {

constexpr char kBuildOptions[] = "--format lines input";
const std::vector<std::byte> kBuildProgress(24, std::byte{7});  // means nothing to the store

std::unique_ptr<VectorSegmentInput> MakeSegmentInput(RandomCorpus& corpus, size_t documents) {
  auto input = std::make_unique<VectorSegmentInput>(
      VectorSegmentOptions{.positions = true, .stored_text = true});
  std::map<std::string, FieldId> fields;
  for (const std::string& name : RandomCorpus::FieldNames()) fields[name] = input->AddField(name);
  for (const CorpusDocument& document : corpus.Documents(documents)) {
    const DocId doc = input->AddDocument(document.id);
    for (const auto& [field, text] : document.fields) input->AddText(doc, fields.at(field), text);
  }
  input->Finish();
  return input;
}

}  // namespace

StoreWorkload::StoreWorkload(uint64_t seed) {
  RandomCorpus corpus(seed, /*vocabulary=*/60);
  const auto inputs = [&corpus](std::initializer_list<size_t> sizes) {
    Inputs made;
    for (const size_t documents : sizes) made.push_back(MakeSegmentInput(corpus, documents));
    return made;
  };
  const auto add = [this](OpenMode mode, auto... publishes) -> Step& {
    Step& step = steps_.emplace_back();
    step.mode = mode;
    (step.publishes.push_back(std::move(publishes)), ...);
    return step;
  };
  add(OpenMode::kCreate, inputs({3, 2}));
  add(OpenMode::kAppend, inputs({1, 20, 2}), inputs({4}));
  add(OpenMode::kAppend).given_up = inputs({2});
  // As a watch: the second file has few changes, the third takes both in. The writers that append
  // keep the known files, and the one that overwrites removes them.
  add(OpenMode::kAppend, inputs({2}), inputs({1}), inputs({})).writes_known_files = true;
  // Deletions alone, with new segments, and of documents of a segment that has deletions already.
  add(OpenMode::kAppend, inputs({})).deletes_rest = 1;
  Step& replaces = add(OpenMode::kAppend, inputs({3}));
  replaces.deletes_rest = 0;
  replaces.deletes_segments = {1};
  add(OpenMode::kOverwrite, inputs({3, 1}));
  Step& build = add(OpenMode::kAppend, inputs({2}));
  build.build = Build::kStart;
  build.checkpoints.push_back(inputs({2, 1}));
  Step& unfinished = add(OpenMode::kOverwrite);
  unfinished.build = Build::kStart;
  unfinished.checkpoints.push_back(inputs({2}));
  unfinished.given_up = inputs({1});
  add(OpenMode::kAppend).merges_segments = true;
  Step& resumed = add(OpenMode::kOverwrite, inputs({1}));
  resumed.build = Build::kResume;
  resumed.checkpoints.push_back(inputs({2}));
  Step& in_parts = add(OpenMode::kOverwrite);
  in_parts.build = Build::kStart;
  in_parts.publishes_parts = true;
  in_parts.checkpoints.push_back(inputs({2, 1}));
  in_parts.checkpoints.push_back(inputs({1}));
  in_parts.given_up = inputs({1});
  add(OpenMode::kAppend).merges_segments = true;
  Step& last_part = add(OpenMode::kOverwrite, inputs({1}));
  last_part.build = Build::kResume;
  last_part.publishes_parts = true;
  last_part.checkpoints.push_back(inputs({2}));
  Step& replacing = add(OpenMode::kAppend, inputs({1}));
  replacing.build = Build::kStart;
  replacing.publishes_parts = true;
  replacing.part_deletes_rest = 0;  // of a segment of one document, too, which is listed no more
  replacing.checkpoints.push_back(inputs({3, 1}));
  replacing.checkpoints.push_back(inputs({4}));
  Step& anew = add(OpenMode::kAppend, inputs({1}));
  anew.build = Build::kStart;
  anew.checkpoints.push_back(inputs({1, 1}));
  anew.starts_anew = true;
  Step& placed = add(OpenMode::kAppend, inputs({2, 1}));
  placed.build = Build::kStart;
  placed.places = {"/place1", "/place2"};
  placed.checkpoints.push_back(inputs({1}));
  placed.given_up = inputs({1});
  add(OpenMode::kAppend, inputs({})).deletes_rest = 1;  // at the places
  add(OpenMode::kAppend).moves_segments = true;
  add(OpenMode::kAppend).merges_segments = true;
  add(OpenMode::kAppend, inputs({1})).deletes_rest = 0;
  add(OpenMode::kAppend).copies_segments = true;
  add(OpenMode::kAppend, inputs({4})).deletes_rest = 2;  // of segments with copies
  add(OpenMode::kAppend).rebuilds_segments = true;
  Step& compressed = add(OpenMode::kOverwrite, inputs({1}));
  compressed.build = Build::kStart;
  compressed.places = {"/place1"};
  compressed.tier = TierChoice::kCompressed;
  add(OpenMode::kAppend, inputs({2}));  // compressed, as the index is
  Step& overwritten = add(OpenMode::kOverwrite, inputs({1, 2}));
  overwritten.build = Build::kStart;
  overwritten.places = {"/place2"};
  add(OpenMode::kAppend, inputs({2}));
  add(OpenMode::kAppend).writes_live = true;
  one_more_ = MakeSegmentInput(corpus, 2);
  for (int i = 0; i < 4; ++i) queries_.push_back(corpus.Query(/*phrases=*/true));

  const auto directory = NewDramDirectory("expected");
  generations_.emplace_back();
  WorkloadProgress progress;
  progress.on_acknowledged = [&] {
    auto generation = Describe(*directory);
    PMDEX_CHECK(generation.ok());
    generations_.push_back(*std::move(generation));
  };
  PMDEX_CHECK(Run(*directory, progress).ok());
}

absl::Status StoreWorkload::Run(Directory& directory, WorkloadProgress& progress) const {
  for (const Step& step : steps_) {
    PMDEX_RETURN_IF_ERROR(RunStep(step, directory, progress));
  }
  return absl::OkStatus();
}

absl::Status StoreWorkload::Acknowledge(const std::function<absl::Status()>& publish,
                                        WorkloadProgress& progress) {
  progress.publishing = true;
  PMDEX_RETURN_IF_ERROR(publish());
  progress.publishing = false;
  ++progress.acknowledged;
  progress.on_acknowledged();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<IndexWriter>> StoreWorkload::OpenWriter(const Step& step,
                                                                       Directory& directory) const {
  if (step.build != Build::kResume) return IndexWriter::Open(directory, step.mode, settings());
  return IndexWriter::OpenToResume(directory, step.mode, kBuildOptions, settings());
}

absl::Status StoreWorkload::RunStep(const Step& step, Directory& directory,
                                    WorkloadProgress& progress) const {
  if (step.writes_live) return RunLive(directory, progress);
  const auto acknowledge = [&progress](const std::function<absl::Status()>& publish) {
    return Acknowledge(publish, progress);
  };
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriter(step, directory));
  if (!step.places.empty()) {
    PlacementOptions placement;
    placement.places = step.places;
    placement.tier = step.tier;
    PMDEX_RETURN_IF_ERROR(writer->UsePlaces(placement));
  }
  if (step.build == Build::kStart) {
    PMDEX_RETURN_IF_ERROR(acknowledge([&] { return writer->StartBuild(kBuildOptions); }));
  }
  for (const Inputs& segments : step.checkpoints) {
    std::vector<uint64_t> ids;
    for (const auto& input : segments) {
      PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info, writer->WriteSegment(*input));
      ids.push_back(info.segment_id);
    }
    PMDEX_RETURN_IF_ERROR(DeleteDocuments(step.part_deletes_rest, {}, *writer));
    PMDEX_RETURN_IF_ERROR(acknowledge([&] {
      return step.publishes_parts ? writer->PublishPart(ids, kBuildProgress, {})
                                  : writer->Checkpoint(ids, kBuildProgress);
    }));
  }
  if (step.starts_anew) {
    PMDEX_RETURN_IF_ERROR(acknowledge([&] { return writer->StartBuild(kBuildOptions); }));
  }
  PMDEX_RETURN_IF_ERROR(RunPublishes(step, directory, *writer, progress));
  if (step.moves_segments) {
    PMDEX_RETURN_IF_ERROR(MoveSegments(*writer));
    PMDEX_RETURN_IF_ERROR(acknowledge([&] { return writer->Publish(); }));
  }
  if (step.merges_segments) {
    writer->KeepPendingBuild();
    do {
      PMDEX_RETURN_IF_ERROR(MergeTwo(*writer));
      PMDEX_RETURN_IF_ERROR(acknowledge([&] { return writer->Publish(); }));
    } while (writer->published().segments.size() > 2);
  }
  if (step.copies_segments) {
    PMDEX_RETURN_IF_ERROR(writer->WriteCopies());
    PMDEX_RETURN_IF_ERROR(acknowledge([&] { return writer->Publish(); }));
  }
  if (step.rebuilds_segments) {
    PMDEX_RETURN_IF_ERROR(RebuildSegments(*writer));
    PMDEX_RETURN_IF_ERROR(acknowledge([&] { return writer->Publish(); }));
  }
  for (const auto& input : step.given_up) {
    PMDEX_RETURN_IF_ERROR(writer->WriteSegment(*input).status());
  }
  return absl::OkStatus();
}

absl::Status StoreWorkload::RunPublishes(const Step& step, Directory& directory,
                                         IndexWriter& writer, WorkloadProgress& progress) const {
  KnownFiles known;
  int known_changes = 12;
  for (const Inputs& segments : step.publishes) {
    if (step.writes_known_files) {
      PMDEX_RETURN_IF_ERROR(WriteSomeKnownFiles(known_changes, directory, writer, known));
      known_changes = known_changes == 12 ? 2 : 9;
    }
    for (const auto& input : segments) {
      PMDEX_RETURN_IF_ERROR(writer.WriteSegment(*input).status());
    }
    PMDEX_RETURN_IF_ERROR(DeleteDocuments(step.deletes_rest, step.deletes_segments, writer));
    writer.SetProperty("generation", absl::StrCat(progress.acknowledged + 1));
    PMDEX_RETURN_IF_ERROR(Acknowledge([&] { return writer.Publish(); }, progress));
  }
  // Those that nobody publishes.
  if (!step.writes_known_files) return absl::OkStatus();
  return WriteSomeKnownFiles(3, directory, writer, known);
}

absl::Status StoreWorkload::WriteSomeKnownFiles(int changes, Directory& directory,
                                                IndexWriter& writer, KnownFiles& known) {
  for (int i = 0; i < changes; ++i) {
    const int number = i * 7 % 12;
    const std::string path = absl::StrCat("tree/", number);
    if (known.Find(path) != nullptr && number % 3 == 0) {
      known.Remove(path);
    } else {
      KnownFile file;
      file.facts.size_bytes = known.size();
      file.facts.inode = static_cast<uint64_t>(number);
      known.Set(path, file);
    }
  }
  const auto& properties = writer.next_properties();
  const auto before = properties.find(kKnownFilesProperty);
  PMDEX_ASSIGN_OR_RETURN(
      std::string property,
      WriteKnownFiles(directory, known, before == properties.end() ? "" : before->second));
  writer.SetProperty(kKnownFilesProperty, std::move(property));
  known.ClearChanges();
  return absl::OkStatus();
}

absl::Status StoreWorkload::MoveSegments(IndexWriter& writer) {
  const Manifest published = writer.published();
  const auto places = static_cast<uint32_t>(published.places.size());
  for (const ManifestSegment& segment : published.segments) {
    const uint32_t next = (segment.place + 1) % (places + 1);
    const bool compress = segment.tier == Tier::kUncompressed && segment.id % 2 == 0;
    const Tier tier = compress ? Tier::kCompressed : Tier::kUncompressed;
    PMDEX_RETURN_IF_ERROR(writer.Convert(segment.id, tier, next).status());
  }
  return absl::OkStatus();
}

absl::Status StoreWorkload::RebuildSegments(IndexWriter& writer) {
  for (const KeptCopy& copy : std::vector(writer.published().copies)) {
    PMDEX_RETURN_IF_ERROR(writer.Rebuild(copy.of).status());
  }
  return absl::OkStatus();
}

// Merges the last two visible segments: into the other tier every second time, and in one of three
// orders of documents.
absl::Status StoreWorkload::MergeTwo(IndexWriter& writer) {
  const std::vector<ManifestSegment>& segments = writer.published().segments;
  const size_t count = segments.size();
  const uint64_t ids[] = {segments[count - 2].id, segments[count - 1].id};
  MergeRequest request;
  if (ids[1] % 2 == 0) request.tier = Tier::kCompressed;
  if (ids[0] % 3 == 1) {
    request.order = [](std::span<const MergeSource> sources) { return OrderByPath(sources, {}); };
  } else if (ids[0] % 3 == 2) {
    request.order = [](std::span<const MergeSource> sources) { return OrderByGraph(sources, {}); };
  }
  return writer.Merge(ids, request).status();
}

absl::Status StoreWorkload::DeleteDocuments(std::optional<uint32_t> rest,
                                            std::span<const uint64_t> whole_segments,
                                            IndexWriter& writer) {
  for (const ManifestSegment& segment : writer.NextSegments()) {
    const bool whole =
        std::find(whole_segments.begin(), whole_segments.end(), segment.id) != whole_segments.end();
    std::vector<DocId> docs;
    for (DocId doc = 0; doc < segment.doc_count; ++doc) {
      if (whole || doc % 3 == rest) docs.push_back(doc);
    }
    if (docs.empty()) continue;
    PMDEX_RETURN_IF_ERROR(writer.Delete(segment.id, docs).status());
  }
  return absl::OkStatus();
}

absl::Status StoreWorkload::GoOn(Directory& directory, uint64_t generation) const {
  const OpenMode mode = generation == 0 ? OpenMode::kCreate : OpenMode::kAppend;
  PMDEX_ASSIGN_OR_RETURN(const auto writer, IndexWriter::Open(directory, mode, settings()));
  PMDEX_RETURN_IF_ERROR(writer->WriteSegment(*one_more_).status());
  return writer->Publish();
}

absl::StatusOr<ExpectedGeneration> StoreWorkload::Describe(const Directory& directory) const {
  ExpectedGeneration generation;
  PMDEX_ASSIGN_OR_RETURN(auto snapshot, Snapshot::Open(directory));
  const auto add = [&](const Directory& holder, const std::string& name,
                       const std::string& key) -> absl::Status {
    PMDEX_ASSIGN_OR_RETURN(const auto file, holder.Open(name));
    generation.files[key].assign(file->bytes().begin(), file->bytes().end());
    return absl::OkStatus();
  };
  const Manifest& manifest = snapshot->manifest();
  const std::string newest = ManifestFileName(manifest.generation);
  PMDEX_RETURN_IF_ERROR(add(directory, newest, newest));
  generation.visible_segments = snapshot->segments().size();
  PMDEX_ASSIGN_OR_RETURN(const ReadablePlaces places, ReadablePlaces::Open(directory, manifest));
  absl::Status added;
  manifest.ForEachFile([&](const ManifestSegment& file) {
    const auto holder = places.Find(file.place);
    const std::string name = SegmentFileName(file.id);
    if (added.ok()) added = holder.status();
    if (added.ok()) added = add(**holder, name, places.NameOf(file.place, name));
    if (!added.ok() || file.live_docs_generation == 0) return;
    const std::string live_docs = LiveDocsFileName({file.id, file.live_docs_generation});
    added = add(**holder, live_docs, places.NameOf(file.place, live_docs));
  });
  PMDEX_RETURN_IF_ERROR(added);
  PMDEX_ASSIGN_OR_RETURN(const auto known_files,
                         DecodeKnownFilesList(KnownFilesPropertyOf(manifest)));
  for (const ListedKnownFiles& listed : known_files) {
    const std::string name = KnownFilesName(listed.number);
    PMDEX_RETURN_IF_ERROR(add(directory, name, name));
  }
  generation.answers = Answers(std::move(snapshot));
  return generation;
}

std::string StoreWorkload::LiveIds(const Snapshot& snapshot) {
  std::string ids = "live:";
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    for (DocId doc = 0; doc < snapshot.segments()[i]->doc_count(); ++doc) {
      if (!IsLive(snapshot.live_docs(i), doc)) continue;
      const auto id = snapshot.segments()[i]->doc_id(doc);
      ids += " " + (id.ok() ? std::string(*id) : id.status().ToString());
    }
  }
  return ids;
}

std::vector<std::string> StoreWorkload::Answers(std::shared_ptr<const Snapshot> snapshot) const {
  std::vector<std::string> answers = {LiveIds(*snapshot)};
  const Searcher searcher(std::move(snapshot));
  for (const std::string& query : queries_) {
    SearchOptions options;
    options.count = true;
    const auto result = searcher.Search(query, options);
    std::string answer = result.ok() ? absl::StrCat(result->total) : result.status().ToString();
    if (result.ok()) {
      for (const Hit& hit : result->hits)
        absl::StrAppendFormat(&answer, " %s:%a", hit.id, hit.score);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace pmdex
