// A small program on the library of pmdex: it adds documents, searches them, deletes one, commits,
// and opens the index again as a program that only reads does.
//   books DIRECTORY
#include <pmdex.h>

#include <cstdio>

static int Fail(const pmdex::CallStatus& status) {
  std::fprintf(stderr, "books: %s\n", status.message().c_str());
  return 1;
}

static void Print(const char* when, const pmdex::SearchAnswer& answer) {
  std::printf("%s: %zu\n", when, answer.hits.size());
  for (const auto& hit : answer.hits) std::printf("  %-8s %.4f\n", hit.id.c_str(), hit.score);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto index = pmdex::Index::Open(argv[1], {.create = true, .analyzer = "english"});
  if (!index.ok()) return Fail(index.status());
  auto added = index->Add({"moby", {{"title", "Moby Dick"}, {"body", "Whales swim far."}}});
  if (!added.ok()) return Fail(added);
  added = index->Add({"emma", {{"title", "Emma"}, {"body", "Emma was handsome and clever."}}});
  if (!added.ok()) return Fail(added);
  const auto snapshot = index->TakeSnapshot();  // has the documents, which are not durable yet
  if (!snapshot.ok()) return Fail(snapshot.status());
  const auto found = snapshot->Search("title:moby OR whale");
  if (!found.ok()) return Fail(found.status());
  Print("added", *found);
  const auto deleted = index->Delete("moby");  // snapshots that are there keep it
  if (!deleted.ok()) return Fail(deleted.status());
  if (const auto status = index->Commit(); !status.ok()) return Fail(status);
  const auto committed = pmdex::IndexSnapshot::Open(argv[1]);
  if (!committed.ok()) return Fail(committed.status());
  const auto again = committed->Search("whale OR clever");
  if (!again.ok()) return Fail(again.status());
  Print("committed", *again);
}
