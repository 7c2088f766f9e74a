// Manifest: what a sweep is, in the file manifest.json of its folder. Written once, when the sweep begins; everybody
// who comes later compares.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pawl/sweep.hpp"

namespace pawl::sweeping {

struct Manifest {
  std::string version;      // of pawl
  std::string model;        // its name
  std::string fingerprint;  // a hash of what the model is
  std::vector<std::pair<std::string, std::string>> options;
  Design design;
  std::vector<std::string> columns;
  std::string command;

  std::string hash() const;  // of all of it
};

Manifest make_manifest(const SweepModel& model, const Design& design, const std::vector<std::string>& columns,
                       const SweepOptions& options);

/// Throws Misuse where the folder has none, or none that can be read.
Manifest read_manifest(const std::string& folder);
bool has_manifest(const std::string& folder);

/// Makes folder and manifest where there are none, else throws Misuse with what differs from the one that is there.
void settle_manifest(const std::string& folder, const Manifest& manifest);

}  // namespace pawl::sweeping
