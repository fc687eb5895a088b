// Indexes and requests for tests of the server without a connection.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/reference_index.h"
#include "tests/support/run_program.h"
#include "tools/server/http/http_message.h"
#include "tools/server/served_index.h"

namespace pmdex {

inline std::shared_ptr<const ServedIndex> ServedSnapshot(const std::string& name,
                                                         std::shared_ptr<const Snapshot> snapshot) {
  auto index = std::make_shared<ServedIndex>();
  index->name = name;
  index->directory = "/nowhere";
  index->searcher = std::make_shared<const Searcher>(std::move(snapshot));
  return index;
}

// An index of documents "0", "1", ... with these bodies.
inline std::shared_ptr<const ServedIndex> ServedLibrary(const std::string& name,
                                                        const std::vector<std::string>& bodies,
                                                        size_t per_segment = 2) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (size_t i = 0; i < bodies.size(); ++i) {
    reference.Add({std::to_string(i), {{"body", bodies[i]}}});
  }
  return ServedSnapshot(
      name, reference.BuildSnapshot(per_segment, /*positions=*/true, /*store_text=*/true));
}

inline HttpRequest GetRequest(std::vector<std::string> path,
                              std::vector<std::pair<std::string, std::string>> parameters = {}) {
  HttpRequest request;
  request.method = "GET";
  request.path = std::move(path);
  request.parameters = std::move(parameters);
  return request;
}

inline HttpRequest PostRequest(std::vector<std::string> path, std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.path = std::move(path);
  request.body = std::move(body);
  return request;
}

// Adds documents to an index in a directory, as a generation of its own.
inline void PublishLines(const std::string& directory, const TemporaryDirectory& scratch,
                         const std::string& lines) {
  std::vector<std::string> arguments = {PMDEX_BINARY, "index",  scratch.Write("input", lines),
                                        "--format",   "lines",  "--index",
                                        directory,    "--quiet"};
  if (std::filesystem::exists(directory)) arguments.push_back("--append");
  const ProgramResult result = RunProgram(arguments);
  ASSERT_EQ(result.exit_status, 0) << result.err;
}

}  // namespace pmdex
