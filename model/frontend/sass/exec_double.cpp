#include "frontend/sass/decode.h"

namespace smpipe::sass {

void register_double(DecodeTable&) {}

}  // namespace smpipe::sass
