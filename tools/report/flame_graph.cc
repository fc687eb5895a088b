#include "tools/report/flame_graph.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/report/html_text.h"

namespace pmdex {
namespace {

constexpr double kGraphWidth = 1000;
constexpr double kFrameHeight = 22;
constexpr double kNarrowest = 0.5;
constexpr double kCharacterWidth = 7;
// Warm colours that black text is readable on.
constexpr const char* kFlameColours[] = {"#f4a261", "#e9c46a", "#f2b880", "#e8a87c", "#efc988"};

struct Frame {
  uint64_t samples = 0;
  std::map<std::string, std::unique_ptr<Frame>> above;
};

void AddStack(const std::vector<std::string>& stack, uint64_t samples, Frame& root) {
  Frame* frame = &root;
  frame->samples += samples;
  for (const std::string& name : stack) {
    auto& next = frame->above[name];
    if (next == nullptr) next = std::make_unique<Frame>();
    next->samples += samples;
    frame = next.get();
  }
}

size_t DepthOf(const Frame& frame, uint64_t least) {
  size_t depth = 0;
  for (const auto& [name, next] : frame.above) {
    if (next->samples >= least) depth = std::max(depth, DepthOf(*next, least));
  }
  return depth + 1;
}

class FlameDrawing {
 public:
  FlameDrawing(const Frame& root, size_t depth) : total_(root.samples), depth_(depth) {
    Draw("all", root, 0, 0);
  }
  std::string Svg() const {
    return absl::StrFormat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
        "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">%s</svg>",
        kGraphWidth, static_cast<double>(depth_) * kFrameHeight, kGraphWidth, body_);
  }

 private:
  void Draw(const std::string& name, const Frame& frame, double x, size_t level) {
    const double share = static_cast<double>(frame.samples) / static_cast<double>(total_);
    const double width = share * kGraphWidth;
    if (width < kNarrowest) return;
    const double y = static_cast<double>(depth_ - 1 - level) * kFrameHeight;
    const size_t colour = std::hash<std::string>()(name) % std::size(kFlameColours);
    absl::StrAppendFormat(&body_,
                          "<g><title>%s: %.1f %% of %d samples</title><rect x=\"%.2f\" y=\"%.0f\" "
                          "width=\"%.2f\" height=\"%.0f\" fill=\"%s\" rx=\"1\"/>",
                          EscapeHtml(name), 100 * share, total_, x, y, std::max(width - 0.5, 0.3),
                          kFrameHeight - 1, kFlameColours[colour]);
    const auto room = static_cast<size_t>(width / kCharacterWidth);
    if (room >= 4) {
      // The end of a qualified name says more than its beginning.
      const std::string shown =
          name.size() <= room ? name : ".." + name.substr(name.size() - room + 2);
      absl::StrAppendFormat(&body_, "<text x=\"%.2f\" y=\"%.1f\" fill=\"#000000\">%s</text>", x + 3,
                            y + 15, EscapeHtml(shown));
    }
    body_ += "</g>\n";
    for (const auto& [next_name, next] : frame.above) {
      Draw(next_name, *next, x, level + 1);
      x += static_cast<double>(next->samples) / static_cast<double>(total_) * kGraphWidth;
    }
  }

  const uint64_t total_;
  const size_t depth_;
  std::string body_;
};

}  // namespace

std::string FlameGraphSvg(const FoldedStacks& stacks) {
  Frame root;
  for (const auto& [stack, samples] : stacks) AddStack(stack, samples, root);
  if (root.samples == 0) return "";
  const auto least =
      static_cast<uint64_t>(kNarrowest / kGraphWidth * static_cast<double>(root.samples));
  return FlameDrawing(root, DepthOf(root, std::max<uint64_t>(least, 1))).Svg();
}

}  // namespace pmdex
