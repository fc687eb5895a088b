#include <immintrin.h>

#include "engine/memtable/posting_kernels.h"

namespace pmdex {
namespace {

constexpr size_t kChunk = 64;
constexpr size_t kLanes = 16;

uint64_t Low(size_t bits) {
  return _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(bits));
}
__mmask16 LowLanes(size_t lanes) {
  return static_cast<__mmask16>(Low(lanes));
}
uint32_t Ones(uint64_t mask) {
  return static_cast<uint32_t>(_mm_popcnt_u64(mask));
}
// The place of a one by its number. Requires that there is one.
uint32_t PlaceOf(uint32_t number, uint64_t mask) {
  return static_cast<uint32_t>(_tzcnt_u64(_pdep_u64(uint64_t{1} << number, mask)));
}

// Of sixteen lanes, seven bits each of four bytes.
__m512i Join(__m512i lanes) {
  const auto part = [&lanes](uint32_t shift, int mask) {
    return _mm512_and_si512(_mm512_srli_epi32(lanes, shift), _mm512_set1_epi32(mask));
  };
  constexpr int kAnyOfThree = 0xfe;
  const __m512i low =
      _mm512_ternarylogic_epi32(part(0, 0x7f), part(1, 0x3f80), part(2, 0x1fc000), kAnyOfThree);
  return _mm512_or_si512(low, part(3, 0xfe00000));
}

// The next values of a stream, at most sixteen.
struct Sixteen {
  size_t values = 0;
  size_t bytes = 0;       // that the values take
  bool has_five = false;  // one of them may have five bytes: then `lanes` is undefined
  uint64_t ends = 0;      // a bit for each byte that is the last one of a value
  __m512i lanes;          // the values
};

[[gnu::always_inline]] inline Sixteen DecodeSixteen(const uint8_t* bytes, size_t left,
                                                    uint64_t most) {
  Sixteen next;
  const uint64_t here = Low(left < kChunk ? left : kChunk);
  const __m512i chunk = _mm512_maskz_loadu_epi8(here, bytes);
  const uint64_t goes_on = _mm512_movepi8_mask(chunk) | ~here;
  next.ends = ~goes_on;
  size_t count = Ones(next.ends);
  count = count < kLanes ? count : kLanes;
  count = count < most ? count : most;
  next.values = count;
  if (count == 0) return next;
  // A lane of four bytes a value: which of them it has is asked where it begins.
  const uint64_t begins = next.ends << 1 | 1;
  const uint64_t three = goes_on & goes_on >> 1;
  const uint64_t four = three & goes_on >> 2;
  const uint64_t first = 0x1111111111111111 & Low(4 * count);
  const uint64_t filled = first | _pdep_u64(_pext_u64(goes_on, begins), first << 1) |
                          _pdep_u64(_pext_u64(three, begins), first << 2) |
                          _pdep_u64(_pext_u64(four, begins), first << 3);
  next.bytes = PlaceOf(static_cast<uint32_t>(count) - 1, next.ends) + 1;
  next.has_five = Ones(filled) != next.bytes;
  next.lanes = Join(_mm512_maskz_expand_epi8(filled, chunk));
  return next;
}

VByteRun Decode(std::span<const uint8_t> bytes, std::span<uint32_t> values) {
  VByteRun run;
  while (run.values < values.size()) {
    const Sixteen next = DecodeSixteen(bytes.data() + run.bytes, bytes.size() - run.bytes,
                                       values.size() - run.values);
    if (next.values == 0) return run;
    if (next.has_five) [[unlikely]] {
      const VByteRun slow = ScalarPostingKernels().decode(bytes.subspan(run.bytes),
                                                          values.subspan(run.values, next.values));
      run.bytes += slow.bytes;
      run.values += slow.values;
      continue;
    }
    _mm512_mask_storeu_epi32(values.data() + run.values, LowLanes(next.values), next.lanes);
    run.bytes += next.bytes;
    run.values += next.values;
  }
  return run;
}

// Lanes moved up, zeros below.
template <int kCount>
__m512i Up(__m512i lanes) {
  return _mm512_alignr_epi32(lanes, _mm512_setzero_si512(), 16 - kCount);
}
__m512i SumsUpTo(__m512i x) {
  x = _mm512_add_epi32(x, Up<1>(x));
  x = _mm512_add_epi32(x, Up<2>(x));
  x = _mm512_add_epi32(x, Up<4>(x));
  return _mm512_add_epi32(x, Up<8>(x));
}
__m512i MaximaUpTo(__m512i x) {
  x = _mm512_max_epu32(x, Up<1>(x));
  x = _mm512_max_epu32(x, Up<2>(x));
  x = _mm512_max_epu32(x, Up<4>(x));
  return _mm512_max_epu32(x, Up<8>(x));
}
__m512i Last(__m512i lanes) {
  return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), lanes);
}
__m512i All(uint32_t value) {
  return _mm512_set1_epi32(static_cast<int>(value));
}

VByteRun SplitScalar(std::span<const uint8_t> bytes, uint64_t values, uint32_t count,
                     PostingSplit& at, const SplitPostings<uint16_t>& out) {
  return ScalarPostingKernels().split(bytes, values, count, at, out);
}
VByteRun SplitScalar(std::span<const uint8_t> bytes, uint64_t values, uint32_t count,
                     PostingSplit& at, const SplitPostings<uint32_t>& out) {
  return ScalarPostingKernels().split_wide(bytes, values, count, at, out);
}

// A split on its way: `doc` and `position` stand in every lane of a vector meanwhile.
template <typename Position>
class Splitter {
 public:
  Splitter(uint32_t count, const PostingSplit& at, const SplitPostings<Position>& out)
      : count_(count), out_(out), now_(at), doc_(All(at.doc)), position_(All(at.position)) {}

  // True if sums of these values, and a position, fit into a lane.
  static bool CanTake(__m512i value) {
    return _mm512_cmpge_epu32_mask(value, All(uint32_t{1} << 28)) == 0;
  }

  // Takes the first `lanes` of these values, the others of which are 0, and returns how many: fewer
  // before posting `count`.
  size_t Take(__m512i value, size_t lanes) {
    uint32_t begins = _mm512_test_epi32_mask(value, _mm512_set1_epi32(1));
    if (now_.postings + Ones(begins) > count_) {
      lanes = PlaceOf(count_ - now_.postings, begins);
      begins &= static_cast<uint32_t>(Low(lanes));
    }
    const uint32_t others = static_cast<uint32_t>(Low(lanes)) & ~begins;
    const __m512i delta = _mm512_srli_epi32(value, 1);
    StoreDocs(begins, delta);
    StoreEnds(begins);
    StorePositions(begins, others, delta);
    now_.postings += Ones(begins);
    now_.positions += Ones(others);
    return lanes;
  }

  // The same for `values` values of these bytes, whatever they are.
  VByteRun TakeSlowly(std::span<const uint8_t> bytes, uint64_t values) {
    Finish();
    const VByteRun taken = SplitScalar(bytes, values, count_, now_, out_);
    doc_ = All(now_.doc);
    position_ = All(now_.position);
    return taken;
  }

  PostingSplit Finish() {
    now_.doc = static_cast<uint32_t>(_mm512_cvtsi512_si32(doc_));
    now_.position = static_cast<uint32_t>(_mm512_cvtsi512_si32(position_));
    if (now_.postings > 0) out_.ends[now_.postings - 1] = now_.positions;
    now_.has_wide |= wide_ != 0;
    return now_;
  }

 private:
  void StoreDocs(uint32_t begins, __m512i delta) {
    const auto lanes = static_cast<__mmask16>(begins);
    const __m512i docs =
        _mm512_add_epi32(SumsUpTo(_mm512_maskz_compress_epi32(lanes, delta)), doc_);
    _mm512_mask_storeu_epi32(out_.docids + now_.postings, LowLanes(Ones(begins)), docs);
    doc_ = Last(docs);
  }

  // Where a posting begins another one ends, but for the first.
  void StoreEnds(uint32_t begins) {
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const uint32_t first = now_.postings == 0 ? 1 : 0;
    const uint32_t that_end = first != 0 ? begins & (begins - 1) : begins;
    const __m512i places = _mm512_maskz_compress_epi32(static_cast<__mmask16>(that_end), numbers);
    const __m512i ends =
        _mm512_add_epi32(_mm512_sub_epi32(places, numbers), All(now_.positions - first));
    _mm512_mask_storeu_epi32(out_.ends + now_.postings - (1 - first), LowLanes(Ones(that_end)),
                             ends);
  }

  // Sums since the posting began: less the sum at its begin, the greatest of those so far. The
  // position from before counts up to the first begin only.
  void StorePositions(uint32_t begins, uint32_t others, __m512i delta) {
    const auto other_lanes = static_cast<__mmask16>(others);
    const __m512i sums = SumsUpTo(_mm512_maskz_mov_epi32(other_lanes, delta));
    const __m512i at_begins = _mm512_maskz_mov_epi32(static_cast<__mmask16>(begins), sums);
    const __m512i since = _mm512_sub_epi32(sums, MaximaUpTo(at_begins));
    const auto before_begin =
        static_cast<__mmask16>(begins == 0 ? 0xffff : (begins & (0 - begins)) - 1);
    const __m512i positions = _mm512_mask_add_epi32(since, before_begin, since, position_);
    wide_ |= _mm512_mask_cmpge_epu32_mask(other_lanes, positions, All(kPositionPage));
    const __m512i packed = _mm512_maskz_compress_epi32(other_lanes, positions);
    if constexpr (sizeof(Position) == sizeof(uint16_t)) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out_.positions + now_.positions),
                          _mm512_cvtepi32_epi16(packed));
    } else {
      _mm512_storeu_si512(out_.positions + now_.positions, packed);
    }
    position_ = Last(positions);
  }

  const uint32_t count_;
  const SplitPostings<Position>& out_;
  PostingSplit now_;  // but for doc and position
  __m512i doc_;
  __m512i position_;
  uint32_t wide_ = 0;  // not 0 if a position was kPositionPage or more
};

template <typename Position>
VByteRun Split(std::span<const uint8_t> bytes, uint64_t values, uint32_t count, PostingSplit& at,
               const SplitPostings<Position>& out) {
  Splitter<Position> splitter(count, at, out);
  VByteRun run;
  bool at_next = false;
  while (!at_next && run.values < values) {
    const Sixteen next =
        DecodeSixteen(bytes.data() + run.bytes, bytes.size() - run.bytes, values - run.values);
    if (next.values == 0) break;
    if (next.has_five || !Splitter<Position>::CanTake(next.lanes)) [[unlikely]] {
      const VByteRun slow = splitter.TakeSlowly(bytes.subspan(run.bytes), next.values);
      run.bytes += slow.bytes;
      run.values += slow.values;
      at_next = slow.values < next.values;
      continue;
    }
    const size_t taken = splitter.Take(next.lanes, next.values);
    at_next = taken < next.values;
    if (taken == 0) break;
    run.bytes += at_next ? PlaceOf(static_cast<uint32_t>(taken) - 1, next.ends) + 1 : next.bytes;
    run.values += taken;
  }
  at = splitter.Finish();
  at.at_next = at_next;
  return run;
}

}  // namespace

const PostingKernels& Avx512PostingKernels() {
  static constexpr PostingKernels kKernels = {Decode, Split<uint16_t>, Split<uint32_t>};
  return kKernels;
}

}  // namespace pmdex
