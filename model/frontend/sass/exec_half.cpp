#include "frontend/sass/decode.h"

namespace smpipe::sass {

void register_half(DecodeTable&) {}

}  // namespace smpipe::sass
