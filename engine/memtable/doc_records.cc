#include "engine/memtable/doc_records.h"

#include <cstring>
#include <new>

#include "pmem/check.h"
#include "pmem/short_bytes.h"

namespace pmdex {

void DocRecords::Add(std::string_view id) {
  PMDEX_CHECK(id.size() <= kMaxIdBytes);
  const size_t shared = size() % kDocsPerId == 0 ? 0 : CountSharedBytes(id, last_id_);
  const std::string_view added = id.substr(shared);
  last_id_.resize(shared);
  last_id_.append(added);
  const Arena::Handle handle = arena_.Allocate(sizeof(Record) + added.size());
  new (arena_.At(handle))
      Record{0, static_cast<uint16_t>(shared), static_cast<uint16_t>(added.size())};
  std::memcpy(arena_.At(handle) + sizeof(Record), added.data(), added.size());
  handles_.push_back(handle);
}

void DocRecords::RemoveLast() {
  handles_.pop_back();
  next_read_ = 0;
  if (!handles_.empty()) last_id_.assign(id(size() - 1));
}

std::string_view DocRecords::id(DocId doc) const {
  const DocId whole = doc - doc % kDocsPerId;
  if (next_read_ <= whole || next_read_ > doc) next_read_ = whole;
  for (; next_read_ <= doc; ++next_read_) {
    const Record& record = RecordOf(next_read_);
    read_id_.resize(record.shared_bytes);
    read_id_.append(reinterpret_cast<const char*>(&record + 1), record.added_bytes);
  }
  return read_id_;
}

}  // namespace pmdex
