#include "validate/published.h"

#include <algorithm>

#include "core/toml_file.h"

namespace smpipe::validate {
namespace {

bool known_quantity(const std::string& quantity) {
  return quantity == "cycles" || quantity == "bytes_per_cycle" || quantity == "gigabytes_per_second" ||
         (quantity.starts_with("report:") && quantity.size() > 7);
}

PublishedFigure read_figure(const std::string& file, const toml::table& table) {
  TableReader reader(file, table, "figure");
  PublishedFigure f;
  f.line = reader.line();
  f.id = reader.text("id", "id = \"P327\"");
  f.what = reader.text("what", "what = \"LDS latency, no conflict\"");
  f.launch = reader.text("launch", "launch = \"lds_chain_1way\"");
  f.quantity = reader.text("quantity", "quantity = \"report:latency\"");
  if (!known_quantity(f.quantity)) {
    reader.fail("quantity", "'" + f.quantity + "' is unknown",
                "use report:NAME, cycles, bytes_per_cycle or gigabytes_per_second");
  }
  f.bytes = reader.number_or("bytes", 0);
  if ((f.quantity == "bytes_per_cycle" || f.quantity == "gigabytes_per_second") && !(f.bytes > 0)) {
    reader.fail("bytes", "is needed for a rate", "state the bytes that the launch moves");
  }
  f.value = reader.number_or("value", 0);
  if (!(f.value > 0)) reader.fail("value", "must be above 0", "value = 23.0");
  f.unit = reader.text("unit", "unit = \"cycles\"");
  f.source = reader.text("source", "source = \"who published it, and where\"");
  f.grade = reader.word_or("grade", "C", {"A", "B", "C", "D"});
  f.note = reader.text_or("note", "");
  reader.finish();
  return f;
}

}  // namespace

PublishedSet read_published(const std::string& path) {
  const toml::table root = parse_toml(path);
  TableReader reader(path, root, "");
  PublishedSet set;
  set.file = path;
  set.config = reader.text("config", "config = \"a100-sxm4-40gb\"");
  set.device = reader.text("device", "device = \"NVIDIA A100\"");
  const toml::node& list = reader.require("figure", "[[figure]]");
  for (const toml::node& item : array_value(path, list, "figure")) {
    set.figures.push_back(read_figure(path, table_value(path, item, "figure")));
  }
  reader.finish();
  return set;
}

std::vector<std::string> launches_of(const PublishedSet& set) {
  std::vector<std::string> out;
  for (const PublishedFigure& f : set.figures) {
    if (std::find(out.begin(), out.end(), f.launch) == out.end()) out.push_back(f.launch);
  }
  return out;
}

}  // namespace smpipe::validate
