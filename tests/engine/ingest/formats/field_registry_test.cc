#include "engine/ingest/formats/field_registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace field_registry_test {

// Text fields that were known before.
KnownFields Texts(const std::vector<std::string>& names) {
  KnownFields fields;
  for (const std::string& name : names) fields.emplace(name, KnownField::Of(FieldSpec()));
  return fields;
}

FieldSighting Sighting(FieldType type, std::optional<uint64_t> turn) {
  return {{type, Multiplicity::kOne}, {}, turn};
}

bool Admits(FieldRegistry& registry, const std::string& name, std::optional<uint64_t> turn) {
  return registry.Admit(name, Sighting(FieldType::kText, turn)).has_value();
}

TEST(FieldRegistry, AdmitsAllWhileTheyFitAndSaysWhenTheyDoNot) {
  FieldRegistry registry(Texts({"a"}), 3, FieldAdmission::kAll);
  for (const char* name : {"b", "a", "c", "b"}) EXPECT_TRUE(Admits(registry, name, {})) << name;
  EXPECT_FALSE(registry.overflowed());
  EXPECT_FALSE(Admits(registry, "d", {}));
  EXPECT_TRUE(registry.overflowed());
  EXPECT_TRUE(Admits(registry, "c", {}));
}

TEST(FieldRegistry, KeepsToTheNamesThatAreSettled) {
  FieldRegistry registry(Texts({"a", ""}), 3, FieldAdmission::kSettled);
  EXPECT_TRUE(Admits(registry, "a", {}));
  EXPECT_TRUE(Admits(registry, "", 7));
  EXPECT_FALSE(Admits(registry, "b", 8));
  EXPECT_FALSE(registry.overflowed());
}

TEST(FieldRegistry, WaitsForNobodyWhereNamesInOrderLeaveNoPlace) {
  FieldRegistry registry(Texts({"a", "b", "c"}), 2, FieldAdmission::kInOrder);
  EXPECT_TRUE(Admits(registry, "c", 5));
  EXPECT_FALSE(Admits(registry, "d", 5));
  EXPECT_FALSE(registry.overflowed());
}

// They may be of documents far behind those that come next.
TEST(FieldRegistry, OverflowsWhereNamesOfAnyOrderLeaveNoPlace) {
  FieldRegistry registry(Texts({"a", "b"}), 2, FieldAdmission::kAll);
  EXPECT_TRUE(Admits(registry, "b", {}));
  EXPECT_FALSE(Admits(registry, "d", {}));
  EXPECT_TRUE(registry.overflowed());
}

// Blocks of random names, dealt in order to several threads.
TEST(FieldRegistry, AdmitsTheFirstNamesInOrderWhicheverThreadMeetsThem) {
  constexpr size_t kLimit = 40;
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<std::string>> blocks(200);
    std::vector<std::string> first;
    for (auto& names : blocks) {
      for (uint32_t n = random() % 5; n > 0; --n) names.push_back(std::to_string(random() % 100));
      for (const std::string& name : names) {
        const bool is_new = std::find(first.begin(), first.end(), name) == first.end();
        if (is_new && first.size() < kLimit) first.push_back(name);
      }
    }
    const std::set<std::string> expected(first.begin(), first.end());
    FieldRegistry registry(Texts({}), kLimit, FieldAdmission::kInOrder);
    std::atomic<size_t> next = 0;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (size_t turn; (turn = next.fetch_add(1)) < blocks.size();) {
          for (const std::string& name : blocks[turn]) {
            if (Admits(registry, name, turn) != expected.contains(name)) ++wrong;
          }
          registry.FinishTurn(turn);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_FALSE(registry.overflowed());
  }
}

// The type that the registry says, for a value at a line.
std::optional<FieldType> TypeOf(FieldRegistry& registry, const std::string& name, FieldType seen,
                                uint64_t line) {
  const auto field = registry.Admit(name, {{seen, Multiplicity::kOne}, {0, line}, {}});
  if (!field.has_value() || !field->spec.has_value()) return std::nullopt;
  return field->spec->type;
}

TEST(FieldRegistry, TheFirstValueOfALateFieldDecidesItsType) {
  FieldRegistry registry({{"early", KnownField::Of({FieldType::kBool, Multiplicity::kOne})}}, 9,
                         FieldAdmission::kAll);
  EXPECT_EQ(TypeOf(registry, "early", FieldType::kText, 1), FieldType::kBool);
  EXPECT_EQ(TypeOf(registry, "late", FieldType::kI64, 5), FieldType::kI64);
  EXPECT_EQ(TypeOf(registry, "late", FieldType::kText, 6), FieldType::kI64);
  EXPECT_EQ(TypeOf(registry, "late", FieldType::kI64, 4), FieldType::kI64);
  EXPECT_FALSE(registry.overflowed()) << "the earliest value has the type that was decided";
  EXPECT_EQ(TypeOf(registry, "late", FieldType::kText, 3), FieldType::kI64);
  EXPECT_TRUE(registry.overflowed());
  EXPECT_EQ(registry.FindEarly("late"), std::nullopt);
  EXPECT_EQ(registry.FindEarly("early")->type, FieldType::kBool);
}

TEST(FieldRegistry, TypesOfAnEarlierRunStayUnlessAValueMayComeBefore) {
  KnownFields fields = Texts({});
  fields["a"] = {FieldSpec{FieldType::kI64, Multiplicity::kOne}, true};
  FieldRegistry registry(fields, 9, FieldAdmission::kAll);
  EXPECT_EQ(TypeOf(registry, "a", FieldType::kI64, 1), FieldType::kI64);
  EXPECT_FALSE(registry.overflowed());
  TypeOf(registry, "a", FieldType::kF64, 2);
  EXPECT_TRUE(registry.overflowed());
}

TEST(FieldRegistry, AnEarlierRunSaysWhichValueDecidedAType) {
  FieldRegistry first({}, 9, FieldAdmission::kAll);
  TypeOf(first, "a", FieldType::kI64, 5);
  FieldRegistry second(first.fields(), 9, FieldAdmission::kAll);
  EXPECT_EQ(TypeOf(second, "a", FieldType::kF64, 6), FieldType::kI64);
  EXPECT_FALSE(second.overflowed()) << "values behind the first one decide nothing";
  TypeOf(second, "a", FieldType::kF64, 4);
  EXPECT_TRUE(second.overflowed());
}

TEST(FieldRegistry, PlacesWithoutATypeWaitForTheirFirstValue) {
  KnownFields fields;
  fields["listed"] = KnownField::Reserved();
  FieldRegistry registry(fields, 1, FieldAdmission::kSettled);
  EXPECT_EQ(TypeOf(registry, "other", FieldType::kText, 1), std::nullopt);
  EXPECT_EQ(registry.fields().at("listed").spec, std::nullopt);
  EXPECT_EQ(TypeOf(registry, "listed", FieldType::kDate, 2), FieldType::kDate);
  EXPECT_EQ(registry.fields().at("listed").spec->type, FieldType::kDate);
}

TEST(FieldRegistry, RemembersWhichOpenFieldsHaveTakenArrays) {
  KnownFields fields = Texts({"open", "other"});
  fields["one"] = KnownField::Of({FieldType::kI64, Multiplicity::kOne});
  FieldRegistry registry(fields, 9, FieldAdmission::kAll);
  for (const char* name : {"open", "one", "unknown"}) registry.TakeArrays(name);
  EXPECT_EQ(registry.fields().at("open").spec->values, Multiplicity::kMany);
  EXPECT_EQ(registry.fields().at("other").spec->values, Multiplicity::kOpen);
  EXPECT_EQ(registry.fields().at("one").spec->values, Multiplicity::kOne);
}

TEST(FieldRegistry, LetsNobodyWaitOnceTheRunStops) {
  FieldRegistry registry(Texts({}), 3, FieldAdmission::kInOrder);
  std::thread waiting([&] { Admits(registry, "b", 1); });
  registry.Cancel();
  waiting.join();
}

}  // namespace field_registry_test
}  // namespace pmdex
