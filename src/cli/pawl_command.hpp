// The pawl command: parsing words and printing, nothing else.
#pragma once

namespace pawl::cli {

/// What main() does; returns the exit code.
int pawl_command(int count, char** words);

}  // namespace pawl::cli
