// Does not compile, on purpose: each case branches on a state. The tests look for the advice in the compiler's output.
#include "pawl/system.hpp"

using namespace pawl;

int main() {
  System relay("relay");
  const auto x = relay.state("x", 1), y = relay.state("y", 0);
  relay.rates([=](const auto& at, auto& d) {
    d[x] = 0.0;
    d[y] = 0.0;
    if (CONDITION) d[y] = at[x];
  });
}
