// Does not compile, on purpose: compiled as part of the room integrate, which must not know the room simulate.
#include "pawl/simulate.hpp"
