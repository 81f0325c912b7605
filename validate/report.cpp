#include "validate/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "validate/gnuplot.h"
#include "validate/page.h"
#include "validate/plots.h"

namespace smpipe::validate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMissing =
    "the plots are not drawn: gnuplot is not installed; apt-get install gnuplot-nox, then run again";

std::string first_line(const std::string& text) {
  const auto begin = text.find_first_not_of("\n ");
  if (begin == std::string::npos) return text;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Draws all figures; complaints end up in `warnings`.
std::vector<PageFigure> draw_all(const Comparison& comparison, const fs::path& plots,
                                 std::vector<std::string>& warnings) {
  std::vector<PageFigure> figures;
  for (Figure& figure : make_figures(comparison)) {
    const std::string complaint = draw(figure.picture, plots.string());
    std::string svg;
    if (complaint.empty()) {
      svg = inline_svg(plots.string(), figure.picture, figure.title);
    } else {
      warnings.push_back(fmt::format("gnuplot did not draw {}: {}", figure.picture.name, first_line(complaint)));
    }
    figures.push_back({std::move(figure), std::move(svg)});
  }
  return figures;
}

}  // namespace

std::vector<std::string> write_report(const Comparison& comparison, const Provenance& provenance,
                                      const std::string& folder) {
  std::vector<std::string> warnings;
  std::vector<PageFigure> figures;
  const fs::path plots = fs::path(folder) / "plots";
  if (gnuplot_is_there()) {
    std::error_code error;
    fs::create_directories(plots, error);
    if (error) throw InputError(plots.string(), 0, "cannot be made a folder", "name another output folder with -o");
    figures = draw_all(comparison, plots, warnings);
  } else {
    warnings.emplace_back(kMissing);
  }
  const std::string page = (fs::path(folder) / "index.html").string();
  std::ofstream out(page, std::ios::binary);
  out << make_page(comparison, provenance, figures, warnings.empty() ? "" : warnings.front());
  out.flush();
  if (!out) throw InputError(page, 0, "cannot be written", "check the free space");
  return warnings;
}

}  // namespace smpipe::validate
