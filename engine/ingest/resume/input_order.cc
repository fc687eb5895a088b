#include "engine/ingest/resume/input_order.h"

#include <utility>

namespace pmdex {
namespace {

// Runs of one file follow one another, and the path is written once.
void EncodeRun(const InputRun& run, const InputRun* before, ProgressWriter& out) {
  out.Number(run.first_doc);
  const bool same_file = before != nullptr && before->place.file == run.place.file;
  out.Number(same_file ? 1 : 0);
  if (!same_file) {
    out.Number(run.place.file.input);
    out.String(run.place.file.path);
  }
  out.Number(run.place.offset);
  out.Number(run.place.record);
}

InputRun DecodeRun(const InputRun* before, ProgressReader& in) {
  InputRun run;
  const uint64_t first_doc = in.Number();
  run.first_doc = static_cast<uint32_t>(first_doc);
  const uint64_t same_file = in.Number();
  const bool follows = before == nullptr ? first_doc == 0 : first_doc > before->first_doc;
  if (!follows || run.first_doc != first_doc || same_file > (before == nullptr ? 0 : 1)) in.Fail();
  if (same_file == 1 && before != nullptr) {
    run.place.file = before->place.file;
  } else {
    run.place.file.input = in.Number();
    run.place.file.path = in.String();
  }
  run.place.offset = in.Number();
  run.place.record = in.Number();
  return run;
}

}  // namespace

bool ComesBefore(const InputPlace& a, const InputPlace& b) {
  if (a.file != b.file) return ComesBefore(a.file, b.file);
  if (a.offset != b.offset) return a.offset < b.offset;
  return a.record < b.record;
}

void EncodeInputOrders(const std::vector<SegmentOrder>& orders, ProgressWriter& out) {
  out.Number(orders.size());
  for (const SegmentOrder& order : orders) {
    out.Number(order.segment_id);
    out.Number(order.runs.size());
    const InputRun* before = nullptr;
    for (const InputRun& run : order.runs) {
      EncodeRun(run, before, out);
      before = &run;
    }
  }
}

std::optional<std::vector<SegmentOrder>> DecodeInputOrders(ProgressReader& in) {
  std::vector<SegmentOrder> orders;
  for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
    SegmentOrder& order = orders.emplace_back();
    order.segment_id = in.Number();
    for (uint64_t runs = in.Count(); runs > 0 && !in.failed(); --runs) {
      const InputRun* before = order.runs.empty() ? nullptr : &order.runs.back();
      InputRun run = DecodeRun(before, in);
      order.runs.push_back(std::move(run));
    }
    if (order.runs.empty()) in.Fail();
  }
  if (in.failed()) return std::nullopt;
  return orders;
}

}  // namespace pmdex
