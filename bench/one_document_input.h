// A segment input for benchmarks of the dictionary: one document that contains every term once. The
// terms must be in byte order and outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/segment/segment_input.h"

namespace pmdex {

class OneDocumentInput : public SegmentInput {
 public:
  explicit OneDocumentInput(const std::vector<std::string>& terms) : terms_(terms) {
    fields_.push_back({"body", 1, terms.size(), norms_});
  }
  AnalyzerKind analyzer() const override { return AnalyzerKind::kWhitespace; }
  bool has_positions() const override { return false; }
  bool has_stored_text() const override { return false; }
  uint32_t doc_count() const override { return 1; }
  std::span<const SegmentField> fields() const override { return fields_; }
  std::string_view doc_id(DocId) const override { return "doc"; }
  uint32_t doc_token_count(DocId) const override { return static_cast<uint32_t>(terms_.size()); }
  size_t stored_chunk_count() const override { return 0; }
  StoredChunk stored_chunk(size_t) const override { return {}; }
  std::span<const std::byte> stored_chunk_bytes(size_t) const override { return {}; }
  std::unique_ptr<TermStream> OpenTerms() override { return std::make_unique<Stream>(terms_); }

 private:
  class Stream : public TermStream {
   public:
    explicit Stream(const std::vector<std::string>& terms) : terms_(terms) {}
    bool Next() override {
      read_ = false;
      return at_++ < terms_.size();
    }
    FieldId field() const override { return 0; }
    std::string_view term() const override { return terms_[at_ - 1]; }
    uint32_t df() const override { return 1; }
    uint64_t cf() const override { return 1; }
    bool NextBlock(PostingBlock& block) override {
      block.count = read_ ? 0 : 1;
      block.docids[0] = 0;
      block.freqs[0] = 1;
      return !std::exchange(read_, true);
    }

   private:
    const std::vector<std::string>& terms_;
    size_t at_ = 0;
    bool read_ = false;
  };
  const std::vector<std::string>& terms_;
  std::vector<uint8_t> norms_{200};
  std::vector<SegmentField> fields_;
};

}  // namespace pmdex
