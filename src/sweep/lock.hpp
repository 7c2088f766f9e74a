// FolderLock: one process at a time makes a part of a sweep. The lock is the kernel's (flock), so that it goes with the
// process, however that ends; the file beside it says who has it, for messages and for file systems that do not share
// locks between machines.
#pragma once

#include <string>
#include <vector>

#include "pawl/sweep.hpp"

namespace pawl::sweeping {

class FolderLock {
 public:
  /// Throws Misuse where another process makes this part, or any part of another division, with its number, machine
  /// and start. A lock that a killed process of this machine has left is taken over.
  FolderLock(const std::string& folder, Part part);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int file_ = -1;
};

/// Who is at it now, one line each.
std::vector<std::string> holders(const std::string& folder);

}  // namespace pawl::sweeping
