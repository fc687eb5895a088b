#include "pmem/block_io/block_cache.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"

#include "pmem/check.h"
#include "pmem/mutex.h"

namespace pmdex {
namespace {

using WaitClock = std::chrono::steady_clock;
constexpr size_t kMostShards = 16;
constexpr size_t kLeastFramesPerShard = 64;

// A block of a file: the number of the file, then that of the block.
using BlockKey = std::pair<uint64_t, uint64_t>;

}  // namespace

struct BlockCache::Frame {
  enum class State { kEmpty, kReading, kReady, kFailed };

  bool IsSettled() const { return state != State::kReading; }

  BlockKey key;
  std::byte* bytes = nullptr;
  size_t valid_bytes = 0;  // fewer than a block at the end of a file
  uint32_t pins = 0;
  bool was_used = false;    // since the hand of the clock passed
  bool is_fetched = false;  // and was not pinned since
  State state = State::kEmpty;
  absl::Status failure;
};

struct BlockCache::Shard {
  // The frame of the block, pinned; null if every frame is pinned. `is_new`: the caller reads it.
  Frame* PinBlock(const BlockKey& key, bool& is_new);
  // The frame of a block that is missing, pinned for the caller to read; null if it is there or
  // every frame is pinned.
  Frame* PinMissing(const BlockKey& key);
  void Unpin(Frame& frame);
  // Says what became of a read.
  void Settle(Frame& frame, const BlockRead& read);
  // Waits for another thread's read. Sets `begin` if there is one to wait for, and no other before.
  absl::Status Await(const Frame& frame, std::optional<WaitClock::time_point>& begin);

  Frame* Replace(const BlockKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  Frame* Victim() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);

  Mutex mutex;
  std::vector<Frame> frames ABSL_GUARDED_BY(mutex);
  absl::flat_hash_map<BlockKey, Frame*> frame_of ABSL_GUARDED_BY(mutex);
  size_t hand ABSL_GUARDED_BY(mutex) = 0;
  BlockCacheCounters counters ABSL_GUARDED_BY(mutex);
};

BlockCache::Frame* BlockCache::Shard::Victim() {
  // The first round may only clear the marks of all frames.
  for (size_t i = 0; i < 2 * frames.size(); ++i) {
    Frame& frame = frames[hand];
    hand = hand + 1 == frames.size() ? 0 : hand + 1;
    if (frame.pins > 0) continue;
    if (!std::exchange(frame.was_used, false)) return &frame;
  }
  return nullptr;
}

BlockCache::Frame* BlockCache::Shard::PinBlock(const BlockKey& key, bool& is_new) {
  MutexLock lock(&mutex);
  const auto found = frame_of.find(key);
  is_new = found == frame_of.end();
  if (!is_new) {
    Frame& frame = *found->second;
    counters.hits += std::exchange(frame.is_fetched, false) ? 0 : 1;
    frame.was_used = true;
    ++frame.pins;
    return &frame;
  }
  ++counters.misses;
  Frame* const frame = Replace(key);
  counters.overflows += frame == nullptr ? 1 : 0;
  return frame;
}

BlockCache::Frame* BlockCache::Shard::PinMissing(const BlockKey& key) {
  MutexLock lock(&mutex);
  if (frame_of.contains(key)) return nullptr;
  Frame* const frame = Replace(key);
  if (frame == nullptr) return nullptr;
  ++counters.misses;
  frame->is_fetched = true;
  return frame;
}

// Gives a frame that nobody has pinned to the block, pinned; null if there is none.
BlockCache::Frame* BlockCache::Shard::Replace(const BlockKey& key) {
  Frame* const frame = Victim();
  if (frame == nullptr) return nullptr;
  if (frame->state == Frame::State::kReady) frame_of.erase(frame->key);
  frame_of.emplace(key, frame);
  frame->key = key;
  frame->state = Frame::State::kReading;
  frame->pins = 1;
  frame->is_fetched = false;
  return frame;
}

void BlockCache::Shard::Unpin(Frame& frame) {
  MutexLock lock(&mutex);
  --frame.pins;
}

void BlockCache::Shard::Settle(Frame& frame, const BlockRead& read) {
  MutexLock lock(&mutex);
  counters.bytes_read += read.bytes_read;
  frame.valid_bytes = read.bytes_read;
  if (read.status.ok()) {
    frame.state = Frame::State::kReady;
    return;
  }
  ++counters.errors;
  frame.state = Frame::State::kFailed;
  frame.failure = read.status;
  frame_of.erase(frame.key);  // the next reader tries again
}

absl::Status BlockCache::Shard::Await(const Frame& frame,
                                      std::optional<WaitClock::time_point>& begin) {
  MutexLock lock(&mutex);
  if (!frame.IsSettled() && !begin.has_value()) begin = WaitClock::now();
  mutex.Await(&frame, &Frame::IsSettled);
  return frame.state == Frame::State::kFailed ? frame.failure : absl::OkStatus();
}

struct BlockCache::Parts {
  Shard& ShardOf(const BlockKey& key) { return shards[absl::HashOf(key) % shards.size()]; }

  std::unique_ptr<ReadQueue> TakeQueue() {
    {
      MutexLock lock(&mutex);
      if (!queues.empty()) {
        std::unique_ptr<ReadQueue> queue = std::move(queues.back());
        queues.pop_back();
        return queue;
      }
    }
    return std::make_unique<ReadQueue>(method);
  }
  void GiveBack(std::unique_ptr<ReadQueue> queue) {
    MutexLock lock(&mutex);
    queues.push_back(std::move(queue));
  }

  ReadQueue::Method method;
  HugeBuffer memory;
  std::vector<Shard> shards;
  LatencyHistogram waits;
  Mutex mutex;
  std::vector<std::unique_ptr<ReadQueue>> queues ABSL_GUARDED_BY(mutex);
};

BlockCache::BlockCache(size_t capacity_bytes, ReadQueue::Method method)
    : parts_(std::make_unique<Parts>()) {
  const size_t frames = std::max<size_t>(1, capacity_bytes / kCacheBlockBytes);
  const size_t shards = std::clamp<size_t>(frames / kLeastFramesPerShard, 1, kMostShards);
  const size_t frames_per_shard = frames / shards;
  parts_->memory = HugeBuffer(shards * frames_per_shard * kCacheBlockBytes);
  parts_->shards = std::vector<Shard>(shards);
  std::byte* bytes = parts_->memory.data();
  for (Shard& shard : parts_->shards) {
    MutexLock lock(&shard.mutex);
    shard.frames.resize(frames_per_shard);
    shard.frame_of.reserve(frames_per_shard);
    for (Frame& frame : shard.frames) frame.bytes = std::exchange(bytes, bytes + kCacheBlockBytes);
  }
  std::unique_ptr<ReadQueue> queue = std::make_unique<ReadQueue>(method);
  parts_->method = queue->method();
  parts_->GiveBack(std::move(queue));
}

BlockCache::~BlockCache() = default;

size_t BlockCache::capacity_bytes() const {
  return parts_->memory.size_bytes();
}

ReadQueue::Method BlockCache::method() const {
  return parts_->method;
}

const LatencyHistogram& BlockCache::waits() const {
  return parts_->waits;
}

BlockCacheCounters BlockCache::counters() const {
  BlockCacheCounters sum;
  for (Shard& shard : parts_->shards) {
    MutexLock lock(&shard.mutex);
    sum.hits += shard.counters.hits;
    sum.misses += shard.counters.misses;
    sum.overflows += shard.counters.overflows;
    sum.bytes_read += shard.counters.bytes_read;
    sum.errors += shard.counters.errors;
  }
  return sum;
}

// One call of PinRange or Fetch: what it reads, and what others read for it.
class BlockCache::PinAttempt {
 public:
  // count: the most blocks that will be pinned.
  PinAttempt(Parts& parts, size_t count) : parts_(parts) {
    pin_.blocks_.reserve(count);
    reads_.reserve(count);
    read_blocks_.reserve(count);
    awaited_.reserve(count);
  }

  // Tells others that wait for a block which this attempt never read, because memory ran out.
  ~PinAttempt() {
    for (; settled_ < reads_.size(); ++settled_) {
      reads_[settled_].status = absl::ResourceExhaustedError("no memory to read a block");
      SettleNext();
    }
  }
  PinAttempt(const PinAttempt&) = delete;
  PinAttempt& operator=(const PinAttempt&) = delete;

  void PinBlocks(const UncachedFile& file, uint64_t first, uint64_t last) {
    pin_.first_block_ = first;
    for (uint64_t number = first; number <= last; ++number) {
      Pin::Block& block = pin_.blocks_.emplace_back();
      const BlockKey key(file.number(), number);
      Shard& shard = parts_.ShardOf(key);
      bool is_new = false;
      block.frame = shard.PinBlock(key, is_new);
      if (block.frame != nullptr) block.shard = &shard;
      if (block.frame == nullptr) block.own = HugeBuffer(kCacheBlockBytes);
      std::byte* const bytes = block.frame != nullptr ? block.frame->bytes : block.own.data();
      block.bytes = bytes;
      if (is_new) {
        AddRead(file, number, bytes, block);
      } else {
        awaited_.push_back(&block);
      }
    }
  }

  void PinMissing(const UncachedFile& file, uint64_t first, uint64_t last) {
    for (uint64_t number = first; number <= last; ++number) {
      const BlockKey key(file.number(), number);
      Shard& shard = parts_.ShardOf(key);
      Frame* const frame = shard.PinMissing(key);
      if (frame == nullptr) continue;
      Pin::Block& block = pin_.blocks_.emplace_back();
      block.frame = frame;
      block.shard = &shard;
      block.bytes = frame->bytes;
      AddRead(file, number, frame->bytes, block);
    }
  }

  // The first error, of whichever block.
  absl::Status ReadBlocks() {
    absl::Status status;
    std::optional<WaitClock::time_point> begin;  // of the first wait
    if (!reads_.empty()) {
      begin = WaitClock::now();
      std::unique_ptr<ReadQueue> queue = parts_.TakeQueue();
      queue->Read(reads_);
      parts_.GiveBack(std::move(queue));
    }
    while (settled_ < reads_.size()) {
      status.Update(reads_[settled_].status);
      SettleNext();
      ++settled_;
    }
    // Only now: two threads that wait for each other's blocks have both read their own.
    for (Pin::Block* block : awaited_) {
      status.Update(block->shard->Await(*block->frame, begin));
      block->valid_bytes = block->frame->valid_bytes;
    }
    if (begin.has_value()) parts_.waits.Add(WaitClock::now() - *begin);
    return status;
  }

  Pin TakePin() { return std::move(pin_); }

 private:
  void AddRead(const UncachedFile& file, uint64_t number, std::byte* bytes, Pin::Block& block) {
    BlockRead read;
    read.file = file.descriptor();
    read.offset = number * kCacheBlockBytes;
    read.bytes = {bytes, kCacheBlockBytes};
    reads_.push_back(std::move(read));
    read_blocks_.push_back(&block);
  }

  void SettleNext() {
    Pin::Block& block = *read_blocks_[settled_];
    if (block.frame != nullptr) block.shard->Settle(*block.frame, reads_[settled_]);
    block.valid_bytes = reads_[settled_].bytes_read;
  }

  Parts& parts_;
  Pin pin_;
  std::vector<BlockRead> reads_;
  std::vector<Pin::Block*> read_blocks_;  // the block of each read
  size_t settled_ = 0;                    // reads whose outcome is known to others
  std::vector<Pin::Block*> awaited_;      // there already, or read by another thread
};

absl::StatusOr<BlockCache::Pin> BlockCache::PinRange(const UncachedFile& file, uint64_t offset,
                                                     uint64_t size_bytes) {
  PMDEX_CHECK(size_bytes > 0);
  const uint64_t first = offset / kCacheBlockBytes;
  const uint64_t last = (offset + size_bytes - 1) / kCacheBlockBytes;
  PinAttempt attempt(*parts_, last - first + 1);
  attempt.PinBlocks(file, first, last);
  PMDEX_RETURN_IF_ERROR(attempt.ReadBlocks());
  Pin pin = attempt.TakePin();
  for (uint64_t block = first; block <= last; ++block) {
    const uint64_t needed =
        block == last ? offset + size_bytes - last * kCacheBlockBytes : kCacheBlockBytes;
    if (pin.blocks_[block - first].valid_bytes < needed) {
      return DataLoss("the file ends before the bytes that are asked for");
    }
  }
  return pin;
}

void BlockCache::Fetch(std::span<const Range> ranges) {
  const auto last_block = [](const Range& range) {
    return (range.offset + range.size_bytes - 1) / kCacheBlockBytes;
  };
  const uint64_t most = capacity_bytes() / kCacheBlockBytes / 4;
  uint64_t blocks = 0;
  size_t taken = 0;
  for (; taken < ranges.size(); ++taken) {
    PMDEX_CHECK(ranges[taken].size_bytes > 0);
    const uint64_t count = last_block(ranges[taken]) - ranges[taken].offset / kCacheBlockBytes + 1;
    if (count > most - blocks) break;
    blocks += count;
  }
  if (taken == 0) return;
  PinAttempt attempt(*parts_, blocks);
  for (const Range& range : ranges.first(taken)) {
    attempt.PinMissing(*range.file, range.offset / kCacheBlockBytes, last_block(range));
  }
  (void)attempt.ReadBlocks();
}

BlockCache::Pin::Pin(Pin&& other) noexcept
    : first_block_(other.first_block_), blocks_(std::move(other.blocks_)) {
  other.blocks_.clear();
}

BlockCache::Pin& BlockCache::Pin::operator=(Pin&& other) noexcept {
  if (this != &other) {
    Release();
    first_block_ = other.first_block_;
    blocks_ = std::move(other.blocks_);
    other.blocks_.clear();
  }
  return *this;
}

void BlockCache::Pin::Release() {
  for (Block& block : blocks_) {
    if (block.frame != nullptr) block.shard->Unpin(*block.frame);
  }
  blocks_.clear();
}

}  // namespace pmdex
