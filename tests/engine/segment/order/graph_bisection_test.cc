#include "engine/segment/order/graph_bisection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace graph_bisection_test {

ForwardIndex MakeForwardIndex(const std::vector<std::vector<uint32_t>>& documents) {
  ForwardIndex index;
  index.starts.push_back(0);
  for (const auto& terms : documents) {
    index.terms.insert(index.terms.end(), terms.begin(), terms.end());
    index.starts.push_back(index.terms.size());
    for (const uint32_t term : terms) index.term_count = std::max(index.term_count, term + 1);
  }
  return index;
}

constexpr uint32_t kTermsOfATopic = 40;

// Documents of several topics in random order. Most terms of a document are of its topic.
std::vector<std::vector<uint32_t>> TopicDocuments(size_t count, uint32_t topics, uint64_t seed,
                                                  std::vector<uint32_t>& topic_of) {
  SeededRandom random(seed);
  std::vector<std::vector<uint32_t>> documents(count);
  for (auto& document : documents) {
    const auto topic = static_cast<uint32_t>(random.Below(topics));
    topic_of.push_back(topic);
    std::set<uint32_t> terms;
    for (int i = 0; i < 12; ++i) {
      const auto from = random.OneIn(8) ? static_cast<uint32_t>(random.Below(topics)) : topic;
      terms.insert(from * kTermsOfATopic + static_cast<uint32_t>(random.Below(kTermsOfATopic)));
    }
    document.assign(terms.begin(), terms.end());
  }
  return documents;
}

// The sum of the logarithms of all gaps between neighbours of a list: what bisection makes small.
double GapBits(const std::vector<std::vector<uint32_t>>& documents,
               const std::vector<DocId>& order) {
  std::vector<int64_t> last(100'000, -1);
  double bits = 0;
  for (size_t place = 0; place < order.size(); ++place) {
    for (const uint32_t term : documents[order[place]]) {
      bits += std::log2(static_cast<double>(static_cast<int64_t>(place) - last[term]));
      last[term] = static_cast<int64_t>(place);
    }
  }
  return bits;
}

TEST(GraphBisection, BringsDocumentsOfATopicTogether) {
  std::vector<uint32_t> topic_of;
  const auto documents = TopicDocuments(5000, 8, 61, topic_of);
  const auto order = BisectDocuments(MakeForwardIndex(documents), {}).value();
  size_t changes = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    changes += topic_of[order[i]] != topic_of[order[i - 1]] ? 1 : 0;
  }
  EXPECT_LT(changes, 500u) << "a random order has some 4,375";
  std::vector<DocId> as_it_was(documents.size());
  for (size_t i = 0; i < as_it_was.size(); ++i) as_it_was[i] = static_cast<DocId>(i);
  EXPECT_LT(GapBits(documents, order), 0.75 * GapBits(documents, as_it_was));
}

TEST(GraphBisection, GivesAPermutationForAnySizeAndTheSameForAnyThreads) {
  SeededRandom random(62);
  for (const size_t count : {0, 1, 2, 3, 31, 32, 33, 100, 1000, 9001}) {
    std::vector<uint32_t> topic_of;
    const auto documents = TopicDocuments(count, 5, 62 + count, topic_of);
    const ForwardIndex index = MakeForwardIndex(documents);
    for (const uint32_t least_range : {0U, 1U, 32U}) {
      BisectionOptions options;
      options.least_range = least_range;
      options.threads = 1;
      const auto order = BisectDocuments(index, options).value();
      std::vector<DocId> sorted = order;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted.size(), count);
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(sorted[i], i);
      options.threads = 3;
      EXPECT_EQ(BisectDocuments(index, options).value(), order);
    }
  }
}

TEST(GraphBisection, KeepsTheOrderOfDocumentsWithoutCommonTerms) {
  std::vector<std::vector<uint32_t>> documents(3000);
  for (uint32_t i = 0; i < documents.size(); i += 2) documents[i] = {i};
  const auto order = BisectDocuments(MakeForwardIndex(documents), {}).value();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(GraphBisection, TellsItsProgressAndEndsWhenItIsToldTo) {
  std::vector<uint32_t> topic_of;
  const ForwardIndex index = MakeForwardIndex(TopicDocuments(9001, 8, 63, topic_of));
  std::atomic<int> asked = 0;
  double done = 0;
  BisectionOptions options;
  options.stop = [&] {
    ++asked;
    return false;
  };
  options.progress = [&](double now) {
    EXPECT_GE(now, done);
    done = now;
  };
  EXPECT_TRUE(BisectDocuments(index, options).ok());
  EXPECT_NEAR(done, 1, 1e-6);
  const int in_all = asked;
  EXPECT_GT(in_all, 100);
  for (const int after : {0, 1, in_all / 2, in_all - 1}) {
    asked = 0;
    options.progress = {};
    options.stop = [&] { return asked++ >= after; };
    EXPECT_TRUE(absl::IsCancelled(BisectDocuments(index, options).status())) << after;
  }
}

}  // namespace graph_bisection_test
}  // namespace pmdex
