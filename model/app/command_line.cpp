#include "app/command_line.h"

#include <fmt/format.h>

#include <iostream>

#include "core/text.h"

namespace smpipe::app {

namespace po = boost::program_options;

namespace {
constexpr unsigned kWidth = 100;
}

CommandLine::CommandLine(std::string usage, std::string text, std::string example)
    : usage_(std::move(usage)), text_(std::move(text)), example_(std::move(example)), visible_("Options", kWidth) {}

bool CommandLine::parse(const std::vector<std::string>& words) {
  options()("help,h", "print this help");
  po::options_description all;
  all.add(visible_);
  all.add_options()(kPositional, po::value<std::vector<std::string>>(&positional_));
  po::positional_options_description positions;
  positions.add(kPositional, -1);
  // No guessing: an abbreviated option would change its meaning when another option is added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::store(po::command_line_parser(words).options(all).positional(positions).style(style).run(), values_);
    if (values_.count("help") != 0) {
      print_help();
      return true;
    }
    po::notify(values_);
  } catch (const po::unknown_option& error) {
    fail_unknown(error.get_option_name());
  } catch (const po::error& error) {
    fail(error.what());
  }
  return false;
}

void CommandLine::fail(const std::string& what) const {
  throw UsageError(fmt::format("smpipe {}: {}; see `smpipe {} --help`", verb(), what, verb()));
}

void CommandLine::fail_unknown(const std::string& option) const {
  std::vector<std::string> known;
  for (const auto& description : visible_.options()) known.push_back("--" + description->long_name());
  const std::string name = option.starts_with("--") || option.size() < 3 ? option : "--" + option;
  const std::string near = nearest(name, known);
  if (near.empty()) fail("unknown option '" + option + "'");
  fail(fmt::format("unknown option '{}'; did you mean '{}'?", option, near));
}

void CommandLine::print_help() const {
  std::cout << "Usage: smpipe " << usage_ << "\n\n" << text_ << "\n" << visible_ << "\n" << example_;
}

}  // namespace smpipe::app
