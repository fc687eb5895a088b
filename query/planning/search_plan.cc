#include "query/planning/search_plan.h"

namespace pmdex {

std::string_view ToString(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kNone:
      return "none";
    case Algorithm::kExhaustive:
      return "exhaustive";
    case Algorithm::kConstantScore:
      return "constant_score";
    case Algorithm::kSingleTerm:
      return "single_term";
    case Algorithm::kMaxScoreWindows:
      return "max_score_windows";
    case Algorithm::kLeadList:
      return "lead_list";
    case Algorithm::kWholeLists:
      return "whole_lists";
  }
  return "";
}

std::string_view ToString(CountMethod method) {
  switch (method) {
    case CountMethod::kNone:
      return "none";
    case CountMethod::kFromStatistics:
      return "from_statistics";
    case CountMethod::kByScoring:
      return "by_scoring";
    case CountMethod::kWithRanking:
      return "with_ranking";
    case CountMethod::kSeparately:
      return "separately";
  }
  return "";
}

}  // namespace pmdex
