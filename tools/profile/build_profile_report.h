// Presents the profile of a build, beside the waits of its stages, as text and JSON. Thread-safe:
// no state.
#pragma once

#include <string>

#include "engine/ingest/pipeline/stage_report.h"
#include "tools/json_writer.h"
#include "tools/profile/build_profile.h"

namespace pmdex {

// Writes one value, an object. waits: of the same build; its written bytes are those of segments.
void WriteBuildProfile(const BuildProfile& profile, const PipelineReport& waits, JsonWriter& json);

std::string BuildProfileToText(const BuildProfile& profile, const PipelineReport& waits);

}  // namespace pmdex
