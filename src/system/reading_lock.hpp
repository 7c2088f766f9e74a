// What a run leaves behind is read by one thread at a time.
#pragma once

#include <mutex>

namespace pawl::detail {

class ReadingLock : public std::mutex {};

}  // namespace pawl::detail
