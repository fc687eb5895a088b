// A bound query with what it refers to: what BindQuery (query_binder.h) gives to all later steps of
// a search.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/store/snapshot.h"
#include "query/expansion/shared_expansions.h"
#include "query/planning/bound_query.h"
#include "query/similarity.h"

namespace pmdex {

// A bound query and what it was bound to. Only the expansions change after BindQuery, and they are
// safe to share, so that any number of threads may use one QueryBinding. The snapshot must outlive
// it.
struct QueryBinding {
  const Snapshot* snapshot = nullptr;
  SimilarityChoice similarity;
  // Of kind kNone if the binding timed out: some of the terms would be another query.
  std::unique_ptr<BoundQuery> root;
  std::map<std::string, std::unique_ptr<LengthTable>, std::less<>> lengths;  // by field
  bool timed_out = false;  // the deadline came while words were looked up or expanded
  // The documents of patterns, filled in while the query is answered.
  std::unique_ptr<SharedExpansions> expansions = std::make_unique<SharedExpansions>();
};

}  // namespace pmdex
