// Which types the fields of JSON lines have, and which values are bad: the same whatever the
// threads and the memory, in one run, in several, and by appending.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/column_view.h"
#include "engine/columns/field_spec.h"
#include "engine/ingest/build_options.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace typed_fields_test {

using BadValues = std::map<std::string, uint64_t>;

class TypedFieldsTest : public IngestFixture {
 protected:
  TypedFieldsTest() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kJsonl;
    options_.block_bytes = uint64_t{64} << 10;  // many, to be dealt to threads
  }
  static FieldSpecs SpecsIn(const Directory& directory) {
    const auto snapshot = Snapshot::Open(directory);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.ok() ? (*snapshot)->manifest().fields : FieldSpecs{};
  }
  FieldType TypeOf(const std::string& name) const {
    const FieldSpecs fields = SpecsIn(*directory_);
    const auto field = fields.find(name);
    EXPECT_TRUE(field != fields.end()) << name;
    return field == fields.end() ? FieldType::kText : field->second.type;
  }
  // Lines of 500 documents that have no other field than the id.
  static std::string PlainSample() {
    std::string text;
    for (int i = 0; i < 500; ++i) text += "{\"id\": \"s" + std::to_string(i) + "\"}\n";
    return text;
  }
  // Files in which fields appear late and with values of several types.
  void WriteLateFields(uint32_t seed) {
    std::mt19937 random(seed);
    const std::vector<std::string> values = {
        "1",         "2.5", "\"word\"", "true", "[1, 2]", "null", "[]", "\"2026-01-01T00:00:00Z\"",
        "{\"x\": 1}"};
    options_.inputs.clear();
    for (const char* name : {"a", "b", "c"}) {
      std::string text = PlainSample();
      const int lines = 500 + static_cast<int>(random() % 3000);
      for (int i = 0; i < lines; ++i) {
        text += "{\"id\": \"" + std::string(name) + std::to_string(i) + "\", \"k" +
                std::to_string(random() % 20) + "\": " + values[random() % values.size()] + "}\n";
      }
      options_.inputs.push_back(Write(std::string(name) + ".jsonl", text));
    }
  }
};

TEST_F(TypedFieldsTest, FollowFromTheFirstFiveHundredDocuments) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "{\"i\": " + std::to_string(i) + ", \"f\": " + (i == 499 ? "0.5" : "1") +
            ", \"t\": \"word\", \"d\": \"2026-01-01T00:00:00Z\", \"b\": true, \"m\": " +
            (i == 0 ? "1" : "\"x\"") + ", \"a\": [1], \"o\": {\"p\": 1}}\n";
  }
  const std::string after = "{\"i\": 0.5, \"late\": [\"x\"], \"t\": [\"y\"]}\n{\"late\": 1}\n";
  const IngestReport report = Run({Write("in", text + after)});
  const FieldSpecs expected = {{"i", {FieldType::kI64, Multiplicity::kOne}},
                               {"f", {FieldType::kF64, Multiplicity::kOne}},
                               {"t", {FieldType::kText, Multiplicity::kOne}},
                               {"d", {FieldType::kDate, Multiplicity::kOne}},
                               {"b", {FieldType::kBool, Multiplicity::kOne}},
                               {"m", {FieldType::kKeyword, Multiplicity::kOne}},
                               {"a", {FieldType::kI64, Multiplicity::kMany}},
                               {"o.p", {FieldType::kI64, Multiplicity::kOne}},
                               {"late", {FieldType::kText, Multiplicity::kMany}}};
  EXPECT_EQ(SpecsIn(*directory_), expected);
  EXPECT_EQ(report.bad_values, (BadValues{{"i", 1}, {"t", 1}}));
  EXPECT_EQ(CountOf(report, ProblemKind::kBadValue), 2u);
  EXPECT_EQ(FirstPlace(report, ProblemKind::kBadValue),
            Path("in") + ":501: field i: 0.5 is no value of type i64");
  EXPECT_EQ(report.documents, 502u);
  EXPECT_EQ(report.skipped, 0u);
}

TEST_F(TypedFieldsTest, ValuesAreInTheColumnsOfTheirDocuments) {
  Run({Write("in",
             "{\"id\": \"a\", \"n\": -5, \"k\": [\"x\", 1]}\n{\"id\": \"b\"}\n"
             "{\"id\": \"c\", \"n\": 7.0, \"k\": \"x\"}\n")});
  const auto snapshot = Snapshot::Open(*directory_);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  ASSERT_EQ((*snapshot)->segments().size(), 1u);
  const Segment& segment = *(*snapshot)->segments()[0];
  const ColumnView* const numbers = segment.FindColumn("n");
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(numbers->doc_count(), 2u);
  EXPECT_EQ(numbers->type(), FieldType::kF64) << "7.0 has a point";
  EXPECT_EQ(F64OfKey(*numbers->KeyAt(0)), -5);
  EXPECT_EQ(F64OfKey(*numbers->KeyAt(1)), 7);
  const ColumnView* const keywords = segment.FindColumn("k");
  ASSERT_NE(keywords, nullptr);
  EXPECT_EQ(keywords->value_count(), 3u);
  EXPECT_EQ(*keywords->Keyword(*keywords->KeyAt(1)), "1");
  EXPECT_FALSE(segment.FindField("n").has_value()) << "numbers are no text";
}

TEST_F(TypedFieldsTest, OfASchemaComeBeforeThoseOfTheSample) {
  options_.schema = {{"n", {FieldType::kKeyword, Multiplicity::kOne}},
                     {"open", {FieldType::kI64, Multiplicity::kOpen}},
                     {"never", {FieldType::kDate, Multiplicity::kOpen}}};
  const IngestReport report =
      Run({Write("in",
                 "{\"n\": 1, \"open\": 1, \"new\": 2}\n{\"n\": [1], \"open\": [2, 3]}\n"
                 "{\"n\": {\"x\": true}, \"open\": null}")});
  const FieldSpecs expected = {{"n", {FieldType::kKeyword, Multiplicity::kOne}},
                               {"n.x", {FieldType::kBool, Multiplicity::kOne}},
                               {"never", {FieldType::kDate, Multiplicity::kOpen}},
                               {"new", {FieldType::kI64, Multiplicity::kOne}},
                               {"open", {FieldType::kI64, Multiplicity::kMany}}};
  EXPECT_EQ(SpecsIn(*directory_), expected);
  EXPECT_EQ(report.bad_values, (BadValues{{"n", 2}}));
}

TEST_F(TypedFieldsTest, StayWhenTheIndexIsExtended) {
  Run({Write("1", "{\"n\": 1, \"t\": \"x\"}")}, OpenMode::kCreate);
  const IngestReport report =
      Run({Write("2", "{\"n\": \"x\", \"t\": 5, \"more\": true}")}, OpenMode::kAppend);
  EXPECT_EQ(TypeOf("n"), FieldType::kI64);
  EXPECT_EQ(TypeOf("t"), FieldType::kText);
  EXPECT_EQ(TypeOf("more"), FieldType::kBool);
  EXPECT_EQ(report.bad_values, (BadValues{{"n", 1}}));
  EXPECT_EQ(Find("t", "5").size(), 1u) << "text takes numbers as they are written";
  options_.schema = {{"n", {FieldType::kF64, Multiplicity::kOpen}}};
  const auto refused = TryRun({Path("2")}, OpenMode::kAppend);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
  Run({Path("2")}, OpenMode::kOverwrite);
  EXPECT_EQ(TypeOf("n"), FieldType::kF64);
  EXPECT_EQ(TypeOf("t"), FieldType::kI64);
}

TEST_F(TypedFieldsTest, ASchemaMayLetAFieldOfTheIndexTakeSeveralValues) {
  Run({Write("1", "{\"n\": 1}")}, OpenMode::kCreate);
  options_.schema = {{"n", {FieldType::kI64, Multiplicity::kMany}}};
  const IngestReport report = Run({Write("2", "{\"n\": [2, 3]}")}, OpenMode::kAppend);
  EXPECT_EQ(report.bad_values, BadValues());
  EXPECT_EQ(SpecsIn(*directory_)["n"], (FieldSpec{FieldType::kI64, Multiplicity::kMany}));
  options_.schema = {{"n", {FieldType::kI64, Multiplicity::kOne}}};
  const auto refused = TryRun({Path("2")}, OpenMode::kAppend);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
}

TEST_F(TypedFieldsTest, AreOfTheListedFieldsAlone) {
  options_.fields = {"a", "late"};
  const IngestReport report = Run(
      {Write("in", "{\"a\": 1, \"b\": 2}\n" + PlainSample() + "{\"late\": true, \"a\": \"x\"}\n")});
  const FieldSpecs expected = {{"a", {FieldType::kI64, Multiplicity::kOne}},
                               {"late", {FieldType::kBool, Multiplicity::kOne}}};
  EXPECT_EQ(SpecsIn(*directory_), expected);
  EXPECT_EQ(report.bad_values, (BadValues{{"a", 1}}));
}

TEST_F(TypedFieldsTest, AreTheSameHoweverTheBuildIsTuned) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    WriteLateFields(seed);
    options_.indexer_threads = options_.reader_threads = 1;
    const IngestReport plain = Run(options_.inputs);
    const FieldSpecs fields = SpecsIn(*directory_);
    EXPECT_EQ(fields.size(), 40u) << "k0 to k19, and the x of each";
    EXPECT_GT(plain.bad_values.size(), 10u);
    for (const int threads : {4, 3}) {
      options_.indexer_threads = options_.reader_threads = threads;
      const IngestReport report = Run(options_.inputs);
      EXPECT_EQ(report.bad_values, plain.bad_values) << threads << " threads, seed " << seed;
      EXPECT_EQ(SpecsIn(*directory_), fields);
    }
  }
}

// Runs that die after a while, each with other threads, until one comes to its end.
TEST_F(TypedFieldsTest, AreTheSameWhenABuildIsTakenUp) {
  WriteLateFields(9);
  options_.checkpoint_interval = std::chrono::milliseconds(0);
  const IngestReport whole = Run(options_.inputs);
  const FieldSpecs fields = SpecsIn(*directory_);
  std::mt19937 random(2);
  uint64_t resumed = 0;
  for (int round = 0; round < 4; ++round) {
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
      EXPECT_EQ(report->bad_values, whole.bad_values) << "round " << round;
    }
    EXPECT_EQ(SpecsIn(*directory), fields) << "round " << round;
  }
  EXPECT_GT(resumed, 0u) << "nothing was ever taken up";
}

}  // namespace typed_fields_test
}  // namespace pmdex
