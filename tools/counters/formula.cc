#include "tools/counters/formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

using FormulaValue = std::optional<double>;

constexpr int kDeepestFormula = 100;

bool IsNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool IsNamePart(char c) {
  return IsNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

template <typename Operation>
FormulaValue Combine(FormulaValue a, FormulaValue b, Operation operation) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  const double value = operation(*a, *b);
  return std::isfinite(value) ? FormulaValue(value) : std::nullopt;
}

// Recursive descent: comparison > sum > product > unary > primary. After an error every function
// returns at once.
class FormulaParser {
 public:
  FormulaParser(std::string_view text, const FormulaNames& names) : text_(text), names_(names) {}

  absl::StatusOr<FormulaValue> Parse() {
    const FormulaValue value = Comparison();
    SkipSpace();
    if (status_.ok() && at_ != text_.size()) Fail("unexpected text");
    if (!status_.ok()) return status_;
    return value;
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(char c) {
    SkipSpace();
    if (!status_.ok() || at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Fail(std::string("expected ") + c);
  }
  FormulaValue Fail(const std::string& what) {
    if (status_.ok()) {
      status_ = InvalidArgument(
          absl::StrCat("formula '", std::string(text_), "': ", what, " at column ", at_ + 1));
    }
    return std::nullopt;
  }

  FormulaValue Comparison() {
    const FormulaValue left = Sum();
    if (Take('<'))
      return Combine(left, Sum(), [](double a, double b) { return a < b ? 1.0 : 0.0; });
    if (Take('>'))
      return Combine(left, Sum(), [](double a, double b) { return a > b ? 1.0 : 0.0; });
    return left;
  }
  FormulaValue Sum() {
    FormulaValue value = Product();
    while (true) {
      if (Take('+'))
        value = Combine(value, Product(), std::plus<double>());
      else if (Take('-'))
        value = Combine(value, Product(), std::minus<double>());
      else
        return value;
    }
  }
  FormulaValue Product() {
    FormulaValue value = Unary();
    while (true) {
      if (Take('*'))
        value = Combine(value, Unary(), std::multiplies<double>());
      else if (Take('/'))
        value = Combine(value, Unary(), std::divides<double>());
      else
        return value;
    }
  }
  FormulaValue Unary() {
    if (++depth_ > kDeepestFormula) return Fail("too deep");
    const FormulaValue value = Take('-') ? Combine(0.0, Unary(), std::minus<double>()) : Primary();
    --depth_;
    return value;
  }
  FormulaValue Primary() {
    if (Take('(')) {
      const FormulaValue value = Comparison();
      Expect(')');
      return value;
    }
    SkipSpace();
    if (!status_.ok()) return std::nullopt;
    if (at_ >= text_.size()) return Fail("unexpected end");
    return IsNameStart(text_[at_]) ? Name() : Number();
  }
  FormulaValue Number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return Fail("expected a number");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }
  FormulaValue Name() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsNamePart(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    return Take('(') ? Call(name) : names_(name);
  }
  FormulaValue Call(std::string_view function) {
    std::vector<FormulaValue> arguments = {Comparison()};
    while (Take(',')) arguments.push_back(Comparison());
    Expect(')');
    if (!status_.ok()) return std::nullopt;
    if (function == "if" && arguments.size() == 3) {
      if (!arguments[0].has_value()) return std::nullopt;
      return *arguments[0] != 0 ? arguments[1] : arguments[2];
    }
    if (function == "min" && arguments.size() == 2) {
      return Combine(arguments[0], arguments[1], [](double a, double b) { return std::min(a, b); });
    }
    if (function == "max" && arguments.size() == 2) {
      return Combine(arguments[0], arguments[1], [](double a, double b) { return std::max(a, b); });
    }
    return Fail("unknown function, or wrong number of arguments");
  }

  const std::string_view text_;
  const FormulaNames& names_;
  size_t at_ = 0;
  int depth_ = 0;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::optional<double>> EvaluateFormula(std::string_view formula,
                                                      const FormulaNames& names) {
  return FormulaParser(formula, names).Parse();
}

std::vector<std::string> NamesInFormula(std::string_view formula) {
  std::vector<std::string> names;
  for (size_t i = 0; i < formula.size();) {
    if (!IsNameStart(formula[i])) {
      // The e of 1e6 is no name.
      while (i < formula.size() && !IsNameStart(formula[i]) &&
             std::isdigit(static_cast<unsigned char>(formula[i])) == 0)
        ++i;
      while (i < formula.size() && std::isalnum(static_cast<unsigned char>(formula[i])) != 0 &&
             !IsNameStart(formula[i])) {
        while (i < formula.size() && (IsNamePart(formula[i]) || formula[i] == '.')) ++i;
      }
      continue;
    }
    const size_t begin = i;
    while (i < formula.size() && IsNamePart(formula[i])) ++i;
    size_t next = i;
    while (next < formula.size() && formula[next] == ' ') ++next;
    if (next == formula.size() || formula[next] != '(')
      names.emplace_back(formula.substr(begin, i - begin));
  }
  return names;
}

}  // namespace pmdex
