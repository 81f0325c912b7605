#include "validate/prediction_store.h"

#include "core/error.h"

namespace smpipe::validate {

using Json = nlohmann::ordered_json;

PredictionStore::PredictionStore(std::string path) : path_(std::move(path)) {
  load();
  out_.open(path_, std::ios::app);
  if (!out_) throw InputError(path_, 0, "cannot be written", "name another output folder with -o");
}

void PredictionStore::load() {
  std::ifstream in(path_);
  std::string line;
  bool cut_off = false;
  while (std::getline(in, line)) {
    cut_off = in.eof();
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("key") && json["key"].is_string() && json.contains("prediction")) {
      known_[json["key"].get<std::string>()] = json["prediction"];
    }
  }
  // The next line must not continue a torn one.
  if (cut_off) std::ofstream(path_, std::ios::app) << "\n";
}

std::optional<Prediction> PredictionStore::find(const std::string& key) const {
  const auto found = known_.find(key);
  if (found == known_.end()) return std::nullopt;
  try {
    return prediction_from_json(found->second);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void PredictionStore::add(const std::string& key, const std::string& launch, const Prediction& prediction) {
  if (!prediction.failure.empty()) return;
  known_[key] = to_json(prediction);
  out_ << Json{{"key", key}, {"launch", launch}, {"prediction", known_[key]}}.dump() << "\n" << std::flush;
}

}  // namespace smpipe::validate
