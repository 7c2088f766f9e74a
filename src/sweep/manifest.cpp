#include "sweep/manifest.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "pawl/version.hpp"

namespace pawl::sweeping {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr int format_version = 1;
constexpr std::string_view file_name = "manifest.json";

// FNV-1a of 64 bits.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

/// What can be known of a model made of functions: its names and numbers.
std::string words_of(const SweepModel& swept, const std::string& fingerprint) {
  const System::Declarations& model = swept.model.system().declarations();
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n", model.name, model.state_names, model.parameter_names,
                                 model.observable_names, model.constraint_names);
  text += fmt::format("{}\n{}\n{}\n", swept.values.start(), swept.values.parameters(), swept.values.held().modes);
  for (const GuardInfo& guard : model.guards) text += guard.name + "\n";
  for (const TimeEventInfo& event : model.time_events) text += event.name + "\n";
  return text + fingerprint;
}

std::vector<std::pair<std::string, std::string>> words_of(const SweepOptions& options) {
  const Options& run = options.run;
  const auto maybe = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("none"); };
  return {{"start", fmt::format("{}", run.start)},
          {"end", fmt::format("{}", run.end)},
          {"relative tolerance", fmt::format("{}", run.tolerance.relative)},
          {"absolute tolerance", run.tolerance.absolute_each.empty() ? maybe(run.tolerance.absolute)
                                                                     : fmt::format("{}", run.tolerance.absolute_each)},
          {"method", run.method},
          {"step", maybe(run.step)},
          {"first step", maybe(run.first_step)},
          {"largest step", fmt::format("{}", run.max_step)},
          {"events", run.events},
          {"event tolerance", fmt::format("{}", run.event_tolerance)},
          {"window", fmt::format("{}", run.concurrency_window)},
          {"amplitude", fmt::format("{}", run.concurrency_amplitude)},
          {"most events", fmt::format("{}", run.max_events)},
          {"at accumulation", run.at_accumulation == AtAccumulation::stop ? "stop" : "fail"},
          {"formulation", run.constraints.formulation},
          {"stabilization", run.constraints.stabilization},
          {"inconsistent start", run.constraints.start},
          {"fixed", fmt::format("{}", fmt::join(run.constraints.fixed, ","))},
          {"linear solver", run.implicit.linear_solver},
          {"jacobian", run.implicit.jacobian},
          {"most steps", maybe(options.max_steps)},
          {"most seconds", maybe(options.max_seconds)}};
}

Json to_json(const Design& design) {
  Json object;
  object["vary"] = Json::array();
  for (const Design::Varied& one : design.varied())
    object["vary"].push_back({{"name", one.name}, {"levels", one.levels}});
  object["random"] = Json::array();
  for (const Design::Drawn& one : design.drawn())
    object["random"].push_back({{"name", one.name}, {"distribution", one.distribution.text()}});
  object["sampling"] = to_string(design.sampling);
  object["draws"] = design.draws;
  object["seed"] = design.seed;
  object["for_indices"] = design.for_indices;
  return object;
}

Design design_of(const Json& object) {
  Design design;
  for (const Json& one : object.at("vary")) design.vary(one.at("name"), one.at("levels").get<std::vector<double>>());
  for (const Json& one : object.at("random"))
    design.random(one.at("name"), Distribution::read(one.at("distribution").get<std::string>()));
  const std::string sampling = object.at("sampling");
  design.sampling = sampling == "sobol" ? Sampling::sobol : sampling == "latin" ? Sampling::latin : Sampling::random;
  design.draws = object.at("draws");
  design.seed = object.at("seed");
  design.for_indices = object.at("for_indices");
  design.check();
  return design;
}

Json to_json(const Manifest& manifest) {
  Json options = Json::object();
  for (const auto& [name, value] : manifest.options) options[name] = value;
  return {{"format", format_version},    {"pawl", manifest.version},
          {"model", manifest.model},     {"fingerprint", manifest.fingerprint},
          {"options", options},          {"design", to_json(manifest.design)},
          {"columns", manifest.columns}, {"runs", manifest.design.size()},
          {"command", manifest.command}};
}

/// What differs, as a sentence about the first such thing; empty: nothing.
std::string difference(const Manifest& there, const Manifest& now) {
  const auto differs = [](std::string_view what, const std::string& before, const std::string& after) {
    return fmt::format("{} was {}, and now it is {}", what, before, after);
  };
  if (there.version != now.version) return differs("the version of pawl", there.version, now.version);
  if (there.model != now.model) return differs("the model", there.model, now.model);
  if (there.fingerprint != now.fingerprint)
    return fmt::format("the model '{}', or a value set in it, has changed since", now.model);
  for (std::size_t i = 0; i < now.options.size(); ++i) {
    const auto& [name, value] = now.options[i];
    const std::string before =
        i < there.options.size() && there.options[i].first == name ? there.options[i].second : "none";
    if (before != value) return differs(fmt::format("the option '{}'", name), before, value);
  }
  const auto text = [](const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); };
  if (there.columns != now.columns) return differs("what is kept", text(there.columns), text(now.columns));
  const Json before = to_json(there.design), after = to_json(now.design);
  for (const auto& [key, value] : after.items())
    if (before.at(key) != value)
      return differs(fmt::format("'{}' of the design", key), before.at(key).dump(), value.dump());
  return {};
}

/// Creates the file whole, unless somebody else has: true if it was us.
bool create_whole(const fs::path& path, const std::string& text) {
  const std::string own = fmt::format("{}.{}.partial", path.string(), ::getpid());
  const auto fail = [&](int error) {
    ::unlink(own.c_str());
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), std::strerror(error)));
  };
  const int file = ::open(own.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(errno);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = ::write(file, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) {
      const int error = errno;
      ::close(file);
      fail(error);
    }
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  ::fsync(file);
  ::close(file);
  const bool is_ours = ::link(own.c_str(), path.c_str()) == 0;
  if (const int error = errno; !is_ours && error != EEXIST) fail(error);
  ::unlink(own.c_str());
  return is_ours;
}

}  // namespace

std::string Manifest::hash() const {
  Json object = to_json(*this);
  object.erase("command");  // how a run is named in messages changes nothing
  return hash_of(object.dump());
}

Manifest make_manifest(const SweepModel& model, const Design& design, const std::vector<std::string>& columns,
                       const SweepOptions& options) {
  return {.version = std::string(version),
          .model = model.model.system().name(),
          .fingerprint = hash_of(words_of(model, options.fingerprint)),
          .options = words_of(options),
          .design = design,
          .columns = columns,
          .command = options.command};
}

bool has_manifest(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / file_name, ignored);
}

Manifest read_manifest(const std::string& folder) {
  const fs::path path = fs::path(folder) / file_name;
  std::ifstream file(path);
  if (!file) throw Misuse(fmt::format("'{}' holds no sweep: there is no {}", folder, path.string()));
  std::stringstream text;
  text << file.rdbuf();
  try {
    const Json object = Json::parse(text.str());
    if (object.at("format") != format_version)
      throw Misuse(fmt::format("its format is {}, and this pawl reads {}", object.at("format").dump(), format_version));
    Manifest manifest{.version = object.at("pawl"),
                      .model = object.at("model"),
                      .fingerprint = object.at("fingerprint"),
                      .options = {},
                      .design = design_of(object.at("design")),
                      .columns = object.at("columns").get<std::vector<std::string>>(),
                      .command = object.at("command")};
    for (const auto& [name, value] : object.at("options").items()) manifest.options.emplace_back(name, value);
    return manifest;
  } catch (const std::exception& error) {
    throw Misuse(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
}

void settle_manifest(const std::string& folder, const Manifest& manifest) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw Misuse(fmt::format("'{}' is a file: a sweep is a folder", folder));
  if (!has_manifest(folder)) {
    if (fs::is_directory(folder, error) && !fs::is_empty(folder, error)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (!entry.path().filename().string().starts_with(file_name))
          throw Misuse(fmt::format("'{}' is there and holds no sweep: give the name of a new folder", folder));
    }
    fs::create_directories(folder, error);
    if (error) throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", folder, error.message()));
    if (create_whole(fs::path(folder) / file_name, to_json(manifest).dump(1) + "\n")) return;
  }
  const Manifest there = read_manifest(folder);
  if (const std::string what = difference(there, manifest); !what.empty())
    throw Misuse(fmt::format("'{}' holds another sweep: {}\n  try: another folder, or remove this one", folder, what));
}

}  // namespace pawl::sweeping
