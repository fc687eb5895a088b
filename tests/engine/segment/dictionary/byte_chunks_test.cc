#include "engine/segment/dictionary/byte_chunks.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace byte_chunks_test {

TEST(ByteChunks, GivePiecesBackAtTheirPlacesAndInOrder) {
  std::mt19937 random(3);
  ByteChunks bytes;
  EXPECT_EQ(bytes.chunk_count(), 0u);
  std::vector<std::vector<std::byte>> pieces;
  std::vector<uint64_t> places;
  std::vector<std::byte> all;
  while (bytes.chunk_count() < 4) {
    std::vector<std::byte> piece(random() % (ByteChunks::kMaxPieceBytes + 1));
    for (std::byte& byte : piece) byte = static_cast<std::byte>(random());
    std::byte* const room = bytes.Room();
    std::memset(room, 0xee, ByteChunks::kMaxPieceBytes);  // all of it may be written
    if (!piece.empty()) std::memcpy(room, piece.data(), piece.size());
    places.push_back(bytes.Commit(piece.size()));
    all.insert(all.end(), piece.begin(), piece.end());
    pieces.push_back(std::move(piece));
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_TRUE(std::equal(pieces[i].begin(), pieces[i].end(), bytes.At(places[i])));
  }
  std::vector<std::byte> read;
  for (size_t i = 0; i < bytes.chunk_count(); ++i) {
    const std::span<std::byte> chunk = bytes.chunk(i);
    read.insert(read.end(), chunk.begin(), chunk.end());
  }
  EXPECT_EQ(read, all);
  EXPECT_EQ(bytes.size_bytes(), all.size());
}

TEST(ByteChunks, EstimateIsEnoughForPiecesOfEverySize) {
  for (const size_t piece_bytes : {size_t{1}, size_t{1000}, ByteChunks::kMaxPieceBytes}) {
    ByteChunks bytes;
    while (bytes.chunk_count() < 4) {
      bytes.Room();
      bytes.Commit(piece_bytes);
    }
    const size_t full_chunks = bytes.chunk_count() - 1;
    EXPECT_GE(ByteChunks::EstimateMemory(bytes.size_bytes()),
              full_chunks * ByteChunks::kChunkBytes - ByteChunks::kMaxPieceBytes);
  }
}

}  // namespace byte_chunks_test
}  // namespace pmdex
