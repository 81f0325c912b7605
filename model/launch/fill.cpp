#include "launch/fill.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <numeric>

#include "core/error.h"

namespace smpipe {
namespace {

constexpr std::uint64_t kFirstAddress = 0x7f0000000000ull;
constexpr std::uint64_t kAlignment = 2ull << 20;

void fill_iota(const Fill& fill, std::vector<std::uint8_t>& out) {
  const std::uint32_t size = size_of(fill.type);
  const bool integers = fill.start.is_integer && fill.step.is_integer;
  for (std::uint64_t i = 0; i * size < out.size(); ++i) {
    std::uint8_t* at = &out[i * size];
    if (integers && !is_float(fill.type)) {
      const std::uint64_t value =
          static_cast<std::uint64_t>(fill.start.integer) + i * static_cast<std::uint64_t>(fill.step.integer);
      store_integer(fill.type, static_cast<std::int64_t>(value), at);
    } else {
      store_number(fill.type, fill.start.number + static_cast<double>(i) * fill.step.number, at);
    }
  }
}

void fill_constant(const Fill& fill, std::vector<std::uint8_t>& out) {
  const std::uint32_t size = size_of(fill.type);
  for (std::uint64_t at = 0; at < out.size(); at += size) {
    if (fill.start.is_integer) {
      store_integer(fill.type, fill.start.integer, &out[at]);
    } else {
      store_number(fill.type, fill.start.number, &out[at]);
    }
  }
}

void fill_random(const Fill& fill, std::vector<std::uint8_t>& out) {
  const CounterRandom random(fill.seed);
  const std::uint32_t size = size_of(fill.type);
  for (std::uint64_t i = 0; i * size < out.size(); ++i) {
    const std::uint64_t bits = random(i);
    std::uint8_t* at = &out[i * size];
    if (fill.type == ElementType::kF64) {
      store_number(fill.type, static_cast<double>(bits >> 11) * 0x1p-52 - 1, at);
    } else if (is_float(fill.type)) {
      store_number(fill.type, static_cast<double>(bits >> 40) * 0x1p-23 - 1, at);
    } else {
      std::memcpy(at, &bits, size);
    }
  }
}

/// successor[j] of node j; one cycle through all nodes.
std::vector<std::uint64_t> cycle(std::uint64_t nodes, const Fill& fill) {
  std::vector<std::uint64_t> successor(nodes);
  std::iota(successor.begin(), successor.end(), std::uint64_t{0});
  if (!fill.random_order) {
    for (std::uint64_t j = 0; j < nodes; ++j) successor[j] = (j + 1) % nodes;
    return successor;
  }
  const CounterRandom random(fill.seed);
  for (std::uint64_t i = nodes - 1; i >= 1; --i) std::swap(successor[i], successor[random(i) % i]);
  return successor;
}

void fill_chase(const Fill& fill, std::uint64_t address, std::vector<std::uint8_t>& out) {
  const std::uint64_t nodes = out.size() / fill.stride;
  const std::vector<std::uint64_t> successor = cycle(nodes, fill);
  for (std::uint64_t j = 0; j < nodes; ++j) {
    const std::uint64_t value =
        fill.type == ElementType::kU64 ? address + successor[j] * fill.stride : successor[j] * fill.stride / 4;
    std::memcpy(&out[j * fill.stride], &value, size_of(fill.type));
  }
}

void fill_file(const Fill& fill, std::vector<std::uint8_t>& out) {
  std::ifstream in(fill.file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(fill.offset));
  in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!in) {
    throw InputError(fill.file, 0, fmt::format("cannot read {} bytes from byte {}", out.size(), fill.offset),
                     "the launch file asks for them");
  }
}

void check_memory(const Launch& launch) {
  // Twice: the initial contents are kept, and the run works on a copy.
  std::uint64_t needed = 0;
  const Buffer* largest = nullptr;
  for (const Buffer& buffer : launch.buffers) {
    needed += 2 * buffer.bytes;
    if (largest == nullptr || buffer.bytes > largest->bytes) largest = &buffer;
  }
  const std::uint64_t there =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  if (needed <= there) return;
  throw InputError(launch.file, largest->line,
                   fmt::format("the buffers need {} MiB of memory, this machine has {} MiB", needed >> 20, there >> 20),
                   "make the largest one, '" + largest->name + "', smaller");
}

}  // namespace

std::vector<std::uint8_t> make_contents(const Fill& fill, std::uint64_t bytes, std::uint64_t address) {
  std::vector<std::uint8_t> out(bytes);
  switch (fill.kind) {
    case FillKind::kZero:
      break;
    case FillKind::kIota:
      fill_iota(fill, out);
      break;
    case FillKind::kConstant:
      fill_constant(fill, out);
      break;
    case FillKind::kRandom:
      fill_random(fill, out);
      break;
    case FillKind::kChase:
      fill_chase(fill, address, out);
      break;
    case FillKind::kFile:
      fill_file(fill, out);
      break;
  }
  return out;
}

void allocate_buffers(Launch& launch) {
  std::uint64_t next = kFirstAddress;
  for (Buffer& buffer : launch.buffers) {
    buffer.address = next;
    const std::uint64_t pages = (buffer.bytes + kAlignment - 1) / kAlignment;
    next += (pages + 1) * kAlignment;
  }
}

void pack_parameters(Launch& launch) {
  launch.parameters.clear();
  for (const Argument& argument : launch.arguments) {
    const std::uint32_t size = argument.size();
    while (launch.parameters.size() % size != 0) launch.parameters.push_back(0);
    if (argument.buffer) {
      const std::uint64_t pointer = launch.buffers[*argument.buffer].address + argument.offset;
      launch.parameters.resize(launch.parameters.size() + size);
      std::memcpy(&launch.parameters[launch.parameters.size() - size], &pointer, size);
    } else {
      launch.parameters.insert(launch.parameters.end(), argument.scalar.begin(), argument.scalar.end());
    }
  }
}

void fill_buffers(Launch& launch) {
  check_memory(launch);
  for (Buffer& buffer : launch.buffers) buffer.data = make_contents(buffer.fill, buffer.bytes, buffer.address);
}

}  // namespace smpipe
