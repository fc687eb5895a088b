#include "engine/segment/compressed/lane_memory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>
#include <vector>

namespace pmdex {
namespace {

constexpr std::align_val_t kLaneAlignment{64};
// Smaller pieces are not kept: malloc has memory for them that was written before.
constexpr size_t kLeastKept = size_t{64} << 10;
// A piece is not used for less than this part of it, so that short lists leave the large ones
// alone.
constexpr size_t kMostOversize = 4;
constexpr size_t kMostPieces = 64;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false;  // so that each list has memory of its own, with its bounds
#else
constexpr bool kKeeps = true;
#endif

struct Piece {
  std::byte* data;
  size_t bytes;
};

void Free(const Piece& piece) {
  ::operator delete(piece.data, kLaneAlignment);
}

// Lists may end after the thread's own objects, when nothing is kept any more.
thread_local bool thread_ends = false;

struct KeptPieces {
  ~KeptPieces() {
    thread_ends = true;
    for (const Piece& piece : pieces) Free(piece);
  }
  std::vector<Piece> pieces;
  size_t bytes = 0;
};

KeptPieces& Kept() {
  thread_local KeptPieces kept;
  return kept;
}

// Sizes have three bits, so that lists of like length can use the same piece.
size_t Rounded(size_t bytes) {
  const size_t step = std::bit_floor(std::max<size_t>(bytes, 256)) / 4;
  return (bytes + step - 1) & ~(step - 1);
}

bool MayKeep(size_t bytes) {
  return kKeeps && bytes >= kLeastKept && bytes <= LaneMemory::kMostKeptBytes && !thread_ends;
}

// Keeps the piece or frees it. Others make place for it.
void Leave(const Piece& piece) {
  if (!MayKeep(piece.bytes)) return Free(piece);
  KeptPieces& kept = Kept();
  while (!kept.pieces.empty() && (kept.bytes + piece.bytes > LaneMemory::kMostKeptBytes ||
                                  kept.pieces.size() == kMostPieces)) {
    kept.bytes -= kept.pieces.front().bytes;
    Free(kept.pieces.front());
    kept.pieces.erase(kept.pieces.begin());
  }
  try {
    kept.pieces.push_back(piece);
    kept.bytes += piece.bytes;
  } catch (const std::bad_alloc&) {
    Free(piece);
  }
}

}  // namespace

LaneMemory::LaneMemory(size_t bytes) : bytes_(Rounded(bytes)) {
  if (MayKeep(bytes_)) {
    KeptPieces& kept = Kept();
    size_t best = kept.pieces.size();
    for (size_t i = 0; i < kept.pieces.size(); ++i) {
      const size_t size = kept.pieces[i].bytes;
      if (size < bytes_ || size / kMostOversize > bytes_) continue;
      if (best == kept.pieces.size() || size < kept.pieces[best].bytes) best = i;
    }
    if (best < kept.pieces.size()) {
      data_ = kept.pieces[best].data;
      bytes_ = kept.pieces[best].bytes;
      kept.bytes -= bytes_;
      kept.pieces[best] = kept.pieces.back();
      kept.pieces.pop_back();
      return;
    }
  }
  data_ = static_cast<std::byte*>(::operator new(bytes_, kLaneAlignment));
}

LaneMemory::~LaneMemory() {
  if (data_ != nullptr) Leave({data_, bytes_});
}

LaneMemory::LaneMemory(LaneMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

LaneMemory& LaneMemory::operator=(LaneMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace pmdex
