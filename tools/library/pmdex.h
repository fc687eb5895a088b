// pmdex as a library: a full-text index that a program writes and searches at the same time.
//
//   auto index = pmdex::Index::Open("/tmp/books", {.create = true});
//   index->Add({"moby", {{"title", "Moby Dick"}, {"body", "Call me Ishmael."}}});
//   auto answer = index->TakeSnapshot()->Search("title:moby ishmael");
//   index->Replace({"moby", {{"title", "The Whale"}}});
//   index->Delete("moby");
//   index->Commit();
//
// Errors are values: look at ok() before you use a result. No function throws anything but
// std::bad_alloc, and your classes may not throw at all. All classes but
// Tokenizer and DocumentSource may be used by several threads at a time. docs/LIBRARY.md tells
// more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmdex {

enum class ErrorCode {
  kNone = 0,
  kInvalidArgument,  // a query that cannot be parsed, a document without an id, ...
  kNotFound,         // there is no index in the directory
  kAlreadyExists,
  kFailedPrecondition,  // the index was made in another way, or is not finished
  kUnavailable,         // another process or Index writes this index
  kResourceExhausted,   // no space, memory or file descriptors are left
  kDataLoss,            // bytes on the medium are not those that were written
  kUnimplemented,       // the index has a newer format
  kInternal,            // any other error of the system
  kCancelled,           // Close ended the call
};

class [[nodiscard]] CallStatus {
 public:
  CallStatus() = default;  // no error
  CallStatus(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == ErrorCode::kNone; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }  // one line for a person

 private:
  ErrorCode code_ = ErrorCode::kNone;
  std::string message_;
};

// A value, or the error for which there is none. Only if ok() may the value be used.
template <typename T>
class [[nodiscard]] CallResult {
 public:
  CallResult(T value) : value_(std::move(value)) {}              // NOLINT: converts
  CallResult(CallStatus status) : status_(std::move(status)) {}  // NOLINT: converts
  bool ok() const { return value_.has_value(); }
  const CallStatus& status() const { return status_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  CallStatus status_;
  std::optional<T> value_;
};

// A document: an id of 1 to 32766 bytes, and texts by the names of their fields. A name may come
// several times. Texts are UTF-8; invalid bytes are part of no word.
struct IndexDocument {
  std::string id;
  std::vector<std::pair<std::string, std::string>> fields;
};

// Where a program gets its documents from, for Index::AddAll.
class DocumentSource {
 public:
  virtual ~DocumentSource() = default;
  // The next document, or nullopt at the end.
  virtual std::optional<IndexDocument> Next() = 0;
};

// A word of a text. `term` is what queries look for; terms of more than 255 bytes are cut.
struct TextToken {
  std::string term;
  size_t begin = 0;  // [begin, end) are the bytes of the word in the text, for snippets
  size_t end = 0;
  uint32_t words_left_out = 0;  // before this one, so that phrases do not close the gap
};

// A tokenizer of your own. Documents and queries go through it. Each object is used by one thread
// at a time. A text may have at most 2^26 words and words left out; the others are dropped.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual std::vector<TextToken> Tokenize(std::string_view text) = 0;
  // The term of a query with wildcards or edits, as the terms of documents are: case folded, say.
  virtual std::string Normalize(std::string_view term) const { return std::string(term); }
};

// An index remembers the name, and opens only with a tokenizer of this name. Give a tokenizer that
// cuts in another way another name. `make` may be called by several threads at a time.
struct NamedTokenizer {
  std::string name;
  std::function<std::unique_ptr<Tokenizer>()> make;
};

struct IndexOptions {
  bool create = false;  // make an index if there is none in the directory
  // Of an index that is made. One that is there keeps what it was made with.
  std::string analyzer = "standard";  // standard, whitespace, english or log
  bool positions = true;              // needed for phrases
  bool store_text = false;            // needed for snippets of documents that are no files
  // In the place of an analyzer. Must be given whenever an index is opened that was made with it.
  std::optional<NamedTokenizer> tokenizer = std::nullopt;
  // Once there are so many bytes of documents in memory, Add writes them to the medium. They are
  // durable after Commit only. More than 2 GiB count as 2 GiB.
  size_t memory_budget_bytes = size_t{256} << 20;
  // Merge writes at most so many bytes a second, to spare searches; 0: no bound.
  uint64_t merge_bytes_per_second = 0;
};

enum class ScoreFormula { kBm25, kTfidf };

// Formulas of your own for the scores of words and phrases; that of a document is the sum over
// those of the query that it has. The search passes over documents that cannot be among the hits,
// and computes by your formulas what they could score at most. So a score must not fall when the
// frequency grows, must not grow when the length does, and must not be negative. Called by several
// threads at a time.
class Similarity {
 public:
  virtual ~Similarity() = default;
  // What a word is worth that so many of the documents with the field have; at least 0. That of a
  // phrase is the sum over its words. A boost in the query multiplies it, which makes the weight.
  virtual float WordWeight(uint64_t documents_with_word, uint64_t documents_with_field) const = 0;
  // What the length of a field, in words, does to scores. Lengths above 40 are rounded to one of
  // 216 values, as in Lucene; this is called once for each possible length and query.
  virtual float LengthFactor(float words, float average_words) const = 0;
  // The score of a word or phrase that a document has so many times. Of a phrase with slop the
  // frequency may be a fraction.
  virtual float Score(float weight, float frequency, float length_factor) const = 0;
};

struct SearchSettings {
  size_t hits = 10;
  ScoreFormula formula = ScoreFormula::kBm25;
  // Instead of the formula.
  std::shared_ptr<const Similarity> similarity = nullptr;
  // An exact total.
  bool count = false;
  // If the index stores text, or from the files that it was made of.
  bool snippets = false;
  // Then the answer is the best hits so far.
  std::optional<std::chrono::milliseconds> deadline = std::nullopt;
  // That may share the work of a query with many postings.
  size_t threads = 1;
};

struct SearchHit {
  std::string id;
  float score = 0;
  // The words that match have the bytes 0x01 before and 0x02 behind them.
  std::string snippet;
};

struct SearchAnswer {
  // The best first; equal scores in the order in which they were added.
  std::vector<SearchHit> hits;
  // How many documents match, or at least so many.
  uint64_t total = 0;
  bool total_exact = false;
  // Better hits may be missing.
  bool timed_out = false;
  // Parts of the index that are damaged, and why.
  std::vector<std::string> missing;
};

// The documents of one moment. They stay as they are whatever is written. Copies are cheap.
class IndexSnapshot {
 public:
  // What was committed last, for programs that only read. Needs no permission to write.
  static CallResult<IndexSnapshot> Open(const std::string& directory,
                                        const std::optional<NamedTokenizer>& tokenizer = {});
  uint64_t document_count() const;
  // query: in the language of docs/LIBRARY.md, which is that of `pmdex search`.
  CallResult<SearchAnswer> Search(std::string_view query,
                                  const SearchSettings& settings = {}) const;

 private:
  friend class Index;
  class Impl;
  explicit IndexSnapshot(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// An index that is open for writing. Only one may be open for a directory at a time. What was not
// committed is gone when it is destroyed: added documents, and deletions.
class Index {
 public:
  static CallResult<Index> Open(const std::string& directory, const IndexOptions& options = {});
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  // On return the document is in every snapshot that is taken from then on. Documents with the same
  // id are all kept.
  CallStatus Add(IndexDocument document);
  // The same in the place of all documents with its id. A snapshot has either them or the new one.
  // Returns true if there were any. The first call of Replace or Delete reads the ids of all
  // documents; a table of them stays in memory, of 11 to 30 bytes for each document.
  CallResult<bool> Replace(IndexDocument document);
  // Deletes all documents with this id. Snapshots that are taken from then on do not have them.
  // Returns false if there are none.
  CallResult<bool> Delete(std::string_view id);
  // Adds all documents of the source. Returns how many. After an error those before it are added.
  CallResult<uint64_t> AddAll(DocumentSource& source);
  // On return all that was added, replaced and deleted before is durable, and other processes see
  // it.
  CallStatus Commit();
  // Commits, and makes at most so many segments of those on the medium, without deleted documents;
  // 0: as many as the policy of `pmdex merge` leaves, which is cheap when there is little to do.
  // Each commit adds a segment, and a search takes longer the more there are. Writes wait until the
  // merge is done; snapshots are taken and searched meanwhile. The next Replace or Delete reads the
  // ids of all documents again. If the index cannot be opened again afterwards, this and all later
  // writes return the error. After Close has ended it the call returns kCancelled: the merges that
  // were done by then stay, and the others leave nothing behind.
  CallStatus Merge(size_t max_segments = 0);
  // All that was added, replaced and deleted before. Takes locks that writers take for a moment. If
  // there are new writes, it makes a segment of them in memory, on this thread, or if they are very
  // many on the medium, for which it may wait for a Commit.
  CallResult<IndexSnapshot> TakeSnapshot();
  // Ends a Merge of another thread soon, waits for other writes, and gives the index free for
  // others to write. From then on all calls but TakeSnapshot return kFailedPrecondition. What was
  // not committed is gone for the next who opens the index. The destructor does it, too, but may be
  // called only when no other thread uses the object.
  void Close();

 private:
  class Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pmdex
