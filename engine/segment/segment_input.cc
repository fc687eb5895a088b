#include "engine/segment/segment_input.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

class SomeTerms final : public TermStream {
 public:
  SomeTerms(std::unique_ptr<TermStream> terms, std::span<const uint32_t> numbers)
      : terms_(std::move(terms)), numbers_(numbers) {}

  bool Next() override {
    if (next_ == numbers_.size()) return false;
    for (const uint32_t number = numbers_[next_++]; passed_ <= number; ++passed_) {
      if (!terms_->Next()) return false;
    }
    return true;
  }
  FieldId field() const override { return terms_->field(); }
  std::string_view term() const override { return terms_->term(); }
  uint32_t df() const override { return terms_->df(); }
  uint64_t cf() const override { return terms_->cf(); }
  ListExtras extras() const override { return terms_->extras(); }
  bool NextBlock(PostingBlock& block) override { return terms_->NextBlock(block); }

 private:
  const std::unique_ptr<TermStream> terms_;
  const std::span<const uint32_t> numbers_;
  size_t next_ = 0;
  uint64_t passed_ = 0;  // terms
};

}  // namespace

absl::Status BrokenStream(const TermStream& terms, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal,
                    absl::StrCat("term stream, field ", terms.field(), ", term \"",
                                 ToAbsl(terms.term()), "\": ", ToAbsl(what)));
}

uint64_t SegmentInput::stored_bytes() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < stored_chunk_count(); ++i) bytes += stored_chunk_bytes(i).size();
  return bytes;
}

std::unique_ptr<TermStream> SegmentInput::OpenSomeTerms(std::span<const uint32_t> numbers) {
  return std::make_unique<SomeTerms>(OpenTerms(), numbers);
}

}  // namespace pmdex
