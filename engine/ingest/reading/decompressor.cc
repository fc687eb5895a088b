#include "engine/ingest/reading/decompressor.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
// For a context with an allocator of ours; libzstd is linked statically.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

struct Form {
  Compression compression;
  std::string_view name;
  std::string_view ending;
  std::string_view magic;
};
constexpr std::array kForms = {
    Form{Compression::kGzip, "gzip", ".gz", "\x1f\x8b\x08"},
    Form{Compression::kZstd, "zstd", ".zst", "\x28\xb5\x2f\xfd"},
    Form{Compression::kXz,
         "xz",
         ".xz",
         {"\xfd"
          "7zXZ\0",
          6}},
    Form{Compression::kBzip2, "bzip2", ".bz2", "BZh"},
};

const Form* FormOfName(std::string_view path) {
  const auto found = std::find_if(kForms.begin(), kForms.end(),
                                  [&](const Form& form) { return path.ends_with(form.ending); });
  return found == kForms.end() ? nullptr : &*found;
}

// As many bytes as one call of the libraries takes.
unsigned int Clamped(size_t size_bytes) {
  return static_cast<unsigned int>(std::min<size_t>(size_bytes, 1 << 30));
}

void* AllocateItems(void* memory, unsigned int items, unsigned int item_bytes) {
  return static_cast<DecoderMemory*>(memory)->Allocate(size_t{items} * item_bytes);
}
void FreeItems(void* memory, void* items) {
  static_cast<DecoderMemory*>(memory)->Free(items);
}

class GzipDecompressor final : public Decompressor {
 public:
  explicit GzipDecompressor(DecoderMemory& memory) {
    stream_.zalloc = AllocateItems;
    stream_.zfree = FreeItems;
    stream_.opaque = &memory;
  }
  ~GzipDecompressor() override {
    if (started_) inflateEnd(&stream_);
  }

  Step Run(std::string_view input, std::span<char> output) override {
    constexpr int kGzipHeader = 16 + MAX_WBITS;
    if (!started_ && inflateInit2(&stream_, kGzipHeader) != Z_OK) return {Status::kNoMemory};
    started_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = Clamped(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = Clamped(output.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Step step;
    step.taken_bytes = Clamped(input.size()) - stream_.avail_in;
    step.given_bytes = Clamped(output.size()) - stream_.avail_out;
    if (result == Z_STREAM_END) {
      step.status = Status::kStreamEnd;
      inflateReset(&stream_);
    } else if (result == Z_MEM_ERROR) {
      step.status = Status::kNoMemory;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      step.status = Status::kDamaged;
    }
    return step;
  }

 private:
  z_stream stream_ = {};
  bool started_ = false;
};

// For decoders that forget what they have given in a call that meets damage. They decode into a
// small buffer, always from the same places of the text on: damage then costs no more than the
// buffer holds, and leaves the same text whatever the size of `output`.
class BufferedDecompressor : public Decompressor {
 public:
  Step Run(std::string_view input, std::span<char> output) final {
    Step step;
    for (;;) {
      const size_t copied = std::min(decoded_bytes_ - copied_bytes_, output.size());
      std::memcpy(output.data(), buffer_.data() + copied_bytes_, copied);
      output = output.subspan(copied);
      copied_bytes_ += copied;
      step.given_bytes += copied;
      if (copied_bytes_ < decoded_bytes_) return step;
      if (status_ != Status::kGoesOn) break;
      if (output.empty()) return step;
      if (decoded_bytes_ == buffer_.size()) decoded_bytes_ = copied_bytes_ = 0;
      const Step decoded = Decode(input, std::span(buffer_).subspan(decoded_bytes_));
      input.remove_prefix(decoded.taken_bytes);
      step.taken_bytes += decoded.taken_bytes;
      decoded_bytes_ += decoded.given_bytes;
      status_ = decoded.status;
      const bool moved = decoded.taken_bytes > 0 || decoded.given_bytes > 0;
      if (!moved && status_ == Status::kGoesOn) return step;
    }
    step.status = std::exchange(status_, Status::kGoesOn);
    decoded_bytes_ = copied_bytes_ = 0;
    return step;
  }

 private:
  virtual Step Decode(std::string_view input, std::span<char> output) = 0;

  std::array<char, 4096> buffer_;
  size_t decoded_bytes_ = 0;
  size_t copied_bytes_ = 0;
  Status status_ = Status::kGoesOn;  // what the decoder said behind the last decoded byte
};

class ZstdDecompressor final : public BufferedDecompressor {
 public:
  explicit ZstdDecompressor(DecoderMemory& memory)
      : allocator_{[](void* opaque, size_t size_bytes) {
                     return static_cast<DecoderMemory*>(opaque)->Allocate(size_bytes);
                   },
                   FreeItems, &memory} {}
  ~ZstdDecompressor() override { ZSTD_freeDCtx(context_); }

  Step Decode(std::string_view input, std::span<char> output) override {
    if (context_ == nullptr) {
      context_ = ZSTD_createDCtx_advanced(allocator_);
      if (context_ == nullptr) return {Status::kNoMemory};
      // The allocator decides which windows are too large.
      ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX);
    }
    ZSTD_inBuffer in = {input.data(), input.size(), 0};
    ZSTD_outBuffer out = {output.data(), output.size(), 0};
    const size_t result = ZSTD_decompressStream(context_, &out, &in);
    Step step;
    step.taken_bytes = in.pos;
    step.given_bytes = out.pos;
    if (ZSTD_isError(result) != 0) {
      step.status = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? Status::kNoMemory
                                                                              : Status::kDamaged;
    } else if (result == 0) {
      step.status = Status::kStreamEnd;
    }
    return step;
  }

 private:
  const ZSTD_customMem allocator_;
  ZSTD_DCtx* context_ = nullptr;
};

class XzDecompressor final : public Decompressor {
 public:
  explicit XzDecompressor(DecoderMemory& memory)
      : allocator_{[](void* opaque, size_t items, size_t item_bytes) -> void* {
                     // liblzma asks for one item at a time.
                     return static_cast<DecoderMemory*>(opaque)->Allocate(items * item_bytes);
                   },
                   FreeItems, &memory} {
    stream_.allocator = &allocator_;
  }
  ~XzDecompressor() override { lzma_end(&stream_); }

  Step Run(std::string_view input, std::span<char> output) override {
    if (!in_stream_) {
      const lzma_ret begun = lzma_stream_decoder(&stream_, UINT64_MAX, 0);
      if (begun != LZMA_OK) return {Status::kNoMemory};
      in_stream_ = true;
    }
    stream_.next_in = reinterpret_cast<const uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(output.data());
    stream_.avail_out = output.size();
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    Step step;
    step.taken_bytes = input.size() - stream_.avail_in;
    step.given_bytes = output.size() - stream_.avail_out;
    if (result == LZMA_STREAM_END) {
      step.status = Status::kStreamEnd;
      in_stream_ = false;
    } else if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR) {
      step.status = Status::kNoMemory;
    } else if (result != LZMA_OK && result != LZMA_BUF_ERROR) {
      step.status = Status::kDamaged;
    }
    return step;
  }

 private:
  const lzma_allocator allocator_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool in_stream_ = false;
};

class Bzip2Decompressor final : public BufferedDecompressor {
 public:
  explicit Bzip2Decompressor(DecoderMemory& memory) {
    stream_.bzalloc = [](void* opaque, int items, int item_bytes) {
      return AllocateItems(opaque, static_cast<unsigned int>(items),
                           static_cast<unsigned int>(item_bytes));
    };
    stream_.bzfree = FreeItems;
    stream_.opaque = &memory;
  }
  ~Bzip2Decompressor() override {
    if (in_stream_) BZ2_bzDecompressEnd(&stream_);
  }

 private:
  Step Decode(std::string_view input, std::span<char> output) override {
    if (!in_stream_ && BZ2_bzDecompressInit(&stream_, /*verbosity=*/0, /*small=*/0) != BZ_OK) {
      return {Status::kNoMemory};
    }
    in_stream_ = true;
    stream_.next_in = const_cast<char*>(input.data());
    stream_.avail_in = Clamped(input.size());
    stream_.next_out = output.data();
    stream_.avail_out = Clamped(output.size());
    const int result = BZ2_bzDecompress(&stream_);
    Step step;
    step.taken_bytes = Clamped(input.size()) - stream_.avail_in;
    step.given_bytes = Clamped(output.size()) - stream_.avail_out;
    if (result == BZ_STREAM_END) {
      step.status = Status::kStreamEnd;
      BZ2_bzDecompressEnd(&stream_);
      in_stream_ = false;
    } else if (result == BZ_MEM_ERROR) {
      step.status = Status::kNoMemory;
    } else if (result != BZ_OK) {
      step.status = Status::kDamaged;
    }
    return step;
  }

  bz_stream stream_ = {};
  bool in_stream_ = false;
};

// What stands behind the letters: the size of blocks, in units of 100,000 bytes.
bool IsBzip2(std::string_view beginning) {
  return beginning.size() < 4 || (beginning[3] >= '1' && beginning[3] <= '9');
}

// A frame that decoders pass over, which may come first (RFC 8878, section 3.1.2).
bool IsSkippableFrame(std::string_view beginning) {
  constexpr std::string_view kRest = "\x2a\x4d\x18";
  return (static_cast<unsigned char>(beginning[0]) & 0xf0) == 0x50 &&
         beginning.substr(1, kRest.size()) == kRest.substr(0, beginning.size() - 1);
}

}  // namespace

std::string_view ToString(Compression compression) {
  for (const Form& form : kForms) {
    if (form.compression == compression) return form.name;
  }
  return "none";
}

Compression CompressionOfName(std::string_view path) {
  const Form* const form = FormOfName(path);
  return form == nullptr ? Compression::kNone : form->compression;
}

std::string_view NameOfText(std::string_view path) {
  const Form* const form = FormOfName(path);
  if (form != nullptr) path.remove_suffix(form->ending.size());
  return path;
}

bool BeginsAs(Compression compression, std::string_view beginning) {
  beginning = beginning.substr(0, kMagicBytes);
  if (beginning.empty()) return false;
  for (const Form& form : kForms) {
    if (form.compression != compression) continue;
    const size_t compared = std::min(beginning.size(), form.magic.size());
    if (beginning.substr(0, compared) == form.magic.substr(0, compared)) {
      return compression != Compression::kBzip2 || IsBzip2(beginning);
    }
  }
  return compression == Compression::kZstd && IsSkippableFrame(beginning);
}

std::unique_ptr<Decompressor> Decompressor::New(Compression compression, DecoderMemory& memory) {
  switch (compression) {
    case Compression::kGzip:
      return std::make_unique<GzipDecompressor>(memory);
    case Compression::kZstd:
      return std::make_unique<ZstdDecompressor>(memory);
    case Compression::kXz:
      return std::make_unique<XzDecompressor>(memory);
    case Compression::kBzip2:
      return std::make_unique<Bzip2Decompressor>(memory);
    case Compression::kNone:
      break;
  }
  PMDEX_CHECK(compression != Compression::kNone);
  return nullptr;
}

}  // namespace pmdex
