#include "validate/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "validate/html.h"

namespace smpipe::validate {
namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// gnuplot writes rgb(36,41,47) or rgb( 36,  41,  47) for #24292f.
void replace_colour(std::string& svg, const std::string& hex, const std::string& value) {
  const auto channel = [&](std::size_t i) { return std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16); };
  const int r = channel(0), g = channel(1), b = channel(2);
  replace_all(svg, fmt::format("rgb({},{},{})", r, g, b), value);
  replace_all(svg, fmt::format("rgb({:3}, {:3}, {:3})", r, g, b), value);
  replace_all(svg, hex, value);
}

/// Runs gnuplot in `folder`; its complaints come back.
std::string run(const std::string& folder, const std::string& script) {
  int ends[2];
  if (pipe(ends) != 0) return std::strerror(errno);
  const pid_t pid = fork();
  if (pid < 0) return std::strerror(errno);
  if (pid == 0) {
    close(ends[0]);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(126);
    execlp("gnuplot", "gnuplot", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string complaints;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);) {
    if (n > 0) complaints.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return complaints.empty() ? "gnuplot failed" : complaints;
}

/// Settings shared by all pictures: quiet axes, no box, no tick marks on the far side.
std::string preamble() {
  return fmt::format(
      "set encoding utf8\n"
      "set border 3 lc rgb '{0}' lw 1\n"
      "set tics nomirror out scale 0.5 textcolor rgb '{0}'\n"
      "set mxtics default\nset mytics default\n"
      "set grid xtics ytics back lc rgb '{1}' lw 0.6, lc rgb '{1}' lw 0.6\n"
      "set xlabel textcolor rgb '{0}'\nset ylabel textcolor rgb '{0}'\n"
      "set title left offset 0,-0.3 textcolor rgb '{0}'\n"
      "set key textcolor rgb '{0}' samplen 1.5 spacing 1.1\n"
      "set label textcolor rgb '{0}'\n",
      kInk, kFaint);
}

}  // namespace

std::string gnuplot_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\n') {
      out += ' ';
    } else {
      // In enhanced text these mean sub- and superscripts, grouping and the like.
      if (std::strchr("_^{}@&~", c) != nullptr) out += "\\\\";
      out += c;
    }
  }
  return "\"" + out + "\"";
}

bool gnuplot_is_there() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    if (!folder.empty() && access((folder + "/gnuplot").c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string draw(const Picture& picture, const std::string& folder) {
  const std::string script = picture.name + ".gp";
  const fs::path path = fs::path(folder) / script;
  std::ofstream out(path);
  out << "# Draw again with: gnuplot " << script << "\n";
  for (const bool svg : {true, false}) {
    out << "reset session\n";
    if (svg) {
      out << fmt::format("set terminal svg size {},{} dynamic enhanced font 'sans-serif,13' background 'white'\n",
                         picture.width, picture.height);
    } else {
      out << fmt::format(
          "set terminal pngcairo size {},{} enhanced font 'DejaVu Sans,20' linewidth 2 pointscale 2 background "
          "'white'\n",
          2 * picture.width, 2 * picture.height);
    }
    out << fmt::format("set output '{}.{}'\n", picture.name, svg ? "svg" : "png");
    out << preamble() << picture.script << "\nset output\n";
  }
  out.close();
  if (!out) throw InputError(path.string(), 0, "cannot be written", "check the free space");
  return run(folder, script);
}

std::string inline_svg(const std::string& folder, const Picture& picture, const std::string& label) {
  std::ifstream in(fs::path(folder) / (picture.name + ".svg"));
  std::stringstream content;
  content << in.rdbuf();
  std::string svg = content.str();
  const auto begin = svg.find("<g id=\"gnuplot_canvas\">");
  if (begin == std::string::npos) return {};
  svg = svg.substr(begin);
  replace_all(svg, "gnuplot_canvas", picture.name + "_canvas");
  for (const char* id : {"gpDot", "gpPt", "textbox", "greybox"}) {
    replace_all(svg, "'" + std::string(id), "'" + picture.name + "_" + id);
    replace_all(svg, "'#" + std::string(id), "'#" + picture.name + "_" + id);
  }
  // gnuplot numbers its plots in every file.
  replace_all(svg, "id=\"gnuplot_plot_", "id=\"" + picture.name + "_plot_");
  replace_all(svg, "xlink:href", "href");
  replace_colour(svg, kInk, "var(--ink)");
  replace_colour(svg, kMuted, "var(--muted)");
  replace_colour(svg, kFaint, "var(--line)");
  // Darker than a dark page's ground would bear.
  replace_colour(svg, "#0072b2", "var(--component)");
  replace_colour(svg, "#d55e00", "var(--pipeline)");
  replace_colour(svg, "#009e73", "var(--kernel)");
  replace_all(svg, "fill=\"#ffffff\"", "fill=\"none\"");
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}", picture.width, picture.height,
                     html_text(label), svg);
}

}  // namespace smpipe::validate
