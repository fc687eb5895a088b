// A fresh directory of input, an index in memory, and what was indexed in the plainest form.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

#include "engine/ingest/ingest.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/problem_kind.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"

namespace pmdex {

class IngestFixture : public testing::Test {
 protected:
  IngestFixture() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test.test_suite_name()) + "-" + test.name();
    std::replace(name.begin(), name.end(), '/', '-');  // of tests with parameters
    root_ = testing::TempDir() + "/ingest-" + std::to_string(getpid()) + "-" + name;
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
    options_.memory_bytes = uint64_t{64} << 20;
  }
  ~IngestFixture() override { std::filesystem::remove_all(root_); }

  // For tests of very many files, where there is one: creating them is not what is tested.
  void UseMemoryFileSystem() {
    if (access("/dev/shm", W_OK) != 0) return;
    std::filesystem::remove_all(root_);
    root_ = "/dev/shm/" + std::filesystem::path(root_).filename().string();
    std::filesystem::create_directories(root_);
  }

  std::string Path(std::string_view name) const { return root_ + "/" + std::string(name); }
  std::string Write(std::string_view name, std::string_view text) const {
    const std::string path = Path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // Ingests `inputs` with options_ into directory_, which it opens in `mode`.
  absl::StatusOr<IngestReport> TryRun(std::vector<std::string> inputs,
                                      OpenMode mode = OpenMode::kOverwrite) {
    options_.inputs = std::move(inputs);
    auto writer = IndexWriter::Open(*directory_, mode, options_.settings);
    if (!writer.ok()) return writer.status();
    return Ingest(options_, **writer, nullptr);
  }
  IngestReport Run(std::vector<std::string> inputs, OpenMode mode = OpenMode::kOverwrite) {
    auto report = TryRun(std::move(inputs), mode);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *std::move(report) : IngestReport{};
  }

  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    const auto snapshot = Snapshot::Open(*directory_);
    if (!snapshot.ok()) return ids;
    for (const auto& segment : (*snapshot)->segments()) {
      for (DocId doc = 0; doc < segment->doc_count(); ++doc)
        ids.emplace_back(*segment->doc_id(doc));
    }
    return ids;
  }

  // Ids of the documents that have the term, in index order.
  std::vector<std::string> Find(std::string_view field, std::string_view term) const {
    std::vector<std::string> ids;
    const auto snapshot = Snapshot::Open(*directory_);
    if (!snapshot.ok()) return ids;
    for (const auto& segment : (*snapshot)->segments()) {
      const auto field_id = segment->FindField(field);
      if (!field_id.has_value()) continue;
      const auto entry = *segment->Find(*field_id, term);
      if (!entry.has_value()) continue;
      const auto postings = segment->Postings(*entry);
      EXPECT_TRUE(postings.ok());
      for (uint32_t i = 0; i < postings->df; ++i) {
        ids.emplace_back(*segment->doc_id(postings->Doc(i)));
      }
    }
    return ids;
  }

  static uint64_t CountOf(const IngestReport& report, ProblemKind kind) {
    const auto found = report.problems.find(kind);
    return found == report.problems.end() ? 0 : found->second.count;
  }
  static std::string FirstPlace(const IngestReport& report, ProblemKind kind) {
    const auto found = report.problems.find(kind);
    return found == report.problems.end() ? "" : found->second.first_places.at(0);
  }

  std::string root_;
  IngestOptions options_;
  std::unique_ptr<Directory> directory_ = NewDramDirectory("ingest-test");
};

}  // namespace pmdex
