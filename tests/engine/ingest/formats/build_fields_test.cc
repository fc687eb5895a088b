// Which fields an index has, and what is found in them, when the input has more fields than an
// index may have: the same whatever the threads and the memory, in one run, in several, and by
// appending.
#include "engine/ingest/formats/build_fields.h"

#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/ingest/build_options.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/segment/dictionary/term_iterator.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace build_fields_test {

class BuildFieldsTest : public IngestFixture {
 protected:
  BuildFieldsTest() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kJsonl;
    options_.block_bytes = uint64_t{64} << 10;  // many, to be dealt to threads
    options_.max_fields = 30;
  }

  // Several files of lines with a few of many keys each, in an order that is not that of their
  // sizes. Values of one file have a word of that file.
  void WriteManyKeys() {
    std::mt19937 random(1);
    for (const auto& [name, lines] :
         std::map<std::string, int>{{"a", 100}, {"b", 2500}, {"c", 900}}) {
      options_.inputs.push_back(Write(name + ".jsonl", ManyKeys(random, name, lines)));
    }
  }
  static std::string ManyKeys(std::mt19937& random, const std::string& name, int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) {
      text += "{\"id\": \"" + name + std::to_string(i) + "\"";
      for (uint32_t n = 1 + random() % 3; n > 0; --n) {
        // Few of them often, many rarely.
        const uint32_t key = random() % 4 == 0 ? random() % 2000 : random() % 20;
        text += ", \"k" + std::to_string(key) + "\": \"word " + name + std::to_string(i) + " w" +
                std::to_string(random() % 50) + "\"";
      }
      text += "}\n";
    }
    return text;
  }

  // The terms of every field, with the documents that have them: what can be found.
  static std::map<std::string, std::set<std::string>> Content(const Directory& directory) {
    std::map<std::string, std::set<std::string>> content;
    const auto snapshot = Snapshot::Open(directory);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    if (!snapshot.ok()) return content;
    for (const auto& segment : (*snapshot)->segments()) {
      for (size_t field = 0; field < segment->fields().size(); ++field) {
        TermIterator terms(segment->dictionary(), static_cast<FieldId>(field));
        while (terms.Next()) {
          auto& documents =
              content[std::string(segment->fields()[field].name) + ":" + std::string(terms.term())];
          const DictionaryEntry entry = terms.entry().value();
          const auto list = segment->Postings(entry);
          for (uint32_t i = 0; i < list->df; ++i) {
            documents.insert(std::string(*segment->doc_id(list->Doc(i))) + " " +
                             std::to_string(list->Freq(i)));
          }
        }
      }
    }
    return content;
  }
  static std::vector<std::string> Fields(const Directory& directory) {
    const auto snapshot = Snapshot::Open(directory);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    if (!snapshot.ok()) return {};
    const auto names = (*snapshot)->field_names();
    return {names.begin(), names.end()};
  }

  // With one thread, and then however it is tuned.
  void ExpectTheSameHoweverItIsTuned() {
    IngestReport plain = Run(options_.inputs);
    const auto content = Content(*directory_);
    EXPECT_EQ(Fields(*directory_).size(), options_.max_fields + 1);
    EXPECT_GT(CountOf(plain, ProblemKind::kTooManyFields), 100u);
    EXPECT_EQ(plain.skipped, 0u);
    struct Tuned {
      int threads;
      uint64_t memory_mib;
    };
    for (const Tuned& tuned : {Tuned{4, 64}, Tuned{3, 256}, Tuned{1, 32}, Tuned{4, 128}}) {
      options_.indexer_threads = options_.reader_threads = tuned.threads;
      options_.memory_bytes = tuned.memory_mib << 20;
      const IngestReport report = Run(options_.inputs);
      EXPECT_EQ(report.documents, plain.documents);
      EXPECT_EQ(CountOf(report, ProblemKind::kTooManyFields),
                CountOf(plain, ProblemKind::kTooManyFields));
      EXPECT_TRUE(Content(*directory_) == content) << tuned.threads << " threads";
    }
  }
};

TEST_F(BuildFieldsTest, AreTheFirstInTheOrderOfTheInputHoweverItIsTuned) {
  WriteManyKeys();
  ExpectTheSameHoweverItIsTuned();
}

TEST_F(BuildFieldsTest, AreCountedAndFoundInOneFieldBeyondTheLimit) {
  options_.max_fields = 2;
  const std::string longest(kMaxFieldNameBytes, 'l');
  const std::string too_long = longest + std::string(3 << 10, 'l');
  options_.inputs = {
      Write("in",
            "{\"id\": \"1\", \"a\": {\"b\": \"one\"}, \"\": \"two\"}\n"
            "{\"id\": \"2\", \"c\": [\"three\", \"four\"], \"d e\": \"five\", \"a.b\": \"six\"}\n"
            "{\"id\": \"3\", \"" +
                longest +
                "\": \"seven\", \"_other\": \"eight\"}\n"
                "{\"id\": \"4\", \"" +
                too_long +
                "\": {\"x\": \"nine\", \"y\": \"ten\"}}\n"
                "{\"id\": \"5\", \"body\": \"eleven\", \"a.b\": \"twelve\"}\n")};
  const IngestReport report = Run(options_.inputs);
  EXPECT_EQ(Fields(*directory_), (std::vector<std::string>{"", "_other", "a.b", "body"}));
  EXPECT_EQ(CountOf(report, ProblemKind::kTooManyFields), 3u);
  EXPECT_TRUE(FirstPlace(report, ProblemKind::kTooManyFields).starts_with(Path("in") + ":2"));
  EXPECT_EQ(report.skipped, 0u);
  const std::map<std::string, std::set<std::string>> expected = {
      {":two", {"1 1"}},         {"a.b:one", {"1 1"}},     {"a.b:six", {"2 1"}},
      {"a.b:twelve", {"5 1"}},   {"body:eleven", {"5 1"}}, {"_other:three", {"2 1"}},
      {"_other:four", {"2 1"}},  {"_other:five", {"2 1"}}, {"_other:seven", {"3 1"}},
      {"_other:eight", {"3 1"}}, {"_other:nine", {"4 1"}}, {"_other:ten", {"4 1"}}};
  EXPECT_EQ(Content(*directory_), expected);
}

TEST_F(BuildFieldsTest, OfAnIndexThatIsExtendedStay) {
  options_.max_fields = 2;
  Run({Write("1", "{\"old\": \"a\"}")}, OpenMode::kCreate);
  EXPECT_EQ(CountOf(Run({Write("2", "{\"x\": \"b\"}\n{\"y\": \"c\", \"old\": \"d\"}")},
                        OpenMode::kAppend),
                    ProblemKind::kTooManyFields),
            1u);
  EXPECT_EQ(Fields(*directory_), (std::vector<std::string>{"_other", "old", "x"}));
  Run({Write("3", "{\"y\": \"e\"}\n{\"x\": \"f\"}")}, OpenMode::kAppend);
  EXPECT_EQ(Fields(*directory_), (std::vector<std::string>{"_other", "old", "x"}));
  Run({Write("4", "{\"y\": \"e\", \"z\": \"f\"}")}, OpenMode::kOverwrite);
  EXPECT_EQ(Fields(*directory_), (std::vector<std::string>{"y", "z"}));
}

TEST_F(BuildFieldsTest, AreThoseThatAreListed) {
  options_.max_fields = 2;
  options_.fields = {"b", "c", "a"};
  const IngestReport report =
      Run({Write("in", "{\"a\": \"x\", \"d\": \"y\"}\n{\"b\": \"x\", \"c\": \"x\"}")});
  EXPECT_EQ(Fields(*directory_), (std::vector<std::string>{"_other", "b", "c"}));
  EXPECT_EQ(CountOf(report, ProblemKind::kTooManyFields), 1u);
}

// Runs that die after a while, each with other threads, until one comes to its end.
TEST_F(BuildFieldsTest, AreTheSameWhenABuildIsTakenUp) {
  WriteManyKeys();
  options_.checkpoint_interval = std::chrono::milliseconds(0);
  const IngestReport whole = Run(options_.inputs);
  const auto content = Content(*directory_);
  std::mt19937 random(2);
  uint64_t resumed = 0;
  for (int round = 0; round < 6; ++round) {
    const auto directory = NewDramDirectory("pieces");
    int64_t most = 20;
    for (bool done = false; !done;) {
      options_.indexer_threads = 1 + static_cast<int>(random() % 4);
      options_.reader_threads = 1 + static_cast<int>(random() % 3);
      most += 15;
      FailingDirectory failing(*directory, 1 + static_cast<int64_t>(random()) % most);
      auto writer = IndexWriter::OpenToResume(failing, OpenMode::kCreate, DescribeBuild(options_),
                                              options_.settings);
      if (!writer.ok()) continue;
      if ((*writer)->is_built()) break;
      const auto report = Ingest(options_, **writer, nullptr);
      done = report.ok();
      if (!done) continue;
      resumed += report->resumed_documents;
      EXPECT_EQ(report->documents, whole.documents);
      EXPECT_EQ(CountOf(*report, ProblemKind::kTooManyFields),
                CountOf(whole, ProblemKind::kTooManyFields));
    }
    EXPECT_TRUE(Content(*directory) == content) << "round " << round;
  }
  EXPECT_GT(resumed, 0u) << "nothing was ever taken up";
}

// The functions by themselves, for a build that has begun.
class OpenBuildFieldsTest : public BuildFieldsTest {
 protected:
  void Begin(OpenMode mode) {
    writer_.reset();
    auto writer = IndexWriter::Open(*directory_, mode, options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    ASSERT_TRUE(writer_->StartBuild("x").ok());
  }
  BuildParameters Parameters() const {
    return ResolveParameters(options_, directory_->granularity());
  }
  std::unique_ptr<FieldRegistry> Fields(const BuildProgress& done = {}) {
    auto fields = OpenBuildFields(options_, Parameters(), *writer_, done);
    EXPECT_TRUE(fields.ok()) << fields.status();
    return fields.ok() ? std::move(fields->registry) : nullptr;
  }
  // The names of SettleFields, sorted.
  std::vector<std::string> Settled() const {
    const auto fields = SettleFields(options_, Parameters(), *writer_);
    EXPECT_TRUE(fields.ok()) << fields.status();
    std::vector<std::string> names;
    if (!fields.ok()) return names;
    for (const auto& [name, field] : *fields) names.push_back(name);
    return names;
  }
  // Which of the names have a field of their own.
  static std::string Admitted(FieldRegistry& fields, const std::vector<std::string>& names) {
    std::string admitted;
    for (const std::string& name : names) {
      if (fields.Admit(name, {}).has_value()) admitted += name;
    }
    return admitted;
  }

  std::unique_ptr<IndexWriter> writer_;
};

TEST_F(OpenBuildFieldsTest, AdmitsNamesUpToTheLimitAndThenOverflows) {
  options_.max_fields = 2;
  options_.inputs = {Write("in", "{}")};
  Begin(OpenMode::kCreate);
  const auto fields = Fields();
  EXPECT_EQ(Admitted(*fields, {"a", "b", "a"}), "aba");
  EXPECT_FALSE(fields->overflowed());
  EXPECT_EQ(Admitted(*fields, {"c"}), "");
  EXPECT_TRUE(fields->overflowed());
}

TEST_F(OpenBuildFieldsTest, TakesTheNamesThatAnEarlierRunHasSettled) {
  options_.inputs = {Write("in", "{}")};
  Begin(OpenMode::kCreate);
  BuildProgress done;
  for (const char* name : {"b", "d"}) done.fields.emplace(name, KnownField::Of(FieldSpec()));
  done.fields_are_settled = true;
  const auto fields = Fields(done);
  EXPECT_EQ(Admitted(*fields, {"a", "b", "c", "d"}), "bd");
  EXPECT_FALSE(fields->overflowed());
}

TEST_F(OpenBuildFieldsTest, TakesTheNamesThatAreListedAndNoOthers) {
  options_.fields = {"b", "c"};
  options_.inputs = {Write("in", "{}")};
  Begin(OpenMode::kCreate);
  const auto fields = Fields();
  EXPECT_EQ(Admitted(*fields, {"a", "b", "c"}), "bc");
  EXPECT_FALSE(fields->overflowed());
}

TEST_F(OpenBuildFieldsTest, PutsTheNamesOfTheIndexThatIsExtendedFirst) {
  options_.max_fields = 2;
  Run({Write("1", "{\"old\": \"x\"}")}, OpenMode::kCreate);
  Begin(OpenMode::kAppend);
  const auto fields = Fields();
  EXPECT_EQ(Admitted(*fields, {"a", "old", "b"}), "aold");
}

TEST_F(OpenBuildFieldsTest, SettleFieldsTakesTheFirstNamesOfTheInput) {
  options_.max_fields = 3;
  options_.inputs = {Write("1.jsonl", "{\"b\": \"x\"}\n{\"a\": \"x\", \"b\": \"x\"}\n"),
                     Write("2.jsonl", "{\"c\": \"x\", \"d\": \"x\"}\n")};
  Begin(OpenMode::kCreate);
  EXPECT_EQ(Settled(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(OpenBuildFieldsTest, SettleFieldsKeepsTheNamesOfTheIndexThatIsExtended) {
  options_.max_fields = 2;
  Run({Write("1", "{\"old\": \"x\"}")}, OpenMode::kCreate);
  options_.inputs = {Write("2", "{\"new\": \"x\", \"more\": \"x\"}")};
  Begin(OpenMode::kAppend);
  EXPECT_EQ(Settled(), (std::vector<std::string>{"new", "old"}));
}

// Input that can be read only once.
class StandardInputTest : public BuildFieldsTest {
 protected:
  StandardInputTest() : saved_(dup(STDIN_FILENO)) {}
  ~StandardInputTest() override {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  void Give(const std::string& path) {
    ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
    ASSERT_EQ(fileno(stdin), STDIN_FILENO);
  }

 private:
  const int saved_;
};

TEST_F(StandardInputTest, HasTheFieldsThatComeFirstHoweverManyThreadsThereAre) {
  std::mt19937 random(3);
  const std::string path = Write("stdin", ManyKeys(random, "s", 6000));
  Run({path});
  const auto content = Content(*directory_);
  for (const int threads : {1, 4}) {
    options_.indexer_threads = threads;
    Give(path);
    const IngestReport report = Run({"-"});
    EXPECT_EQ(report.documents, 6000u);
    EXPECT_TRUE(Content(*directory_) == content) << threads << " threads";
  }
}

TEST_F(StandardInputTest, ComesBehindTheFilesThatAreGivenWithIt) {
  options_.max_fields = 3;
  const std::string path = Write("stdin", "{\"s\": \"x\", \"t\": \"x\"}\n");
  const std::string first = Write("a", "{\"a\": \"x\"}\n");
  const std::string last = Write("b", "{\"b\": \"x\"}\n");
  for (const int threads : {1, 3}) {
    options_.indexer_threads = options_.reader_threads = threads;
    Give(path);
    Run({first, "-", last});
    EXPECT_EQ(Fields(*directory_), (std::vector<std::string>{"_other", "a", "b", "s"}));
  }
}

TEST_F(StandardInputTest, CannotBeGivenTwice) {
  EXPECT_TRUE(absl::IsInvalidArgument(TryRun({"-", "-"}).status()));
}

}  // namespace build_fields_test
}  // namespace pmdex
