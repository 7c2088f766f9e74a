// What a user includes must stay light: nothing of pawl's own libraries, and none of the standard headers that cost
// most.
#include "pawl/pawl.hpp"

#if defined(EIGEN_CORE_H) || defined(EIGEN_WORLD_VERSION)
#error "pawl/pawl.hpp reaches Eigen"
#endif
#if defined(FMT_CORE_H_) || defined(FMT_FORMAT_H_)
#error "pawl/pawl.hpp reaches fmt"
#endif
#if defined(_GLIBCXX_FUNCTIONAL) || defined(_GLIBCXX_ALGORITHM) || defined(_GLIBCXX_MUTEX) || \
    defined(_GLIBCXX_UNORDERED_MAP) || defined(_GLIBCXX_UNORDERED_SET) || defined(_GLIBCXX_COMPLEX)
#error "pawl/pawl.hpp reaches a slow standard header"
#endif
