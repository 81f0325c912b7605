// Draws with gnuplot: one script per picture, as SVG and PNG.
#pragma once

#include <string>

namespace smpipe::validate {

/// Colours of text, lines and ground. The page replaces them by those of the reader's theme.
inline constexpr const char* kInk = "#24292f";
inline constexpr const char* kFaint = "#d8dee4";
inline constexpr const char* kMuted = "#6e7781";

struct Picture {
  std::string name;               ///< stem of the files
  std::string script;             ///< gnuplot commands that plot once, without terminal and output
  int width = 640, height = 420;  ///< of the SVG, pixels; the PNG has twice as many
};

/// gnuplot text in double quotes, with quotes, backslashes and enhanced-text marks taken out of the way.
std::string gnuplot_text(const std::string& text);

bool gnuplot_is_there();

/// Writes NAME.gp, NAME.svg and NAME.png into `folder`. Returns what went wrong, empty if nothing.
std::string draw(const Picture& picture, const std::string& folder);

/// The SVG for use inside a page: without prolog and fixed ground, with unique ids, with theme colours as classes of
/// the page's style sheet (`var(--ink)`). Empty if the file is missing.
std::string inline_svg(const std::string& folder, const Picture& picture, const std::string& label);

}  // namespace smpipe::validate
