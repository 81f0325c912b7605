// Predictions that are already known, in one file beside the output: an interrupted run continues where it was.
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "validate/prediction.h"

namespace smpipe::validate {

/// One line of JSON per prediction, appended as each is known. Lines that an interruption cut off are ignored.
class PredictionStore {
 public:
  /// Loads what is there. Throws InputError if the file cannot be written.
  explicit PredictionStore(std::string path);

  std::optional<Prediction> find(const std::string& key) const;
  /// Failures are not kept: the next run tries again.
  void add(const std::string& key, const std::string& launch, const Prediction& prediction);

 private:
  void load();

  std::string path_;
  std::map<std::string, nlohmann::ordered_json> known_;
  std::ofstream out_;
};

}  // namespace smpipe::validate
