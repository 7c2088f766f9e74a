// Debian's archive of asmjit is not compiled for shared libraries. All of it can be linked into one but for the file
// that reads `stderr`, so its three functions are here.
#include <cstdio>
#include <cstdlib>

#include <asmjit/asmjit.h>

ASMJIT_BEGIN_NAMESPACE
namespace DebugUtils {

const char* errorAsString(Error /*error*/) noexcept {
  return "asmjit reports an error";
}
void debugOutput(const char* text) noexcept {
  std::fputs(text, stderr);
}
void assertionFailed(const char* file, int line, const char* text) noexcept {
  std::fprintf(stderr, "asmjit: %s:%d: %s\n", file, line, text);
  std::abort();
}

}  // namespace DebugUtils
ASMJIT_END_NAMESPACE
