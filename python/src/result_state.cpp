// A result as plain data, for pickling: everything it recorded. What it computes (observables, multipliers) comes from
// the model, which travels beside it.
#include <array>
#include <cstring>
#include <map>
#include <tuple>

#include <pybind11/stl.h>

#include "pawl/simulate.hpp"
#include "run.hpp"

namespace pawl::python {

namespace {

template <class T>
py::bytes raw(const std::vector<T>& values) {
  return py::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
template <class T>
std::vector<T> from_raw(const py::handle& bytes) {
  const auto text = bytes.cast<std::string>();
  std::vector<T> values(text.size() / sizeof(T));
  std::memcpy(values.data(), text.data(), values.size() * sizeof(T));
  return values;
}

// An input of the model's own course is known by where it is declared; a run may have given it constants beside that.
py::object input_state(const HeldInput& input, std::size_t i, const Result& run) {
  if (input.signal == run.eras.front().held->inputs[i].signal) return py::make_tuple(input.piece);
  const std::vector<Signal::Piece>& pieces = input.signal->pieces();
  const std::array<double, 4>& c = pieces.front().c;
  if (pieces.size() > 1 || pieces.front().function || c[1] != 0 || c[2] != 0 || c[3] != 0)
    throw Misuse("a run that gave an input another course than a constant cannot be pickled");
  return py::make_tuple(input.piece, c[0]);
}

py::tuple held_state(const Held& held, const Result& run) {
  if (!held.objects.empty()) throw Misuse("a run with discrete objects cannot be pickled");
  py::list members, inputs, shares;
  for (const auto& some : held.members) {
    std::vector<int> flat;
    for (const Pair pair : some) flat.insert(flat.end(), {pair.i, pair.j});
    members.append(flat);
  }
  for (std::size_t i = 0; i < held.inputs.size(); ++i) inputs.append(input_state(held.inputs[i], i, run));
  for (const LoadShare& share : held.shares) shares.append(py::make_tuple(share.row, share.factors));
  return py::make_tuple(raw(held.parameters), raw(held.modes), raw(held.numbers), raw(held.truths), members,
                        raw(held.levels), raw(held.sides), inputs, shares);
}

// `like`: what was held at the start of the run, from a model made anew.
std::shared_ptr<const Held> held_from(const py::tuple& state, const Held& like) {
  auto held = std::make_shared<Held>(like);
  held->parameters = from_raw<double>(state[0]);
  held->modes = from_raw<int>(state[1]);
  held->numbers = from_raw<double>(state[2]);
  held->truths = from_raw<signed char>(state[3]);
  held->members.clear();
  for (const py::handle& one : state[4]) {
    const auto flat = one.cast<std::vector<int>>();
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) pairs.push_back({flat[i], flat[i + 1]});
    held->members.push_back(std::move(pairs));
  }
  held->levels = from_raw<double>(state[5]);
  held->sides = from_raw<RelaySide>(state[6]);
  std::size_t i = 0;
  for (const py::handle& one : state[7]) {
    const auto entry = one.cast<py::tuple>();
    HeldInput& input = held->inputs.at(i++);
    input.piece = entry[0].cast<int>();
    if (entry.size() == 1) continue;
    input.signal = std::make_shared<const Signal>(entry[1].cast<double>());
  }
  held->shares.clear();
  for (const py::handle& one : state[8]) {
    const auto entry = one.cast<py::tuple>();
    held->shares.push_back({entry[0].cast<int>(), entry[1].cast<std::vector<std::pair<int, double>>>()});
  }
  return held;
}

py::tuple message_state(const Message& message) {
  py::list data;
  for (const Message::Datum& one : message.data) data.append(py::make_tuple(one.name, one.value));
  return py::make_tuple(static_cast<int>(message.code), message.t, data);
}
Message message_from(const py::handle& state) {
  const auto entry = state.cast<py::tuple>();
  std::vector<Message::Datum> data;
  for (const py::handle& one : entry[2]) {
    const auto pair = one.cast<py::tuple>();
    data.push_back({pair[0].cast<std::string>(), pair[1].cast<Message::Value>()});
  }
  return make_message(static_cast<MessageCode>(entry[0].cast<int>()), entry[1].cast<double>(), std::move(data));
}

}  // namespace

py::dict state_of(const Result& run) {
  py::dict all;
  all["outcome"] = static_cast<int>(run.outcome);
  all["reason"] = run.reason;
  all["ending"] = run.ending ? py::object(message_state(*run.ending)) : py::object(py::none());
  all["model"] = run.model;
  all["method"] = run.method;
  all["span"] = py::make_tuple(run.t_start, run.t_end);
  const Statistics& s = run.statistics;
  py::list guarantees;
  for (const Guarantee& one : s.events.guarantees)
    guarantees.append(py::make_tuple(one.guard, static_cast<int>(one.level)));
  all["statistics"] = py::make_tuple(s.rhs, s.steps_accepted, s.steps_rejected, s.min_step, s.max_step, s.wall_seconds,
                                     s.events.events, guarantees);
  if (s.constraints) {
    const ConstraintStatistics& c = *s.constraints;
    all["constraints"] =
        py::make_tuple(c.formulation, c.stabilization, c.position_drift, c.velocity_drift, c.invariant_drift);
  }
  if (s.implicit)
    all["implicit"] =
        py::make_tuple(s.implicit->jacobians, s.implicit->dual_rhs, s.implicit->factorizations, s.implicit->structure);
  py::list messages;
  for (const Message& one : run.messages) messages.append(message_state(one));
  all["messages"] = messages;

  std::map<const Held*, int> known;  // most events share what they hold with the eras
  py::list helds;
  const auto number_of = [&](const std::shared_ptr<const Held>& held) {
    const auto [it, is_new] = known.try_emplace(held.get(), static_cast<int>(helds.size()));
    if (is_new) helds.append(held_state(*held, run));
    return it->second;
  };
  py::list eras, events;
  for (const Result::Era& one : run.eras) eras.append(py::make_tuple(one.t, number_of(one.held)));
  for (const Event& one : run.events) {
    std::vector<int> sources;
    for (const EventSource& source : one.sources)
      sources.insert(sources.end(), {static_cast<int>(source.kind), source.index, source.member.i, source.member.j});
    std::vector<int> contacts;
    for (const ContactFired& fired : one.contacts) {
      contacts.push_back(fired.contact);
      contacts.push_back(static_cast<int>(fired.kind));
    }
    events.append(py::make_tuple(one.t, static_cast<int>(one.kind), sources, number_of(one.held_before),
                                 number_of(one.held_after), one.notes, one.zeros, one.uncertainty, one.is_clamped,
                                 one.is_within_tolerance, contacts));
  }
  all["eras"] = eras;
  all["events"] = events;
  all["held"] = helds;
  all["ends"] = py::make_tuple(raw(run.start_state), raw(run.final_state));
  const Trajectory& path = run.trajectory;
  all["path"] = py::make_tuple(path.size, raw(path.t0), raw(path.t1), raw(path.span), raw(path.degree), raw(path.first),
                               raw(path.coefficients), raw(path.ends), raw(path.sample_times), raw(path.sample_states),
                               raw(path.sample_was_requested));
  std::vector<double> ranges;
  for (const Range& one : run.observable_ranges) ranges.insert(ranges.end(), {one.min, one.max});
  all["ranges"] = raw(ranges);
  return all;
}

std::shared_ptr<Result> restored(const System& system, const py::list& given, const py::dict& words,
                                 const py::dict& state) {
  const RunScope scope;
  Options options = options_of(words);
  options.end = options.start;  // no step: what the model computes for a run, and nothing recorded
  options.samples = 0;
  options.times.clear();
  auto made = std::make_shared<Result>(pawl::simulate(system, values_of(system, given), options));
  Result& run = *made;
  run.outcome = static_cast<Outcome>(state["outcome"].cast<int>());
  run.reason = state["reason"].cast<std::string>();
  run.ending.reset();
  if (!state["ending"].is_none()) run.ending = message_from(state["ending"]);
  run.model = state["model"].cast<std::string>();
  run.method = state["method"].cast<std::string>();
  std::tie(run.t_start, run.t_end) = state["span"].cast<std::pair<double, double>>();
  const auto numbers = state["statistics"].cast<py::tuple>();
  Statistics& s = run.statistics;
  s = {};
  s.rhs = numbers[0].cast<long long>();
  s.steps_accepted = numbers[1].cast<long long>();
  s.steps_rejected = numbers[2].cast<long long>();
  s.min_step = numbers[3].cast<double>();
  s.max_step = numbers[4].cast<double>();
  s.wall_seconds = numbers[5].cast<double>();
  s.events.events = numbers[6].cast<long long>();
  for (const py::handle& one : numbers[7]) {
    const auto [guard, level] = one.cast<std::pair<std::string, int>>();
    s.events.guarantees.push_back({guard, static_cast<Assurance>(level)});
  }
  if (state.contains("constraints")) {
    const auto c = state["constraints"].cast<py::tuple>();
    ConstraintStatistics& of = s.constraints.emplace();
    of.formulation = c[0].cast<std::string>();
    of.stabilization = c[1].cast<std::string>();
    of.position_drift = c[2].cast<double>();
    of.velocity_drift = c[3].cast<double>();
    of.invariant_drift = c[4].cast<double>();
  }
  if (state.contains("implicit")) {
    const auto c = state["implicit"].cast<py::tuple>();
    ImplicitStatistics& of = s.implicit.emplace();
    of.jacobians = c[0].cast<long long>();
    of.dual_rhs = c[1].cast<long long>();
    of.factorizations = c[2].cast<long long>();
    of.structure = c[3].cast<std::string>();
  }
  run.messages.clear();
  for (const py::handle& one : state["messages"]) run.messages.push_back(message_from(one));

  const Held like = *run.eras.front().held;
  std::vector<std::shared_ptr<const Held>> helds;
  for (const py::handle& one : state["held"]) helds.push_back(held_from(one.cast<py::tuple>(), like));
  const auto held = [&](const py::handle& number) { return helds.at(number.cast<std::size_t>()); };
  run.eras.clear();
  for (const py::handle& one : state["eras"]) {
    const auto era = one.cast<py::tuple>();
    run.eras.push_back({era[0].cast<double>(), held(era[1])});
  }
  run.events.clear();
  for (const py::handle& one : state["events"]) {
    const auto entry = one.cast<py::tuple>();
    Event event;
    event.t = entry[0].cast<double>();
    event.kind = static_cast<EventKind>(entry[1].cast<int>());
    const auto flat = entry[2].cast<std::vector<int>>();
    for (std::size_t i = 0; i + 3 < flat.size(); i += 4)
      event.sources.push_back({static_cast<EventSource::Kind>(flat[i]), flat[i + 1], Pair{flat[i + 2], flat[i + 3]}});
    event.held_before = held(entry[3]);
    event.held_after = held(entry[4]);
    event.notes = entry[5].cast<std::vector<std::string>>();
    event.zeros = entry[6].cast<std::vector<double>>();
    event.uncertainty = entry[7].cast<double>();
    event.is_clamped = entry[8].cast<bool>();
    event.is_within_tolerance = entry[9].cast<bool>();
    const auto contacts = entry[10].cast<std::vector<int>>();
    for (std::size_t i = 0; i < contacts.size(); i += 2)
      event.contacts.push_back({contacts[i], static_cast<ContactEvent>(contacts[i + 1])});
    run.events.push_back(std::move(event));
  }
  const auto ends = state["ends"].cast<py::tuple>();
  run.start_state = from_raw<double>(ends[0]);
  run.final_state = from_raw<double>(ends[1]);
  const auto p = state["path"].cast<py::tuple>();
  Trajectory& path = run.trajectory;
  path.size = p[0].cast<int>();
  path.t0 = from_raw<double>(p[1]);
  path.t1 = from_raw<double>(p[2]);
  path.span = from_raw<double>(p[3]);
  path.degree = from_raw<int>(p[4]);
  path.first = from_raw<std::size_t>(p[5]);
  path.coefficients = from_raw<double>(p[6]);
  path.ends = from_raw<double>(p[7]);
  path.sample_times = from_raw<double>(p[8]);
  path.sample_states = from_raw<double>(p[9]);
  path.sample_was_requested = from_raw<char>(p[10]);
  const auto ranges = from_raw<double>(state["ranges"]);
  run.observable_ranges.clear();
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2) run.observable_ranges.push_back({ranges[i], ranges[i + 1]});
  return made;
}

}  // namespace pawl::python
