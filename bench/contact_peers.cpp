#include "contact_peers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pawl::bench {

namespace {

// Debian's packages are those of this interpreter, whatever python3 is first in the path.
constexpr const char* python = "/usr/bin/python3";

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// What a command prints, its complaints left out. Throws where it fails.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error(fmt::format("cannot start: {}", command));
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error(fmt::format("fails: {}", command));
  return text;
}

ContactRun read(const std::string& who, double step, const std::string& text) {
  // MuJoCo prints its warnings among the results: the object is the last line.
  const std::size_t begin = text.rfind("{\"case\"");
  const auto found = nlohmann::ordered_json::parse(begin == std::string::npos ? text : text.substr(begin));
  ContactRun run{.who = who,
                 .setting = step,
                 .seconds = found.at("cpu_seconds"),
                 .steps = found.at("steps"),
                 .errors = {},
                 .penetration = std::max(0.0, found.at("worst_penetration").get<double>()),
                 .cone_violation = {}};
  for (const auto& [name, error] : found.at("errors").items())
    run.errors.emplace_back(name, error.is_null() ? std::numeric_limits<double>::infinity() : error.get<double>());
  if (const auto& cone = found.at("worst_cone_violation"); !cone.is_null())
    run.cone_violation = std::max(0.0, cone.get<double>());
  return run;
}

}  // namespace

double ContactRun::largest_error() const {
  double largest = 0;
  for (const auto& [name, error] : errors)
    largest = std::isfinite(error) ? std::max(largest, std::abs(error)) : std::numeric_limits<double>::infinity();
  return largest;
}

ContactRun ContactPeer::run(const std::string& problem, double step, int rounds) const {
  ContactRun best;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = output_of(fmt::format("{} {} {:g}", command, problem, step));
    try {
      ContactRun now = read(name, step, text);
      if (i == 0 || now.seconds < best.seconds) best = std::move(now);
    } catch (const nlohmann::json::exception& error) {
      throw std::runtime_error(fmt::format("{} {} {:g} prints no result: {}", name, problem, step, error.what()));
    }
  }
  return best;
}

std::vector<ContactPeer> contact_peers(const std::string& folder) {
  // Inside the folder: MuJoCo writes a log into the one it runs in. One thread: the others of a BLAS would wait for
  // work and count as processor time.
  const std::string enter = fmt::format("cd {} && OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec ", quoted(folder));
  ContactPeer siconos{"Siconos", enter + python + " siconos_contact.py", ""};
  ContactPeer mujoco{"MuJoCo", enter + "./mujoco_contact", ""};
  constexpr const char* build = "then bench/build_contact_peers";
  const bool has_siconos =
      std::system(fmt::format("{} -c 'import siconos.kernel' >/dev/null 2>&1", python).c_str()) == 0;
  if (!has_siconos || !std::filesystem::exists(folder + "/siconos_contact.py"))
    siconos.missing = fmt::format("not installed: apt-get install python3-siconos, {}", build);
  if (!std::filesystem::exists(folder + "/mujoco_contact"))
    mujoco.missing = fmt::format("not installed: apt-get install libmujoco-dev, {}", build);
  return {siconos, mujoco};
}

}  // namespace pawl::bench
