#include "tools/counters/pmu_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace pmdex {
namespace pmu_diagnosis_test {

PmuFacts Facts(int error, std::optional<int64_t> paranoid = std::nullopt) {
  PmuFacts facts;
  facts.state = PmuStateOfErrno(error);
  facts.error = error;
  facts.paranoid_level = paranoid;
  return facts;
}

TEST(PmuDiagnosis, IsEmptyIfCountersWork) {
  PmuFacts facts;
  facts.state = PmuState::kWorks;
  const PmuDiagnosis diagnosis = Diagnose(facts, {.has_cpu_pmu = true});
  EXPECT_EQ(diagnosis.cause, PmuCause::kNone);
  EXPECT_EQ(diagnosis.why + diagnosis.change, "");
}

TEST(PmuDiagnosis, TellsAHiddenPmuFromAMissingOne) {
  EXPECT_EQ(Diagnose(Facts(ENOENT), {.is_virtual = true}).cause, PmuCause::kHidden);
  EXPECT_EQ(Diagnose(Facts(ENOENT), {}).cause, PmuCause::kNoDevice);
}

TEST(PmuDiagnosis, TellsThePermissionOfTheKernelFromAFilter) {
  EXPECT_EQ(Diagnose(Facts(EACCES, 3), {}).cause, PmuCause::kPermission);
  EXPECT_THAT(Diagnose(Facts(EACCES, 3), {}).why, testing::HasSubstr("is 3"));
  EXPECT_EQ(Diagnose(Facts(EPERM, 4), {}).cause, PmuCause::kPermission);
  EXPECT_EQ(Diagnose(Facts(EPERM, 2), {}).cause, PmuCause::kSeccomp);
  EXPECT_EQ(Diagnose(Facts(ENOSYS), {.is_container = true}).cause, PmuCause::kSeccomp);
}

TEST(PmuDiagnosis, KnowsAnEmptyPmu) {
  PmuFacts facts;
  facts.state = PmuState::kCountsNothing;
  EXPECT_EQ(Diagnose(facts, {.has_cpu_pmu = true}).cause, PmuCause::kBroken);
}

TEST(PmuDiagnosis, SaysWhatToChangeForEveryError) {
  for (const int error : {ENOENT, EACCES, EPERM, EOPNOTSUPP, EINVAL, ENODEV, ENOSYS, EMFILE, EBUSY,
                          ENOSPC, E2BIG, ESRCH, ENFILE}) {
    for (const bool has_pmu : {false, true}) {
      const PmuDiagnosis diagnosis = Diagnose(Facts(error), {.has_cpu_pmu = has_pmu});
      EXPECT_NE(diagnosis.cause, PmuCause::kNone) << error;
      EXPECT_NE(diagnosis.why, "") << error;
      EXPECT_NE(diagnosis.change, "") << error;
      EXPECT_STRNE(ToString(diagnosis.cause), "none") << error;
    }
  }
}

TEST(PmuDiagnosis, SaysWhyAProcessCannotBeSampled) {
  const auto cause = [](int error, int own_error, std::optional<int64_t> paranoid) {
    return DiagnoseSampling(error, own_error, paranoid, {}).cause;
  };
  EXPECT_EQ(cause(EPERM, EPERM, 2), PmuCause::kSeccomp);
  EXPECT_EQ(cause(ENOSYS, ENOSYS, 2), PmuCause::kSeccomp);
  EXPECT_EQ(cause(ENODEV, ENODEV, std::nullopt), PmuCause::kNoDevice);
  EXPECT_EQ(cause(EACCES, EACCES, 4), PmuCause::kPermission);
  EXPECT_THAT(DiagnoseSampling(EACCES, EACCES, 4, {}).why, testing::HasSubstr("is 4"));
  // It is this process that is protected, not the system call.
  EXPECT_EQ(cause(EACCES, 0, 2), PmuCause::kPermission);
  EXPECT_THAT(DiagnoseSampling(EACCES, 0, 2, {}).change, testing::HasSubstr("as the user"));
  EXPECT_THAT(DiagnoseSampling(EMFILE, 0, 2, {}).change, testing::HasSubstr("ulimit"));
  EXPECT_EQ(cause(EINVAL, 0, 2), PmuCause::kUnknown);
}

TEST(PmuDiagnosis, SaysTheSameOfOtherErrorsForCountingAndSampling) {
  struct Expected {
    int error;
    PmuCause cause;
    const char* why;
    const char* change;
  };
  for (const Expected& expected :
       {Expected{EBUSY, PmuCause::kBusy, "another user", "end what counts"},
        Expected{ENOSPC, PmuCause::kBusy, "no room", "nmi_watchdog"},
        Expected{EMFILE, PmuCause::kUnknown, "in pmdex", "ulimit -n"},
        Expected{ENFILE, PmuCause::kUnknown, "on this machine", "fs.file-max"},
        Expected{E2BIG, PmuCause::kUnknown, "too old", "newer kernel"},
        Expected{ESRCH, PmuCause::kUnknown, "has ended", "that lives"}}) {
    for (const PmuDiagnosis& diagnosis : {Diagnose(Facts(expected.error, 2), {.has_cpu_pmu = true}),
                                          DiagnoseSampling(expected.error, 0, 2, {}),
                                          DiagnoseSampling(EACCES, expected.error, 2, {})}) {
      EXPECT_EQ(diagnosis.cause, expected.cause) << expected.error;
      EXPECT_THAT(diagnosis.why, testing::HasSubstr(expected.why));
      EXPECT_THAT(diagnosis.change, testing::HasSubstr(expected.change));
    }
  }
  EXPECT_STREQ(ToString(PmuCause::kBusy), "busy");
}

TEST(PmuDiagnosis, NamesTheSystemCallWhereNothingCanBeSampled) {
  // The files of the process are closed, too, but opening them would change nothing.
  EXPECT_EQ(DiagnoseSampling(EACCES, EPERM, 2, {}).cause, PmuCause::kSeccomp);
  EXPECT_EQ(DiagnoseSampling(EACCES, ENODEV, 2, {}).cause, PmuCause::kNoDevice);
  const PmuDiagnosis module = DiagnoseSampling(EACCES, EACCES, 2, {});
  EXPECT_EQ(module.cause, PmuCause::kPermission);
  EXPECT_THAT(module.change, testing::Not(testing::HasSubstr("perf_event_paranoid=2")));
}

TEST(PmuDiagnosis, FindsNoPmuInAnEmptySystem) {
  const PmuSurroundings around = FindPmuSurroundings("/nonexistent/");
  EXPECT_FALSE(around.has_cpu_pmu);
  EXPECT_FALSE(around.is_container);
}

}  // namespace pmu_diagnosis_test
}  // namespace pmdex
