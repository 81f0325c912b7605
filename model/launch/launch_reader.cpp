#include "launch/launch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "core/toml_file.h"
#include "launch/fill.h"

namespace smpipe {
namespace {
namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1ull << 40;      ///< of one buffer: more than any GPU holds
constexpr std::uint64_t kMostParameterBytes = 32764;  ///< CUDA 12.1 and later
constexpr std::uint64_t kMostShared = 1ull << 24;
constexpr std::uint64_t kMostLocal = 512ull << 10;  ///< CUDA: 512 KiB of local memory per thread
constexpr std::uint64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

bool is_architecture(const std::string& name) {
  return name.starts_with("sm_") && name.size() > 3 && name.size() <= 8 && name[3] >= '0' && name[3] <= '9';
}

/// Reads one launch file. Methods are in the order of the file.
class Reader {
 public:
  Reader(const std::string& path, const std::string& architecture)
      : path_(path), architecture_(architecture), document_(parse_toml(path)), top_(path, document_, "", 1) {
    launch_.file = path;
    launch_.architecture = architecture;
  }

  Launch read() {
    for (const std::string& key : keys_in_order(document_)) launch_.lines[key] = line_of(*document_.get(key));
    launch_.kernel = top_.text("kernel", "kernel = \"my_kernel\"");
    launch_.description = top_.text_or("description", "");
    read_code();
    read_geometry();
    read_resources();
    launch_.caches = top_.word_or("caches", "cold", {"cold", "warm"}) == "warm" ? Caches::kWarm : Caches::kCold;
    read_buffers();
    read_arguments();
    read_reports();
    read_checks();
    top_.finish();
    allocate_buffers(launch_);
    pack_parameters(launch_);
    check_parameter_size();
    return std::move(launch_);
  }

 private:
  [[noreturn]] void fail(unsigned line, const std::string& what, const std::string& remedy) const {
    throw InputError(path_, line, what, remedy);
  }

  std::string resolve(const std::string& path) const {
    return (fs::path(path_).parent_path() / path).lexically_normal().string();
  }

  /// Path of a file that a value names. It must exist and hold something.
  std::string file_value(const toml::node& node, const std::string& what) const {
    const std::string path = resolve(text_value(path_, node, what));
    std::error_code error;
    if (!fs::exists(path, error)) {
      fail(line_of(node), fmt::format("{}: '{}' does not exist", what, path), "paths are relative to the launch file");
    }
    if (!fs::is_regular_file(path, error)) {
      fail(line_of(node), fmt::format("{}: '{}' is not a file", what, path), "name a file");
    }
    if (fs::file_size(path, error) == 0) fail(line_of(node), fmt::format("{}: '{}' is empty", what, path), "build it");
    if (!std::ifstream(path)) fail(line_of(node), fmt::format("{}: '{}' cannot be read", what, path), "permit it");
    return path;
  }

  // ---- code, geometry, resources

  void read_code() {
    const toml::node& node = top_.require("code", "code = { sm_80 = \"sm_80/my_kernel.sass\" }");
    const toml::table& table = table_value(path_, node, "code");
    check_architectures(table, "code");
    const toml::node* mine = table.get(architecture_);
    if (mine == nullptr) {
      fail(line_of(node), fmt::format("there is no code for {}", architecture_),
           table.empty() ? "name a listing: { sm_80 = \"file.sass\" }"
                         : "there is code for " + alternatives(keys_in_order(table)) +
                               ": use a configuration of that architecture");
    }
    launch_.code = file_value(*mine, "code." + architecture_);
    char magic[4] = {};
    std::ifstream(launch_.code, std::ios::binary).read(magic, sizeof magic);
    launch_.code_is_listing = std::string_view(magic, 4) != std::string_view(
                                                                "\x7f"
                                                                "ELF",
                                                                4);
  }

  void check_architectures(const toml::table& table, const std::string& what) const {
    for (const std::string& key : keys_in_order(table)) {
      if (!is_architecture(key)) {
        fail(line_of(*table.get(key)), fmt::format("{}: '{}' is not an architecture", what, key),
             "use sm_80, sm_90, ...");
      }
    }
  }

  Dim3 read_dim(const std::string& key, const std::string& example, const std::array<std::uint64_t, 3>& most) {
    const toml::node& node = top_.require(key, example);
    const toml::array& list = array_value(path_, node, key);
    if (list.empty() || list.size() > 3) {
      fail(line_of(node), fmt::format("{} has {} numbers", key, list.size()), "it takes one to three: x, y, z");
    }
    std::array<std::uint32_t, 3> value = {1, 1, 1};
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string name = fmt::format("{}[{}]", key, i);
      value[i] = static_cast<std::uint32_t>(count_value(path_, *list.get(i), name, 1, most[i]));
    }
    return {value[0], value[1], value[2]};
  }

  void read_geometry() {
    launch_.shape.grid = read_dim("grid", "grid = [108]", {2147483647, 65535, 65535});
    launch_.shape.block = read_dim("block", "block = [256]", {1024, 1024, 64});
    const std::uint64_t threads = launch_.shape.block.count();
    if (threads > 1024) {
      top_.fail("block", fmt::format("the block has {} threads", threads), "a block has at most 1024");
    }
    launch_.shape.dynamic_shared_bytes =
        static_cast<std::uint32_t>(top_.count_or("dynamic_shared_bytes", 0, 0, kMostShared));
  }

  /// A number, or a table of numbers by architecture. False if the key is absent.
  bool read_per_architecture(const std::string& key, std::uint64_t low, std::uint64_t high, std::uint32_t& out) {
    const toml::node* node = top_.find(key);
    if (node == nullptr) return false;
    std::string name = key;
    if (const toml::table* table = node->as_table()) {
      check_architectures(*table, key);
      for (const std::string& arch : keys_in_order(*table)) {
        count_value(path_, *table->get(arch), key + "." + arch, low, high);
      }
      name += "." + architecture_;
      const toml::node* mine = table->get(architecture_);
      if (mine == nullptr) {
        fail(line_of(*node), fmt::format("{} has no value for {}", key, architecture_),
             fmt::format("add {} = ... to the table", architecture_));
      }
      node = mine;
    }
    out = static_cast<std::uint32_t>(count_value(path_, *node, name, low, high));
    return true;
  }

  void read_resources() {
    LaunchShape& shape = launch_.shape;
    if (!read_per_architecture("registers", 1, 255, shape.registers_per_thread) && launch_.code_is_listing) {
      fail(0,
           fmt::format("'registers' is missing: the listing '{}' does not say how many the kernel uses", launch_.code),
           "add registers = { " + architecture_ + " = ... }; `cuobjdump -res-usage` prints it");
    }
    read_per_architecture("static_shared_bytes", 0, kMostShared, shape.static_shared_bytes);
    read_per_architecture("local_bytes", 0, kMostLocal, shape.local_bytes_per_thread);
  }

  // ---- buffers

  /// Names become file names when buffers are dumped.
  void check_name(const std::string& name, unsigned line) const {
    const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
    if (!name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), good)) return;
    fail(line, fmt::format("'{}' is not a name for a buffer", name), "use up to 64 letters, digits, _ and -");
  }

  void read_buffers() {
    const toml::node* node = top_.find("buffers");
    if (node == nullptr) return;
    const toml::table& table = table_value(path_, *node, "buffers");
    for (const std::string& name : keys_in_order(table)) {
      const std::string where = "buffers." + name;
      check_name(name, line_of(*table.get(name)));
      const toml::node& entry = *table.get(name);
      TableReader reader(path_, table_value(path_, entry, where), where, line_of(entry));
      Buffer buffer;
      buffer.name = name;
      buffer.line = reader.line();
      buffer.bytes = reader.count("bytes", 1, kMostBytes, "bytes = 4096");
      buffer.fill = read_fill(reader, buffer.bytes, "zero");
      reader.finish();
      launch_.buffers.push_back(std::move(buffer));
    }
  }

  static std::vector<std::string> fill_names() {
    std::vector<std::string> names = {"zero", "iota", "constant", "chase", "file"};
    for (const std::string& type : element_type_names()) names.push_back("random_" + type);
    return names;
  }

  ElementType element_type(TableReader& reader, const std::string& key, const std::string& fallback) {
    const std::string name = fallback.empty() ? reader.text(key, key + " = \"f32\"") : reader.text_or(key, fallback);
    ElementType type{};
    if (!find_element_type(name, type)) {
      reader.fail(key, fmt::format("{} = '{}' is not a type", reader.path(key), name),
                  "use " + alternatives(element_type_names()));
    }
    return type;
  }

  /// The keys of a fill. `bytes` = 0: not known here, divisibility is not checked.
  Fill read_fill(TableReader& reader, std::uint64_t bytes, const std::string& fallback) {
    const std::string name = reader.text_or("fill", fallback);
    Fill fill;
    if (name == "zero") {
      fill.kind = FillKind::kZero;
    } else if (name == "iota") {
      read_iota(reader, fill);
    } else if (name == "constant") {
      fill.kind = FillKind::kConstant;
      fill.type = element_type(reader, "type", "");
      fill.start = stated_number(reader, reader.require("value", "value = 1"), "value", fill.type);
    } else if (name == "chase") {
      read_chase(reader, fill);
    } else if (name == "file") {
      read_file_fill(reader, fill, bytes);
    } else if (name.starts_with("random_") && find_element_type(name.substr(7), fill.type)) {
      fill.kind = FillKind::kRandom;
      fill.seed = reader.count_or("seed", 0, 0, kMaxInt);
    } else {
      reader.fail("fill", fmt::format("{}: unknown fill '{}'", reader.path("fill"), name), suggest(name, fill_names()));
    }
    check_multiple(reader, fill, bytes);
    return fill;
  }

  void read_iota(TableReader& reader, Fill& fill) {
    fill.kind = FillKind::kIota;
    fill.type = element_type(reader, "type", "i32");
    fill.step = {true, 1, 1.0};
    if (const toml::node* start = reader.find("start")) fill.start = stated_number(reader, *start, "start", fill.type);
    if (const toml::node* step = reader.find("step")) fill.step = stated_number(reader, *step, "step", fill.type, true);
  }

  void read_chase(TableReader& reader, Fill& fill) {
    fill.kind = FillKind::kChase;
    fill.type = reader.word_or("element", "u64", {"u64", "u32"}) == "u64" ? ElementType::kU64 : ElementType::kU32;
    const std::uint32_t size = size_of(fill.type);
    fill.stride = reader.count_or("stride", size, size, kMostBytes);
    fill.random_order = reader.word_or("order", "random", {"random", "sequential"}) == "random";
    fill.seed = reader.count_or("seed", 0, 0, kMaxInt);
    if (fill.stride % size != 0) {
      reader.fail(
          "stride",
          fmt::format("{} = {} is not a multiple of the element's {} bytes", reader.path("stride"), fill.stride, size),
          "align the nodes");
    }
  }

  void read_file_fill(TableReader& reader, Fill& fill, std::uint64_t bytes) {
    fill.kind = FillKind::kFile;
    fill.file = file_value(reader.require("file", "file = \"data.bin\""), reader.path("file"));
    fill.offset = reader.count_or("offset", 0, 0, kMostBytes);
    std::error_code error;
    const std::uint64_t there = fs::file_size(fill.file, error);
    if (fill.offset + bytes > there) {
      reader.fail("file",
                  fmt::format("'{}' has {} bytes, {} from byte {} are asked for", fill.file, there, bytes, fill.offset),
                  "take a larger file or a smaller buffer");
    }
  }

  static void check_multiple(TableReader& reader, const Fill& fill, std::uint64_t bytes) {
    std::uint64_t unit = 1;
    std::string of;
    if (fill.kind == FillKind::kChase) {
      unit = fill.stride;
      of = "the stride";
    } else if (fill.kind != FillKind::kZero && fill.kind != FillKind::kFile) {
      unit = size_of(fill.type);
      of = "the size of " + name_of(fill.type);
    }
    if (bytes % unit != 0) {
      reader.fail("bytes", fmt::format("{} bytes are not a multiple of {} ({})", bytes, unit, of),
                  fmt::format("use {} or {}", bytes / unit * unit, (bytes / unit + 1) * unit));
    }
    if (fill.kind == FillKind::kChase && fill.type == ElementType::kU32 && bytes / 4 > (1ull << 32)) {
      reader.fail("bytes", "the ring has more words than a u32 index reaches", "use element = \"u64\"");
    }
  }

  /// A number that fits the element type. Steps may be negative for unsigned types: elements wrap.
  StatedNumber stated_number(const TableReader& reader, const toml::node& node, const std::string& key,
                             ElementType type, bool any_sign = false) const {
    StatedNumber out;
    const std::string what = reader.path(key);
    if (is_float(type)) {
      out.number = number_value(path_, node, what);
      out.is_integer = node.is_integer();
      if (out.is_integer) out.integer = *node.value<std::int64_t>();
      return out;
    }
    out.integer = integer_value(path_, node, what, any_sign ? std::numeric_limits<std::int64_t>::min() : lowest(type),
                                any_sign ? std::numeric_limits<std::int64_t>::max() : highest(type));
    out.number = static_cast<double>(out.integer);
    return out;
  }

  std::size_t buffer_named(const std::string& name, unsigned line, const std::string& what) const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < launch_.buffers.size(); ++i) {
      if (launch_.buffers[i].name == name) return i;
      known.push_back(launch_.buffers[i].name);
    }
    fail(line, fmt::format("{}: there is no buffer '{}'", what, name),
         known.empty() ? "declare it: [buffers." + name + "]" : suggest(name, known));
  }

  std::size_t buffer_key(TableReader& reader, const std::string& key) {
    const std::string name = reader.text(key, key + " = \"A\"");
    return buffer_named(name, reader.line(key), reader.path(key));
  }

  // ---- arguments

  void read_arguments() {
    const toml::node* node = top_.find("args");
    if (node == nullptr) return;
    const toml::array& list = array_value(path_, *node, "args");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = fmt::format("args[{}]", i);
      const toml::node& entry = *list.get(i);
      launch_.arguments.push_back(read_argument(table_value(path_, entry, where), where, line_of(entry)));
    }
  }

  Argument read_argument(const toml::table& table, const std::string& where, unsigned line) {
    static const char* const kForm = "write for example { buffer = \"A\" } or { i32 = 1024 }";
    std::vector<std::string> forms = element_type_names();
    forms.emplace_back("buffer");
    std::string type;
    for (const std::string& key : keys_in_order(table)) {
      if (std::find(forms.begin(), forms.end(), key) == forms.end()) continue;
      if (!type.empty()) fail(line, fmt::format("{} has two types, {} and {}", where, type, key), kForm);
      type = key;
    }
    TableReader reader(path_, table, where, line);
    if (type.empty()) {
      for (const std::string& form : forms) reader.find(form);
      reader.find("offset");
      reader.finish();
      fail(line, where + " has no type", kForm);
    }
    Argument argument;
    argument.type = type;
    argument.line = line;
    if (type == "buffer") {
      read_pointer(reader, argument);
    } else {
      read_scalar(reader, argument);
    }
    reader.finish();
    return argument;
  }

  void read_pointer(TableReader& reader, Argument& argument) {
    argument.buffer = buffer_key(reader, "buffer");
    const Buffer& buffer = launch_.buffers[*argument.buffer];
    argument.offset = reader.count_or("offset", 0, 0, kMostBytes);
    if (argument.offset > buffer.bytes) {
      reader.fail("offset",
                  fmt::format("{} = {} lies beyond the {} bytes of '{}'", reader.path("offset"), argument.offset,
                              buffer.bytes, buffer.name),
                  "use a smaller offset or a larger buffer");
    }
  }

  void read_scalar(TableReader& reader, Argument& argument) {
    ElementType type{};
    find_element_type(argument.type, type);
    const StatedNumber value = stated_number(reader, *reader.find(argument.type), argument.type, type);
    argument.scalar.resize(size_of(type));
    if (is_float(type)) {
      store_number(type, value.number, argument.scalar.data());
    } else {
      store_integer(type, value.integer, argument.scalar.data());
    }
  }

  void check_parameter_size() const {
    if (launch_.parameters.size() <= kMostParameterBytes) return;
    fail(launch_.line_of("args"), fmt::format("the arguments take {} bytes", launch_.parameters.size()),
         fmt::format("a kernel takes at most {}", kMostParameterBytes));
  }

  // ---- reports

  void read_reports() {
    const toml::node* node = top_.find("report");
    if (node == nullptr) return;
    if (!node->is_array()) fail(line_of(*node), "report is " + type_name(*node), "write [[report]]");
    const toml::array& list = *node->as_array();
    std::set<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = fmt::format("report[{}]", i);
      const toml::node& entry = *list.get(i);
      TableReader reader(path_, table_value(path_, entry, where), where, line_of(entry));
      Report report = read_report(reader);
      if (!names.insert(report.name).second) {
        reader.fail("name", fmt::format("there are two reports '{}'", report.name), "give each its own name");
      }
      reader.finish();
      launch_.reports.push_back(std::move(report));
    }
  }

  Report read_report(TableReader& reader) {
    Report report;
    report.name = reader.text("name", "name = \"latency\"");
    const Buffer& buffer = launch_.buffers[buffer_key(reader, "buffer")];
    report.buffer = buffer.name;
    const ElementType type = element_type(reader, "type", "");
    report.type = name_of(type);
    report.index = reader.count_or("index", 0, 0, kMostBytes);
    report.scale = reader.number_or("scale", 1);
    report.unit = reader.text_or("unit", "");
    check_index(reader, "index", report.index, type, buffer);
    return report;
  }

  static void check_index(const TableReader& reader, const std::string& key, std::uint64_t index, ElementType type,
                          const Buffer& buffer) {
    if ((index + 1) * size_of(type) <= buffer.bytes) return;
    reader.fail(key,
                fmt::format("{} = {} is outside of '{}', which holds {} elements of {}", reader.path(key), index,
                            buffer.name, buffer.bytes / size_of(type), name_of(type)),
                "use a smaller index or a larger buffer");
  }

  // ---- checks

  void read_checks() {
    const toml::node* node = top_.find("check");
    if (node == nullptr) return;
    if (const toml::table* table = node->as_table()) {
      read_check(*table, "check", line_of(*node));
      return;
    }
    const toml::array& list = array_value(path_, *node, "check");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = fmt::format("check[{}]", i);
      read_check(table_value(path_, *list.get(i), where), where, line_of(*list.get(i)));
    }
  }

  void read_check(const toml::table& table, const std::string& where, unsigned line) {
    TableReader reader(path_, table, where, line);
    Check check;
    check.line = line;
    const std::vector<std::string> kinds = {"gemm", "equals", "sum", "crc32"};
    check.kind = reader.text("kind", "kind = \"gemm\"");
    if (check.kind == "gemm") {
      check.spec = read_gemm(reader);
    } else if (check.kind == "equals") {
      check.spec = read_equals(reader);
    } else if (check.kind == "sum") {
      check.spec = read_sum(reader);
    } else if (check.kind == "crc32") {
      check.spec = read_crc32(reader);
    } else {
      reader.fail("kind", fmt::format("{}: unknown kind '{}'", reader.path("kind"), check.kind),
                  suggest(check.kind, kinds));
    }
    reader.finish();
    launch_.checks.push_back(std::move(check));
  }

  double tolerance(TableReader& reader, double fallback) {
    const double value = reader.number_or("tolerance", fallback);
    if (value < 0) reader.fail("tolerance", reader.path("tolerance") + " is negative", "use 0 or more");
    return value;
  }

  ElementType float_type(TableReader& reader, const std::string& key, const std::string& fallback) {
    const ElementType type = element_type(reader, key, fallback);
    if (!is_float(type)) {
      reader.fail(key, fmt::format("{} = '{}' is an integer type", reader.path(key), name_of(type)),
                  "use bf16, f16, f32 or f64");
    }
    return type;
  }

  GemmCheck read_gemm(TableReader& reader) {
    GemmCheck gemm;
    gemm.a = buffer_key(reader, "a");
    gemm.b = buffer_key(reader, "b");
    gemm.c = buffer_key(reader, "c");
    constexpr std::uint64_t kMost = 1u << 24;
    gemm.m = reader.count("m", 1, kMost, "m = 1024");
    gemm.n = reader.count("n", 1, kMost, "n = 1024");
    gemm.k = reader.count("k", 1, kMost, "k = 1024");
    gemm.type = float_type(reader, "type", "bf16");
    gemm.out_type = float_type(reader, "out_type", "f32");
    gemm.a_transposed = reader.word_or("a_layout", "mk", {"mk", "km"}) == "km";
    gemm.b_transposed = reader.word_or("b_layout", "nk", {"nk", "kn"}) == "kn";
    gemm.tolerance = tolerance(reader, gemm.out_type == ElementType::kBf16  ? 1e-2
                                       : gemm.out_type == ElementType::kF16 ? 1e-3
                                                                            : 1e-5);
    const bool small = gemm.m * gemm.n <= (1ull << 31) / gemm.k;
    gemm.samples = reader.count_or("samples", small ? 0 : 65536, 0, kMaxInt);
    check_matrix(reader, "a", gemm.a, gemm.m, gemm.k, gemm.type);
    check_matrix(reader, "b", gemm.b, gemm.n, gemm.k, gemm.type);
    check_matrix(reader, "c", gemm.c, gemm.m, gemm.n, gemm.out_type);
    return gemm;
  }

  void check_matrix(const TableReader& reader, const std::string& key, std::size_t index, std::uint64_t rows,
                    std::uint64_t columns, ElementType type) const {
    const Buffer& buffer = launch_.buffers[index];
    const std::uint64_t needed = rows * columns * size_of(type);
    if (buffer.bytes >= needed) return;
    reader.fail(key,
                fmt::format("{} x {} elements of {} take {} bytes, '{}' has {}", rows, columns, name_of(type), needed,
                            buffer.name, buffer.bytes),
                "make the buffer larger or the matrix smaller");
  }

  EqualsCheck read_equals(TableReader& reader) {
    EqualsCheck equals;
    equals.buffer = buffer_key(reader, "buffer");
    const Buffer& buffer = launch_.buffers[equals.buffer];
    equals.type = element_type(reader, "type", "u8");
    const std::uint32_t size = size_of(equals.type);
    equals.offset = reader.count_or("offset", 0, 0, buffer.bytes);
    const std::uint64_t fits = (buffer.bytes - equals.offset) / size;
    equals.count = reader.count_or("count", fits, 1, fits);
    equals.expected_offset = reader.count_or("expected_offset", 0, 0, kMostBytes);
    equals.tolerance = tolerance(reader, 0);
    if (equals.count == 0)
      reader.fail("offset", reader.path("offset") + " leaves nothing to compare", "make it smaller");
    read_expected(reader, equals);
    return equals;
  }

  void read_expected(TableReader& reader, EqualsCheck& equals) {
    const toml::node& node = reader.require("expected", "expected = { buffer = \"A\" }");
    const std::string where = reader.path("expected");
    TableReader inner(path_, table_value(path_, node, where), where, line_of(node));
    const std::uint64_t needed = equals.expected_offset + equals.count * size_of(equals.type);
    if (inner.find("buffer") != nullptr) {
      equals.expected_buffer = buffer_key(inner, "buffer");
      const Buffer& buffer = launch_.buffers[*equals.expected_buffer];
      if (buffer.bytes < needed) {
        inner.fail("buffer", fmt::format("'{}' has {} bytes, {} are compared", buffer.name, buffer.bytes, needed),
                   "compare less with count = ...");
      }
    } else if (inner.find("fill") == nullptr && inner.find("file") != nullptr) {
      read_file_fill(inner, equals.expected, needed);
    } else if (inner.find("fill") != nullptr) {
      equals.expected = read_fill(inner, 0, "");
    } else {
      inner.fail("", where + " says nothing", "name a buffer, a file or a fill");
    }
    inner.finish();
  }

  SumCheck read_sum(TableReader& reader) {
    SumCheck sum;
    sum.input = buffer_key(reader, "input");
    sum.input_type = element_type(reader, "input_type", "");
    const std::uint64_t fits = launch_.buffers[sum.input].bytes / size_of(sum.input_type);
    sum.input_count = reader.count_or("input_count", fits, 1, fits);
    sum.buffer = buffer_key(reader, "buffer");
    sum.type = element_type(reader, "type", "");
    sum.index = reader.count_or("index", 0, 0, kMostBytes);
    sum.tolerance = tolerance(reader, 1e-5);
    if (is_float(sum.type) != is_float(sum.input_type)) {
      reader.fail("type", fmt::format("a sum of {} is compared with {}", name_of(sum.input_type), name_of(sum.type)),
                  "use integers for both or numbers with a point for both");
    }
    check_index(reader, "index", sum.index, sum.type, launch_.buffers[sum.buffer]);
    return sum;
  }

  Crc32Check read_crc32(TableReader& reader) {
    Crc32Check crc;
    crc.buffer = buffer_key(reader, "buffer");
    const std::uint64_t size = launch_.buffers[crc.buffer].bytes;
    crc.value = static_cast<std::uint32_t>(reader.count("value", 0, 0xffffffff, "value = 0x1c291ca3"));
    crc.offset = reader.count_or("offset", 0, 0, size - 1);
    crc.bytes = reader.count_or("bytes", size - crc.offset, 1, size - crc.offset);
    return crc;
  }

  std::string path_, architecture_;
  toml::table document_;
  TableReader top_;
  Launch launch_;
};

}  // namespace

Launch read_launch(const std::string& path, const std::string& architecture) {
  return Reader(path, architecture).read();
}

Launch load_launch(const std::string& path, const std::string& architecture) {
  Launch launch = read_launch(path, architecture);
  fill_buffers(launch);
  return launch;
}

void check_resources(const Launch& launch, const GpuConfig& config) {
  const LaunchShape& shape = launch.shape;
  const OccupancyConfig& o = config.occupancy;
  const auto fail = [&](const std::string& key, const std::string& what, const std::string& remedy) {
    throw InputError(launch.file, launch.line_of(key), what, remedy);
  };
  if (shape.warps_per_block() > o.warps_per_sm) {
    fail("block",
         fmt::format("a block has {} warps, an SM of {} holds {}", shape.warps_per_block(), config.gpu.name,
                     o.warps_per_sm),
         "make the block smaller");
  }
  const std::uint64_t shared = std::uint64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes;
  if (shared > o.shared_per_block) {
    fail(shape.dynamic_shared_bytes != 0 ? "dynamic_shared_bytes" : "static_shared_bytes",
         fmt::format("a block asks for {} bytes of shared memory, {} allows {}", shared, config.gpu.name,
                     o.shared_per_block),
         "use fewer stages or smaller tiles");
  }
  if (shape.registers_per_thread > o.registers_per_thread) {
    fail("registers",
         fmt::format("{} registers per thread, {} allows {}", shape.registers_per_thread, config.gpu.name,
                     o.registers_per_thread),
         "correct the number");
  }
  const std::uint64_t unit = o.register_allocation_unit;
  const std::uint64_t per_warp = (std::uint64_t{shape.registers_per_thread} * kLanes + unit - 1) / unit * unit;
  const std::uint64_t smsps = config.smsp.count;
  const std::uint64_t warps_per_smsp = (shape.warps_per_block() + smsps - 1) / smsps;
  if (per_warp * warps_per_smsp * smsps > o.registers_per_sm) {
    fail("registers",
         fmt::format("a block of {} warps with {} registers per thread needs {} registers, an SM has {}",
                     shape.warps_per_block(), shape.registers_per_thread, per_warp * warps_per_smsp * smsps,
                     o.registers_per_sm),
         "make the block smaller or use fewer registers");
  }
}

void check_parameters(const Launch& launch, std::uint32_t bytes_read, unsigned code_line) {
  // Code reads a short last parameter by its whole 32-bit word.
  if (bytes_read <= (launch.parameters.size() + 3) / 4 * 4) return;
  throw InputError(launch.file, launch.line_of("args"),
                   fmt::format("args give {} bytes of parameters, but {}:{} reads up to byte {}",
                               launch.parameters.size(), launch.code, code_line, bytes_read),
                   "the number and types of args must match the kernel's parameters");
}

}  // namespace smpipe
