// Address computation and checked access to the four memory spaces.
#pragma once

#include <cstdint>

#include "frontend/sass/machine.h"

namespace smpipe::sass {

/// Fills `out.address` with the byte addresses of the active lanes (32-bit spaces wrap at 2^32).
void compute_addresses(Warp& warp, const Op& op, LaneMask active, bool wide, std::uint64_t* address);

/// Host pointer of a checked access; every failure is an InputError.
std::uint8_t* global_pointer(Warp& warp, const Op& op, unsigned lane, std::uint64_t address, unsigned bytes);
std::uint8_t* shared_pointer(Warp& warp, const Op& op, unsigned lane, std::uint64_t address, unsigned bytes);
/// Local memory is interleaved by words: checks the range and returns the first word's number.
unsigned local_word(Warp& warp, const Op& op, unsigned lane, std::uint64_t address, unsigned bytes);

/// Which space a generic address belongs to; turns it into that space's own address.
Space resolve_generic(std::uint64_t& address);

/// Where the timing model sees word `word` of `lane`'s local memory.
std::uint64_t local_backing(Warp& warp, unsigned word, unsigned lane);

}  // namespace smpipe::sass
