// A file that appears whole or not at all: written beside its target, then renamed over it.
#pragma once

#include <string>
#include <string_view>

namespace pawl {

/// Throws std::runtime_error that names the file and the system's reason (no such folder, disk full, ...); the target
/// is then as it was. A target that is no regular file (a pipe, a device) is written directly.
void write_whole_file(const std::string& path, std::string_view text);

}  // namespace pawl
