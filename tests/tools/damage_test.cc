// What a user sees of a damaged index: each kind of damage has its own message, which search, info
// and verify print, and they end with the documented exit status instead of crashing.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "engine/segment/format.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/manifest.h"
#include "pmem/checksum.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace damage_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteAll(const std::string& path, const std::string& bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

void Reverse(std::string& bytes, size_t offset, size_t size) {
  std::reverse(bytes.begin() + static_cast<ptrdiff_t>(offset),
               bytes.begin() + static_cast<ptrdiff_t>(offset + size));
}

void ResealHeader(std::string& bytes) {
  const uint32_t crc = Crc32c(std::as_bytes(std::span(bytes)).first(kHeaderCrcOffset));
  std::memcpy(bytes.data() + kHeaderCrcOffset, &crc, sizeof crc);
}

void ResealManifest(std::string& bytes) {
  const uint32_t crc = Crc32c(std::as_bytes(std::span(bytes)).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &crc, sizeof crc);
}

struct Damage {
  std::string name;
  std::function<void(const std::string& path)> inflict;
  std::string part_of_message;
  bool refuses_the_index = false;  // a newer format is never read around
};

std::function<void(const std::string&)> Edit(std::function<void(std::string&)> edit) {
  return [edit](const std::string& path) {
    std::string bytes = ReadAll(path);
    edit(bytes);
    WriteAll(path, bytes);
  };
}

std::vector<Damage> SegmentDamages() {
  return {
      {"truncated", Edit([](auto& b) { b.resize(b.size() - 256); }), "the file is truncated: "},
      {"extended", Edit([](auto& b) { b.append(256, '\0'); }), "the file is extended: "},
      {"cut within the header", Edit([](auto& b) { b.resize(1000); }), "ends within the header"},
      {"empty", Edit([](auto& b) { b.clear(); }), "the file is empty"},
      {"not a segment", Edit([](auto& b) { b.assign(b.size(), 'x'); }), "not a segment file"},
      {"header flipped", Edit([](auto& b) { b[100] ^= 1; }), "header page: offset 4092: checksum"},
      {"meta flipped", Edit([](auto& b) { b[4096 + 16] ^= 1; }), "section meta: offset 0"},
      {"newer", Edit([](auto& b) {
         b[8] = 3;
         ResealHeader(b);
       }),
       "is newer than this program's", true},
      {"wrong endian", Edit([](auto& b) {
         Reverse(b, 0, 8);
         Reverse(b, 8, 4);
         Reverse(b, 12, 4);
       }),
       "another byte order"},
      {"swapped",
       [](const std::string& path) {
         const std::string other = (fs::path(path).parent_path() / SegmentFileName(2)).string();
         fs::rename(path, path + ".x");
         fs::rename(other, path);
         fs::rename(path + ".x", other);
       },
       "this is another segment: expected segment 1, found 2"},
      {"another build", Edit([](auto& b) {
         b[48] ^= 1;  // a reserved field: nothing but the checksum tells
         ResealHeader(b);
       }),
       "the manifest expects"},
      {"missing", [](const std::string& path) { fs::remove(path); }, "No such file"},
      {"a directory",
       [](const std::string& path) {
         fs::remove(path);
         fs::create_directory(path);
       },
       "not a regular file"},
      {"a symbolic link",
       [](const std::string& path) {
         fs::rename(path, path + ".x");
         fs::create_symlink(path + ".x", path);
       },
       "symbolic link"},
  };
}

std::vector<Damage> ManifestDamages() {
  return {
      {"truncated", Edit([](auto& b) { b.resize(b.size() - 8); }), "the file is truncated: "},
      {"extended", Edit([](auto& b) { b.append(8, '\0'); }), "the file is extended: "},
      {"cut within the header", Edit([](auto& b) { b.resize(30); }), "ends within the header"},
      {"empty", Edit([](auto& b) { b.clear(); }), "the file is empty"},
      {"not a manifest", Edit([](auto& b) { b.assign(b.size(), 'x'); }), "not a manifest"},
      {"flipped", Edit([](auto& b) { b[60] ^= 1; }), "checksum: expected"},
      {"newer", Edit([](auto& b) {
         b[8] = 2;
         ResealManifest(b);
       }),
       "is newer than this pmdex reads", true},
      {"wrong endian", Edit([](auto& b) {
         Reverse(b, 0, 8);
         Reverse(b, 8, 4);
         Reverse(b, 12, 4);
       }),
       "another byte order"},
      {"of another generation", Edit([](auto& b) {
         b[24] = 9;
         ResealManifest(b);
       }),
       "not that of the file name"},
  };
}

class DamageTest : public testing::Test {
 protected:
  // Makes two segments: segment 1 has two documents, segment 2 has one.
  void SetUp() override {
    Build({"index", "--quiet", "--threads", "1", "-"},
          "{\"id\":\"a\",\"text\":\"red apple\"}\n{\"id\":\"b\",\"text\":\"red pear\"}\n");
    Build({"index", "--append", "--quiet", "--threads", "1", "-"},
          "{\"id\":\"c\",\"text\":\"red plum\"}\n");
    ASSERT_TRUE(fs::exists(Segment(1)));
    ASSERT_TRUE(fs::exists(Segment(2)));
    fs::copy(Index(), directory_ / "sound");
  }

  void Build(const std::vector<std::string>& arguments, const std::string& input) {
    const ProgramResult result = Run(arguments, input);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  ProgramResult Run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.input = input;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }

  std::string Index() const { return directory_ / "pmdex-index"; }
  std::string Segment(uint64_t id) const { return Index() + "/" + SegmentFileName(id); }
  std::string Manifest() const { return NewestManifest(Index()); }
  void Restore() {
    fs::remove_all(Index());
    fs::copy(directory_ / "sound", Index());
  }

  // Expects that the program did not crash and only printed its own kind of messages.
  static void ExpectTidy(const ProgramResult& result) {
    EXPECT_LT(result.exit_status, 128);
    std::stringstream lines(result.err);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_THAT(line, testing::StartsWith("pmdex: "));
    }
  }

  const TemporaryDirectory directory_;
};

TEST_F(DamageTest, OfASegmentLeavesTheOthersAnsweringAndSaysWhat) {
  std::map<std::string, std::string> names;  // by message
  for (const Damage& damage : SegmentDamages()) {
    SCOPED_TRACE(damage.name);
    Restore();
    damage.inflict(Segment(1));
    const ProgramResult search = Run({"search", "red", "--json"});
    ExpectTidy(search);
    EXPECT_EQ(search.exit_status, 1);
    EXPECT_THAT(search.err, HasSubstr(damage.part_of_message));
    const auto [entry, is_new] = names.emplace(search.err, damage.name);
    EXPECT_TRUE(is_new) << "the message is that of: " << entry->second;
    const ProgramResult info = Run({"info"});
    ExpectTidy(info);
    EXPECT_EQ(info.exit_status, 1);
    EXPECT_THAT(info.err, HasSubstr(damage.part_of_message));
    const ProgramResult verify = Run({"verify"});
    ExpectTidy(verify);
    EXPECT_EQ(verify.exit_status, 3);
    EXPECT_THAT(verify.out, HasSubstr(damage.part_of_message));
    if (damage.refuses_the_index) {
      EXPECT_EQ(search.out, "");
      continue;
    }
    EXPECT_THAT(search.err, HasSubstr("pmdex: warning: 2 documents are missing: "));
    const json result = json::parse(search.out);
    EXPECT_EQ(result["partial"], true);
    EXPECT_EQ(result["missing"][0]["segment"], SegmentFileName(1));
    EXPECT_EQ(result["missing"][0]["documents"], 2);
    EXPECT_THAT(std::string(result["missing"][0]["reason"]), HasSubstr(damage.part_of_message));
    EXPECT_THAT(info.out, HasSubstr("quarantined"));
    if (damage.name != "swapped") {
      EXPECT_EQ(result["hits"].size(), 1u);
      EXPECT_EQ(result["hits"][0]["id"], "c");
    }
  }
}

TEST_F(DamageTest, OfTheOnlyManifestIsTheErrorOfEveryCommand) {
  std::map<std::string, std::string> names;
  for (const Damage& damage : ManifestDamages()) {
    SCOPED_TRACE(damage.name);
    Restore();
    damage.inflict(Manifest());
    const ProgramResult search = Run({"search", "red", "--json"});
    ExpectTidy(search);
    EXPECT_EQ(search.exit_status, 1);
    EXPECT_EQ(search.out, "");
    EXPECT_THAT(search.err, HasSubstr(damage.part_of_message));
    EXPECT_TRUE(names.emplace(search.err, damage.name).second);
    EXPECT_EQ(Run({"info"}).exit_status, 1);
    const ProgramResult verify = Run({"verify"});
    ExpectTidy(verify);
    EXPECT_EQ(verify.exit_status, damage.refuses_the_index ? 1 : 3);
    EXPECT_THAT(verify.out + verify.err, HasSubstr(damage.part_of_message));
  }
}

TEST_F(DamageTest, OfTheOnlyManifestEndsWithAnOverwrite) {
  for (const Damage& damage : ManifestDamages()) {
    SCOPED_TRACE(damage.name);
    Restore();
    damage.inflict(Manifest());
    const std::string line = "{\"id\":\"d\",\"text\":\"red cherry\"}\n";
    const ProgramResult refused = Run({"index", "--append", "--quiet", "-"}, line);
    ExpectTidy(refused);
    EXPECT_EQ(refused.exit_status, 1);
    const ProgramResult replaced = Run({"index", "--overwrite", "--quiet", "-"}, line);
    ExpectTidy(replaced);
    if (damage.refuses_the_index) {
      EXPECT_EQ(replaced.exit_status, 1);
      EXPECT_THAT(replaced.err, HasSubstr(damage.part_of_message));
      continue;
    }
    EXPECT_THAT(refused.err, HasSubstr("--overwrite starts anew)\n"));
    EXPECT_EQ(replaced.exit_status, 0) << replaced.err;
    EXPECT_EQ(CountOf(Index(), "red").value(), 1u);
  }
}

TEST_F(DamageTest, AFileThatMayNotBeReadIsQuarantinedToo) {
  fs::permissions(Segment(1), fs::perms::none);
  ProgramOptions options;
  options.directory = directory_.path();
  options.environment = {"PMDEX_INDEX="};
  options.modes_count = true;
  const ProgramResult search = RunProgram({PMDEX_BINARY, "search", "red"}, options);
  EXPECT_EQ(search.exit_status, 1);
  EXPECT_THAT(search.err, HasSubstr("Permission denied"));
}

TEST_F(DamageTest, IsWarnedOfOnceAProcess) {
  fs::remove(Segment(1));
  const std::string queries = directory_.Write("queries.txt", "red\nplum\nred plum\n");
  const ProgramResult batch = Run({"search", "--queries", queries, "--json", "--threads", "2"});
  EXPECT_EQ(batch.exit_status, 1);
  EXPECT_EQ(std::count(batch.err.begin(), batch.err.end(), '\n'), 1) << batch.err;
  std::stringstream lines(batch.out);
  size_t partial = 0;
  for (std::string line; std::getline(lines, line);) {
    const json result = json::parse(line);
    partial += result.contains("partial") ? 1 : 0;
  }
  EXPECT_EQ(partial, 3u);  // every answer says so; the summary is none
  const ProgramResult quiet = Run({"search", "red", "--quiet"});
  EXPECT_EQ(quiet.exit_status, 1);
  EXPECT_THAT(quiet.err, HasSubstr("pmdex: warning: "));
  EXPECT_THAT(quiet.out, HasSubstr("partial: 2 documents of "));
}

TEST_F(DamageTest, IsNotMentionedWhereThereIsNone) {
  const ProgramResult search = Run({"search", "red", "--json"});
  EXPECT_EQ(search.exit_status, 0);
  EXPECT_EQ(search.err, "");
  EXPECT_FALSE(json::parse(search.out).contains("partial"));
  EXPECT_FALSE(json::parse(Run({"info", "--json"}).out).contains("partial"));
}

TEST_F(DamageTest, ShowsInTheJsonOfInfo) {
  fs::remove(Segment(1));
  const ProgramResult info = Run({"info", "--json"});
  EXPECT_EQ(info.exit_status, 1);
  const json facts = json::parse(info.out);
  EXPECT_EQ(facts["documents"], 1);
  EXPECT_EQ(facts["partial"], true);
  EXPECT_EQ(facts["missing"][0]["segment"], SegmentFileName(1));
}

TEST_F(DamageTest, OfAnOldSegmentDoesNotKeepNewDocumentsOut) {
  fs::remove(Segment(1));
  const ProgramResult append =
      Run({"index", "--append", "--json", "-"}, "{\"id\":\"d\",\"text\":\"red grape\"}\n");
  EXPECT_EQ(append.exit_status, 1);
  EXPECT_THAT(append.err, HasSubstr("pmdex: warning: 2 documents are missing: "));
  EXPECT_EQ(json::parse(append.out)["documents"], 1);
  const ProgramResult search = Run({"search", "grape", "--json"});
  EXPECT_EQ(json::parse(search.out)["hits"][0]["id"], "d");
}

TEST_F(DamageTest, PrefaultMeetsNothingOnASoundIndex) {
  EXPECT_EQ(Run({"search", "red", "--prefault"}).exit_status, 0);
}

}  // namespace damage_test
}  // namespace pmdex
