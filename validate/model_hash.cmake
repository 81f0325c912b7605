# Writes a header with a hash of all files in FILES (a list file): predictions in a store are valid for one model only.
file(STRINGS ${FILES} sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "inline constexpr const char* kModelHash = \"${hash}\";\n")
