#include "pmem/block_io/read_queue.h"

#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "pmem/check.h"
#include "pmem/status.h"

namespace pmdex {
namespace {

constexpr size_t kSectorBytes = 512;  // the smallest block of a device

// Reads until the range is full, the file ends, or an error comes.
void ReadByPread(BlockRead& read) {
  while (read.bytes_read < read.bytes.size()) {
    const ssize_t got =
        pread(read.file, read.bytes.data() + read.bytes_read, read.bytes.size() - read.bytes_read,
              static_cast<off_t>(read.offset + read.bytes_read));
    if (got < 0 && errno == EINTR) continue;
    // A file that is opened with O_DIRECT and ends inside a block gives its rest, and then refuses
    // a read from there.
    const bool is_end = errno == EINVAL && read.bytes_read % kSectorBytes != 0;
    if (got < 0 && !is_end) read.status = ErrnoStatus(errno, "cannot read");
    if (got <= 0) return;
    read.bytes_read += static_cast<size_t>(got);
  }
}

}  // namespace

class ReadQueue::Ring {
 public:
  // Null where the kernel refuses.
  static std::unique_ptr<Ring> Make(unsigned depth) {
    auto ring = std::unique_ptr<Ring>(new Ring(depth));
    ring->made_ = io_uring_queue_init(depth, &ring->uring_, 0) == 0;
    return ring->made_ ? std::move(ring) : nullptr;
  }
  ~Ring() {
    if (made_) io_uring_queue_exit(&uring_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  unsigned depth() const { return depth_; }

  // Hands over at most depth() reads and waits for those that the kernel took. Returns how many
  // these are: the first ones. What the kernel could not do at once is done by pread.
  size_t Read(std::span<BlockRead> reads) {
    for (size_t i = 0; i < reads.size(); ++i) {
      io_uring_sqe* entry = io_uring_get_sqe(&uring_);
      PMDEX_CHECK(entry != nullptr);
      io_uring_prep_read(entry, reads[i].file, reads[i].bytes.data(),
                         static_cast<unsigned>(reads[i].bytes.size()), reads[i].offset);
      io_uring_sqe_set_data64(entry, i);
    }
    const int taken = io_uring_submit(&uring_);
    if (taken <= 0) return 0;
    for (int i = 0; i < taken; ++i) Finish(reads);
    return static_cast<size_t>(taken);
  }

 private:
  explicit Ring(unsigned depth) : depth_(depth) {}

  void Finish(std::span<BlockRead> reads) {
    io_uring_cqe* event = nullptr;
    int waited;
    do {
      waited = io_uring_wait_cqe(&uring_, &event);
    } while (waited == -EINTR || waited == -EAGAIN);
    PMDEX_CHECK(waited == 0);  // a wait without a limit has no other error
    BlockRead& read = reads[io_uring_cqe_get_data64(event)];
    const int result = event->res;
    io_uring_cqe_seen(&uring_, event);
    if (result > 0) read.bytes_read = static_cast<size_t>(result);
    // pread goes on behind a short read, and says itself what is wrong.
    if (read.bytes_read < read.bytes.size()) ReadByPread(read);
  }

  io_uring uring_;
  unsigned depth_;
  bool made_ = false;
};

ReadQueue::ReadQueue(Method method, unsigned depth) {
  if (method == Method::kPread) return;
  ring_ = Ring::Make(depth);
}

ReadQueue::~ReadQueue() = default;

ReadQueue::Method ReadQueue::method() const {
  return ring_ == nullptr ? Method::kPread : Method::kIoUring;
}

void ReadQueue::Read(std::span<BlockRead> reads) {
  for (BlockRead& read : reads) {
    read.bytes_read = 0;
    read.status = absl::OkStatus();
  }
  size_t done = 0;
  while (ring_ != nullptr && done < reads.size()) {
    const size_t count = std::min<size_t>(reads.size() - done, ring_->depth());
    const size_t taken = ring_->Read(reads.subspan(done, count));
    done += taken;
    // What the kernel did not take would stay in the ring, so the ring goes.
    if (taken < count) ring_.reset();
  }
  for (BlockRead& read : reads.subspan(done)) ReadByPread(read);
}

}  // namespace pmdex
