#include "query/aggregations/values/distinct_counter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pmdex {
namespace {

// Ertl's sigma: the sum of x^(2^k) * 2^(k-1) over k >= 1, plus x.
double Sigma(double x) {
  if (x == 1.0) return HUGE_VAL;
  double factor = 1;
  double sum = x;
  for (double before = -1; sum != before;) {
    x *= x;
    before = sum;
    sum += x * factor;
    factor += factor;
  }
  return sum;
}

// Ertl's tau.
double Tau(double x) {
  if (x == 0.0 || x == 1.0) return 0;
  double factor = 1;
  double sum = 1 - x;
  for (double before = -1; sum != before;) {
    x = std::sqrt(x);
    before = sum;
    factor *= 0.5;
    sum -= (1 - x) * (1 - x) * factor;
  }
  return sum / 3;
}

}  // namespace

void DistinctCounter::Add(uint64_t hash) {
  if (registers_ != nullptr) return AddToRegisters(hash);
  hashes_.insert(hash);
  if (hashes_.size() > kMostExact) LeaveHashes();
}

void DistinctCounter::AddToRegisters(uint64_t hash) {
  const size_t index = hash >> (64 - kIndexBits);
  const uint64_t rest = hash << kIndexBits;
  const auto zeros = std::min(static_cast<unsigned>(std::countl_zero(rest)) + 1, kMostZeros);
  uint8_t& greatest = (*registers_)[index];
  greatest = std::max(greatest, static_cast<uint8_t>(zeros));
}

void DistinctCounter::LeaveHashes() {
  registers_ = std::make_unique<Registers>();
  registers_->fill(0);
  for (const uint64_t hash : hashes_) AddToRegisters(hash);
  hashes_ = {};
}

void DistinctCounter::Merge(const DistinctCounter& other) {
  if (other.registers_ == nullptr) {
    for (const uint64_t hash : other.hashes_) Add(hash);
    return;
  }
  if (registers_ == nullptr) LeaveHashes();
  for (size_t i = 0; i < kRegisters; ++i) {
    (*registers_)[i] = std::max((*registers_)[i], (*other.registers_)[i]);
  }
}

uint64_t DistinctCounter::Count() const {
  if (registers_ == nullptr) return hashes_.size();
  constexpr auto kCount = static_cast<double>(kRegisters);
  std::array<uint32_t, kMostZeros + 1> with{};  // registers of each value
  for (const uint8_t value : *registers_) ++with[value];
  double z = kCount * Tau(1 - with[kMostZeros] / kCount);
  for (unsigned value = kMostZeros - 1; value >= 1; --value) z = 0.5 * (z + with[value]);
  z += kCount * Sigma(with[0] / kCount);
  const double scale = kCount * kCount / (2 * std::log(2.0));
  return static_cast<uint64_t>(std::llround(scale / z));
}

}  // namespace pmdex
