// A file of random bytes for the tests of pmem/block_io. The file is removed with the object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/block_io/block_cache.h"
#include "pmem/block_io/uncached_file.h"
#include "tests/support/random_corpus.h"
#include "tests/support/run_program.h"

namespace pmdex {

class BlockFile {
 public:
  BlockFile(size_t size_bytes, uint64_t seed) : bytes_(size_bytes) {
    SeededRandom random(seed);
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random.Below(256));
    std::ofstream(path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
    auto opened = UncachedFile::Open(path());
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (opened.ok()) direct_ = std::move(*opened);
  }

  std::string path() const { return directory_.path() + "/blocks"; }
  const UncachedFile& direct() const { return *direct_; }
  size_t size_bytes() const { return bytes_.size(); }

  bool Holds(uint64_t offset, std::span<const std::byte> read) const {
    return offset + read.size() <= bytes_.size() &&
           std::equal(read.begin(), read.end(), bytes_.begin() + static_cast<ptrdiff_t>(offset));
  }

 private:
  const TemporaryDirectory directory_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<UncachedFile> direct_;
};

}  // namespace pmdex
