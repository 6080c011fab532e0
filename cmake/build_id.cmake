# Run as a script: writes OUTPUT, the definition of quern::jit::build_id(), a hash of the sources below ROOT that decide
# what a compilation of a kernel gives, and of VERSIONS, the compilers that are linked in.
set(text "${VERSIONS}")
foreach(folder IN ITEMS backends dsl include jit platform)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.def)
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND text "${file} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 id "${text}")
string(SUBSTRING ${id} 0 32 id)
file(WRITE ${OUTPUT} "#include \"jit/cache/manifest.hpp\"

std::string_view quern::jit::build_id() { return \"${id}\"; }
")
