#include "frontend/sass/decode.h"

namespace smpipe::sass {

void register_atomic(DecodeTable&) {}

}  // namespace smpipe::sass
