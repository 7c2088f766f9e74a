// Siconos and MuJoCo as programs of their own (bench/peers): each solves one of three contact problems with one step
// size and prints what it found. bench/build_contact_peers puts them into one folder.
//
//   for (const ContactPeer& peer : contact_peers("build/peers"))
//     if (peer.missing.empty()) peer.run("ball", 1e-3, 1);
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::bench {

/// What a run of anybody's achieved: of the stated quantities the errors, in the order of their statement.
struct ContactRun {
  std::string who;
  double setting = 0;  ///< step of a peer, tolerance of pawl
  double seconds = 0;  ///< of processor time, start-up not included
  long long steps = 0;
  std::vector<std::pair<std::string, double>> errors;  ///< infinite: it never happened
  double penetration = 0;                              ///< the largest
  std::optional<double> cone_violation;                ///< the largest, as a force; empty: no friction

  double largest_error() const;
};

struct ContactPeer {
  std::string name;
  std::string command;  ///< for a shell; problem and step follow
  std::string missing;  ///< empty: it is there; else what to do about it

  /// The fastest of `rounds` runs. Throws std::runtime_error where the program fails or prints something else.
  ContactRun run(const std::string& problem, double step, int rounds) const;
};

std::vector<ContactPeer> contact_peers(const std::string& folder);

}  // namespace pawl::bench
