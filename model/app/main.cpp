// `smpipe`: chooses the verb and turns exceptions into messages and exit codes.
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "core/error.h"
#include "core/text.h"

namespace smpipe::app {
namespace {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>&);
};

constexpr Verb kVerbs[] = {
    {"simulate", "predict cycles, stalls and counters of one kernel launch", simulate_command},
    {"validate", "set predictions beside measurements: table, plots and page", validate_command},
    {"config", "show or check a GPU configuration", config_command},
};

void print_help() {
  std::cout << "smpipe simulates real CUDA machine code on a cycle-approximate model of a GPU's memory pipeline.\n\n"
               "Usage: smpipe VERB ...\n\n";
  for (const Verb& verb : kVerbs) std::cout << fmt::format("  {:10} {}\n", verb.name, verb.summary);
  std::cout << "\n  --help     this text; `smpipe VERB --help` explains a verb\n"
               "  --version  the version\n\n"
               "Start with:\n"
               "  smpipe simulate traces/hgemm_3stage.toml\n"
               "Exit codes: 0 fine, 1 a failed check, 2 bad input.\n";
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  return names;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_help();
    return kBadInput;
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print_help();
    return kFine;
  }
  if (first == "--version") {
    std::cout << "smpipe " << SMPIPE_VERSION << "\n";
    return kFine;
  }
  for (const Verb& verb : kVerbs) {
    if (first == verb.name) return verb.run({words.begin() + 1, words.end()});
  }
  throw UsageError(fmt::format("smpipe: unknown verb '{}'; {}", first, suggest(first, verb_names())));
}

int guarded(const std::vector<std::string>& words) {
  try {
    const int code = dispatch(words);
    std::cout.flush();
    if (!std::cout) throw InputError("standard output", 0, "cannot be written", "check for a full disk or closed pipe");
    return code;
  } catch (const UsageError& error) {
    std::cerr << error.what() << "\n";
    return kBadInput;
  } catch (const InputError& error) {
    std::cerr << "smpipe: " << error.what() << "\n";
    return kBadInput;
  } catch (const std::bad_alloc&) {
    std::cerr << "smpipe: out of memory; make the buffers of the launch smaller\n";
    return kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "smpipe: internal error: " << error.what() << "\nPlease report it with the command line.\n";
    return kInternal;
  }
}

}  // namespace
}  // namespace smpipe::app

int main(int argc, char** argv) {
  // A closed pipe (`smpipe config show | head`) is found by the stream, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  return smpipe::app::guarded({argv + (argc > 0 ? 1 : 0), argv + argc});
}
