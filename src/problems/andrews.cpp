#include <string>
#include <utility>

#include "problems/constrained.hpp"
#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

class Renamed : public System {
 public:
  Renamed(const System& system, std::string name) : System(system) { edit().name = std::move(name); }
};

}  // namespace

// The squeezing mechanism under the name and with the end of the Test Set: all seven angles, 0.03 s. The model and its
// references are those of squeezer.cpp.
Problem andrews() {
  Problem mechanism = squeezer();
  mechanism.system = Renamed(mechanism.system, "andrews");
  mechanism.summary = "Andrews' squeezing mechanism as in the Test Set: seven angles, six loop equations, 0.03 s";
  mechanism.end = 0.03;
  return mechanism;
}

}  // namespace pawl::problems
