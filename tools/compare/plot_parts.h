// What the plots of `pmdex compare` are put together from. Thread-safe: no state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/report/plot.h"

namespace pmdex {

using PlottedNumber = std::function<std::optional<double>(const ComparedClass&)>;
using PlottedConfigurations = std::vector<const ComparedConfiguration*>;

// Those of the mode with the largest scale only, and the fewest threads, so that bars and lines
// differ in little else than tier and directory.
PlottedConfigurations BaseOf(const CompareResult& result, const std::string& mode);

// "uncompressed /pm", and the node of the threads if they were bound to one.
std::string ShortName(const ConfigurationKey& key);

// True if the configurations have several values of it.
bool Varies(const CompareResult& result,
            const std::function<uint64_t(const ConfigurationKey&)>& value);

BarPlot Titled(std::string name, std::string title, std::string y_label);
LinePlot LineTitled(std::string name, std::string title, std::string y_label);

// The bars of each class, one for each configuration, on a logarithmic axis. plot: its titles.
BarPlot BarsOf(const PlottedConfigurations& configurations, BarPlot plot,
               const PlottedNumber& number, const PlottedNumber& error);

// A line for each configuration over the postings in the lists of a query, on logarithmic axes: the
// mean over all classes, weighted by queries. plot: its titles.
LinePlot ByPostings(const PlottedConfigurations& configurations, LinePlot plot,
                    const std::function<std::optional<double>(const PostingBucket&)>& number);

// For each mode and tier, in the first directory of each tier and with the fewest threads: a line
// for each class over the size of the index. plot: its titles; mode and tier are added to them.
std::vector<Plot> ClassesBySize(const CompareResult& result, const LinePlot& plot,
                                const PlottedNumber& number);

}  // namespace pmdex
