// The machine code that the GPU loads, and the proof that it is the code that the simulator reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/launch.h"

namespace smpipe::gpu {

/// Path of the cubin for this launch: `code` itself when it is one, else the file beside the listing with the same stem
/// and the extension `.cubin`.
std::string cubin_path(const Launch& launch);

/// Reads the cubin. When the launch names a listing, every instruction of the kernel in the listing must equal the
/// cubin's bytes; InputError says where they part.
std::vector<char> load_cubin(const Launch& launch);

}  // namespace smpipe::gpu
