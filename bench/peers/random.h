// Random numbers for the corpora and queries on which engines are compared. For one thread.
#pragma once

#include <cmath>
#include <cstdint>

namespace pmdex {

// The generator splitmix64, which gives the same numbers with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t bound) { return Next() % bound; }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  bool Chance(double probability) { return Unit() < probability; }
  // A length around the median with a log-normal distribution. It is a sum of uniform numbers, so
  // that no differences of libm can change it.
  double LogNormal(double median, double sigma) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += Unit();
    return median * std::exp(sigma * normal);
  }

 private:
  uint64_t state_;
};

}  // namespace pmdex
