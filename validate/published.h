// Published figures whose experiment is one of the launches: a second reference besides measurements.
#pragma once

#include <string>
#include <vector>

namespace smpipe::validate {

struct PublishedFigure {
  std::string id;        ///< "P327"
  std::string launch;    ///< stem of the launch file
  std::string quantity;  ///< "report:NAME", "cycles", "bytes_per_cycle" or "gigabytes_per_second"
  double bytes = 0;      ///< moved by the launch, for the two rates
  double value = 0;
  std::string unit, source, grade, note, what;
  unsigned line = 0;
};

struct PublishedSet {
  std::string file;
  std::string config;  ///< stem of the configuration that the figures belong to
  std::string device;
  std::vector<PublishedFigure> figures;
};

/// Throws InputError with file and line for every mistake.
PublishedSet read_published(const std::string& path);

/// Launches that the figures need, each once, in the order of the file.
std::vector<std::string> launches_of(const PublishedSet& set);

}  // namespace smpipe::validate
