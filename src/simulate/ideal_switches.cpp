#include "simulate/ideal_switches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "event/step_states.hpp"
#include "formulate/declared_held.hpp"
#include "numerics/index.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::detail {

namespace {

constexpr int most_enumerated = 12;    // switches: 4096 combinations
constexpr double zero_value = 1e-12;   // of the largest voltage or current: rounding of consistent values
constexpr double slack = 1e-13;        // of the same, in guards
constexpr double zero_time = 1e-11;    // of the time since the last event: how well an event is located
constexpr double zero_slope = 1e-10;   // of that, times the fastest relative rate
constexpr double zero_impulse = 1e-8;  // of the largest one
constexpr double known_within = 10;    // in tolerances: how far states may be off without having jumped
constexpr double noise = 1e-3;         // what is left of a state, in absolute tolerances, where it should be zero
constexpr double epsilon = std::numeric_limits<double>::epsilon();

int sign_of(double x) {
  return (x > 0) - (x < 0);
}

struct GivenRates final : RateSource<double> {
  const std::vector<double>* values = nullptr;
  double rate(const Point<double>&, int index) const override { return (*values)[at(index)]; }
};

/// A watched quantity, displaced against the way it fires: what starts at zero must not come back by rounding.
struct Displaced {
  Function f;
  double Margins::*by;
  double unit;

  template <class T>
  T operator()(const Point<T>& at) const {
    T result(0.0);
    f(at, &result);
    result += unit * at.around()->held->margins.*by;
    return result;
  }
};

Function displaced(const Function& f, double Margins::*by, double unit) {
  Displaced g{f, by, unit};
  if (f.supports<Jet<Interval>>()) return Function::guard(std::move(g));
  return Function::guard(black_box(std::move(g)));
}

double nominal_of(const System::Declarations& model, std::size_t state) {
  return !model.nominals.empty() && model.nominals[state] > 0 ? model.nominals[state] : 1.0;
}

/// By how much f changes where the unknown that matters most to it changes by its nominal size, at these values; 0: by
/// nothing, or not known.
double change_by_nominals(const System::Declarations& model, const Held& held, const Function& f,
                          const std::vector<double>& y) {
  double largest = 0;
  const auto see = [&](double change) {
    largest = std::isfinite(change) ? std::max(largest, std::abs(change)) : largest;
  };
  try {
    if (f.supports<Gradient>()) {
      constexpr std::size_t width = std::tuple_size_v<decltype(Gradient::slope)>;
      struct NoRates final : RateSource<Gradient> {
        Gradient rate(const Point<Gradient>&, int) const override { return 0.0; }
      } rates;
      Surroundings<Gradient> around{&held};
      around.rates = &rates;
      for (std::size_t begin = 0; begin < y.size(); begin += width) {
        std::vector<Gradient> states(y.begin(), y.end());
        const std::size_t end = std::min(begin + width, y.size());
        for (std::size_t j = begin; j < end; ++j) states[j].slope[j - begin] = nominal_of(model, j);
        Gradient result;
        f(Point<Gradient>(Gradient(0.0), states.data(), held.parameters.data(), &around), &result);
        for (const double slope : result.slope) see(slope);
      }
    } else {
      const std::vector<double> none(y.size(), 0.0);
      GivenRates rates;
      rates.values = &none;
      Surroundings<double> around{&held};
      around.rates = &rates;
      const auto value = [&](const std::vector<double>& x) {
        double result = 0;
        f(Point<double>(0, x.data(), held.parameters.data(), &around), &result);
        return result;
      };
      const double here = value(y);
      std::vector<double> moved = y;
      for (std::size_t j = 0; j < y.size(); ++j) {
        moved[j] += nominal_of(model, j);
        see(value(moved) - here);
        moved[j] = y[j];
      }
    }
  } catch (const std::exception&) {
    return 0;  // it is not defined there
  }
  return largest;
}

/// A power of two, so that nothing is rounded: what is compared with others must not hang on the unit it is written in.
double unit_of(const System::Declarations& model, const Function& f) {
  const Held held = formulate::declared_held(model);
  std::vector<double> y = model.starts;
  double change = change_by_nominals(model, held, f, y);
  if (!(change > 0)) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += 0.1 * nominal_of(model, j) * (j % 2 == 0 ? 1 : -0.7);
    change = change_by_nominals(model, held, f, y);
  }
  return change > 0 ? std::exp2(std::round(std::log2(change))) : 1.0;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

IdealSwitches::IdealSwitches(std::shared_ptr<const System::Declarations> model, formulate::DaeForm& form,
                             Settler settle, Accuracy accuracy)
    : model_(std::move(model)),
      switches_(model_->switches),
      form_(form),
      settle_(std::move(settle)),
      accuracy_(std::move(accuracy)),
      largest_(model_->state_names.size(), 0.0) {
  for (const SwitchInfo& one : switches_)
    units_.push_back({unit_of(*model_, one.voltage), unit_of(*model_, one.current)});
}

void declare_switch_guards(System::Declarations& model) {
  for (std::size_t k = 0; k < model.switches.size(); ++k) {
    SwitchInfo& one = model.switches[k];
    if (one.kind == SwitchInfo::Kind::given) continue;
    one.idles = model.add_own_mode(one.name + " idles", true);
    const Logic conducts = Discrete<bool>{one.mode}, idles = Discrete<bool>{one.idles};
    const Logic waits = !conducts && !idles;
    model.guards.push_back({.name = one.name + " current ends",
                            .g = displaced(one.current, &Margins::current, unit_of(model, one.current)),
                            .direction = Direction::falling,
                            .only_when = conducts && !idles,
                            .ideal_switch = static_cast<int>(k)});
    model.guards.push_back({.name = one.name + " turns forward",
                            .g = displaced(one.voltage, &Margins::voltage, unit_of(model, one.voltage)),
                            .direction = Direction::rising,
                            .only_when = one.gate.is_always_true() ? waits : one.gate && waits,
                            .ideal_switch = static_cast<int>(k)});
  }
}

const Function& IdealSwitches::watched(int k, bool conducts) const {
  return conducts ? switches_[at(k)].current : switches_[at(k)].voltage;
}

double IdealSwitches::value(const Function& f, const Held& held, double t, const std::vector<double>& y,
                            const std::vector<double>& dy) const {
  GivenRates rates;
  rates.values = &dy;
  Surroundings<double> around{&held};
  around.rates = &rates;
  double result = 0;
  f(Point<double>(t, y.data(), held.parameters.data(), &around), &result);
  return result;
}

/// d/ds f(t + s dt, y + s along, y' + s rates_along) at s = 0.
double IdealSwitches::slope(const Function& f, const Held& held, double t, const std::vector<double>& y,
                            const std::vector<double>& dy, double dt, const std::vector<double>& along,
                            const std::vector<double>& rates_along) const {
  if (f.supports<Jet<double>>()) {
    event::GivenStates<Jet<double>> states;
    for (std::size_t j = 0; j < y.size(); ++j) states.values.emplace_back(y[j], along[j], 0.0);
    const Surroundings<Jet<double>> around{&held};
    Jet<double> result;
    f(Point<Jet<double>>(Jet<double>(t, dt, 0.0), Point<Jet<double>>::States{{&states}}, held.parameters.data(),
                         &around),
      &result);
    return result.slope;
  }
  double fastest = std::abs(dt) / std::max(std::abs(t), 1.0);
  for (std::size_t j = 0; j < y.size(); ++j) {
    fastest = std::max(fastest, std::abs(along[j]) / form_.equations().nominal(static_cast<int>(j), y[j]));
    fastest = std::max(fastest, std::abs(rates_along[j]) /
                                    std::max(std::abs(dy[j]), form_.equations().nominal(static_cast<int>(j), y[j])));
  }
  if (fastest == 0) return 0;
  const double s = std::cbrt(epsilon) / fastest;
  std::vector<double> moved = y, moved_rates = dy;
  const auto there = [&](double step) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      moved[j] = y[j] + step * along[j];
      moved_rates[j] = dy[j] + step * rates_along[j];
    }
    return value(f, held, t + step * dt, moved, moved_rates);
  };
  return (there(s) - there(-s)) / (2 * s);
}

/// The sum of the sizes of its terms.
double IdealSwitches::slope_terms(const Function& f, const Held& held, double t, const std::vector<double>& y,
                                  const std::vector<double>& dy, double dt, const std::vector<double>& along) const {
  std::vector<double> one(y.size(), 0.0);
  const std::vector<double> none(y.size(), 0.0);
  double sum = dt != 0 ? std::abs(slope(f, held, t, y, dy, dt, none, none)) : 0.0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (along[j] == 0) continue;
    one[j] = along[j];
    sum += std::abs(slope(f, held, t, y, dy, 0, one, none));
    one[j] = 0;
  }
  return sum;
}

/// What rounding in the states, of the size they have had, does to a value.
double IdealSwitches::rounding(const Function& f, const Held& held, double t, const std::vector<double>& y) const {
  if (!f.supports<Interval>()) return 0;
  event::GivenStates<Interval> states;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double d = 16 * epsilon * std::max(largest_[j], std::abs(y[j])) + noise * accuracy_.absolute[j];
    states.values.emplace_back(y[j] - d, y[j] + d);
  }
  const Surroundings<Interval> around{&held};
  Interval result;
  f(Point<Interval>(Interval(t), Point<Interval>::States{{&states}}, held.parameters.data(), &around), &result);
  const double width = result.hi - result.lo;
  return std::isfinite(width) ? width : 0;
}

Held IdealSwitches::held_with(const Search& search, const Modes& modes) const {
  Held held = search.held;
  for (int k = 0; k < count(); ++k) {
    held.modes[at(switches_[at(k)].mode)] = modes[at(k)];
    if (const int idles = switches_[at(k)].idles; idles >= 0) held.modes[at(idles)] = 0;
  }
  return held;
}

const IdealSwitches::Trial& IdealSwitches::attempt(Search& search, const Modes& modes) {
  auto trial =
      std::find_if(search.tried.begin(), search.tried.end(), [&](const Trial& one) { return one.modes == modes; });
  if (trial == search.tried.end()) trial = search.tried.insert(trial, settle(search, modes));
  if (!trial->is_tried()) weigh_signs(search, held_with(search, modes), *trial);
  return *trial;
}

/// What is taken as zero is another number now; the values of a combination are what they were.
void IdealSwitches::Search::forget_signs() {
  for (Trial& one : tried) {
    if (!std::exchange(one.is_weighed, false)) continue;
    one.contradicted.clear();
    one.undecided.clear();
  }
}

/// Its consistent values, and whether the way there is possible.
IdealSwitches::Trial IdealSwitches::settle(const Search& search, const Modes& modes) {
  Trial trial{.modes = modes};
  const Held held = held_with(search, modes);
  trial.y = search.x;
  trial.dy.assign(trial.y.size(), 0.0);
  const formulate::StartReport report = settle_(search.t, trial.y, trial.dy, held, search.why);
  if (!report.failure.empty()) {
    trial.trouble = first_line(report.failure);
    return trial;
  }
  compare_states(search, trial);
  if (!trial.jump.empty() && search.why != Settle::start) weigh_impulses(search, held, trial);
  return trial;
}

/// Not further apart than a state is known.
bool IdealSwitches::is_near(std::size_t j, double was, double is) const {
  return std::abs(is - was) <=
         known_within * (accuracy_.absolute[j] + accuracy_.relative * std::max(largest_[j], std::abs(was)));
}

/// Differential states that are not where they were, by more than they are known.
void IdealSwitches::compare_states(const Search& search, Trial& trial) const {
  const std::vector<int>& d = form_.structure().d;
  for (std::size_t j = 0; j < trial.y.size(); ++j) {
    if (d[j] == 0 || is_near(j, search.x[j], trial.y[j])) continue;
    trial.jump += fmt::format("{}'{}' from {:.6g} to {:.6g}", trial.jump.empty() ? "" : ", ", model_->state_names[j],
                              search.x[j], trial.y[j]);
  }
}

// 0 = F(t, y, y') over no time: M (y+ - y-) = F_z ξ, with the impulses ξ of algebraic unknowns z.
std::vector<double> IdealSwitches::impulses(double t, const std::vector<double>& change, const std::vector<double>& y,
                                            const std::vector<double>& dy, int first_open, int end_open) {
  formulate::DaeEquations& equations = form_.equations();
  const auto n = static_cast<Eigen::Index>(y.size());
  std::vector<double> J(equations.row().size()), M(equations.row().size()), impulse(y.size(), 0.0);
  equations.linearize(t, y.data(), dy.data(), J.data(), M.data(), nullptr, form_.wants_differences);
  const std::vector<int>& d = form_.structure().d;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n), size = Eigen::VectorXd::Ones(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto column = static_cast<std::size_t>(j);
    size(j) = equations.nominal(static_cast<int>(j), y[column]);
    for (int e = equations.first()[column]; e < equations.first()[column + 1]; ++e) {
      const int i = equations.row()[at(e)];
      if (i >= first_open && i < end_open) continue;
      right(i) += M[at(e)] * change[column];
      if (d[column] == 0) A(i, j) = J[at(e)] * size(j);
    }
  }
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double largest = A.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      A.row(i) /= largest;
      right(i) /= largest;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      const double largest = A.col(j).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      A.col(j) /= largest;
      size(j) /= largest;
    }
  }
  Eigen::VectorXd scaled = linear::LeastNorm(A, 1e-11).solve(right);
  const double largest = scaled.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (std::abs(scaled(j)) > zero_impulse * largest) impulse[static_cast<std::size_t>(j)] = scaled(j) * size(j);
  }
  return impulse;
}

std::vector<int> IdealSwitches::against_jump(double t, const std::vector<double>& from, const std::vector<double>& y,
                                             const std::vector<double>& dy, const Held& held, int first_open,
                                             int end_open) {
  std::vector<double> change(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) change[j] = y[j] - from[j];
  const std::vector<double> impulse = impulses(t, change, y, dy, first_open, end_open);
  std::vector<int> against;
  for (int k = 0; k < count(); ++k) {
    if (!is_free(k) || held.modes[at(switches_[at(k)].mode)] == 0) continue;
    const Function& current = watched(k, true);
    const double charge = slope(current, held, t, y, dy, 0, impulse, change);
    if (charge < -zero_impulse * slope_terms(current, held, t, y, dy, 0, impulse)) against.push_back(k);
  }
  return against;
}

void IdealSwitches::block(int k, Held& held) const {
  held.modes[at(switches_[at(k)].mode)] = 0;
  if (const int idles = switches_[at(k)].idles; idles >= 0) held.modes[at(idles)] = 0;
}

bool IdealSwitches::conducts_freely(const Held& held) const {
  for (int k = 0; k < count(); ++k)
    if (is_free(k) && held.modes[at(switches_[at(k)].mode)] != 0) return true;
  return false;
}

void IdealSwitches::weigh_impulses(const Search& search, const Held& held, Trial& trial) {
  std::vector<double> change(trial.y.size());
  for (std::size_t j = 0; j < change.size(); ++j) change[j] = trial.y[j] - search.x[j];
  const std::vector<double> impulse = impulses(search.t, change, trial.y, trial.dy, 0, 0);
  for (int k = 0; k < count(); ++k) {
    const bool conducts = trial.modes[at(k)] != 0;
    const Function& f = watched(k, conducts);
    const double terms = slope_terms(f, held, search.t, trial.y, trial.dy, 0, impulse);
    const double own = slope(f, held, search.t, trial.y, trial.dy, 0, impulse, change);
    if (std::abs(own) <= zero_impulse * terms) continue;
    const bool may_flip = is_free(k) && (conducts || search.may_conduct[at(k)] != 0);
    if (conducts && (own > 0 || !is_free(k))) continue;  // charge goes through
    if (may_flip && (conducts ? own < 0 : own > 0)) {
      trial.contradicted.push_back(k);
    } else {
      trial.interrupts = true;
      trial.trouble = fmt::format("the current through '{}' is cut off ({})", switches_[at(k)].name, trial.jump);
    }
  }
  trial.passes_impulses = trial.trouble.empty() && trial.contradicted.empty();
}

void IdealSwitches::weigh_signs(const Search& search, const Held& held, Trial& trial) {
  trial.is_weighed = true;
  for (int k = 0; k < count(); ++k) {
    if (!is_free(k)) continue;
    const bool conducts = trial.modes[at(k)] != 0;
    if (!conducts && search.may_conduct[at(k)] == 0) continue;
    const int sign = sign_ahead(search, held, trial, k);
    if (sign == (conducts ? -1 : 1)) trial.contradicted.push_back(k);
    if (sign == 0) trial.undecided.push_back(k);
  }
}

/// The sign of what a switch watches, just after this instant; 0: it stays at zero, or leaves too slowly to tell.
int IdealSwitches::sign_ahead(const Search& search, const Held& held, Trial& trial, int k) {
  const bool conducts = trial.modes[at(k)] != 0;
  const Function& f = watched(k, conducts);
  double scale = conducts ? largest_current_ : largest_voltage_;
  for (int other = 0; other < count(); ++other) {
    const Function& same = watched(other, conducts);
    scale = std::max(scale, std::abs(value(same, held, search.t, trial.y, trial.dy)) / unit(other, conducts));
  }
  scale *= unit(k, conducts);
  const double fastest = fastest_rate(trial.y, trial.dy);
  const std::vector<double> none(trial.y.size(), 0.0);
  const double now = value(f, held, search.t, trial.y, trial.dy);
  const double first = slope(f, held, search.t, trial.y, trial.dy, 1, trial.dy, none);
  const double close = doubt_ * (zero_time * std::abs(search.t - last_) + 4 * epsilon * std::abs(search.t));
  const double known = doubt_ > 1 ? std::min(doubt_ * zero_value, known_within * accuracy_.relative) : zero_value;
  const double unknown = std::min(doubt_, known_within / noise) * rounding(f, held, search.t, trial.y);
  const double beyond = std::max(known * scale + unknown, close * std::abs(first));
  if (!(std::abs(now) <= beyond)) return sign_of(now);

  const auto& [soon, y, dy, has_later] = look_later(search, held, trial);
  const double ahead = soon - search.t, later = has_later ? slope(f, held, soon, y, dy, 1, dy, none) : first;
  const double rounded = slope_rounding(held, search.t, trial.y, trial.dy, k, conducts);
  const double flat = (doubt_ > 1 ? std::max(zero_slope, known) : zero_slope) * scale * fastest + rounded;
  // A slope that is overtaken in so small a part of that way may be rounding.
  if (std::abs(first) > std::max({flat, zero_slope * std::abs(later), close * std::abs((later - first) / ahead)}))
    return sign_of(accuracy_.direction * first);
  const double flat_later = has_later ? std::max(flat, slope_rounding(held, soon, y, dy, k, conducts)) : flat;
  return std::abs(later) > flat_later ? sign_of(accuracy_.direction * later) : 0;
}

/// A little later, in the mode of this trial.
const IdealSwitches::Elsewhere& IdealSwitches::look_later(const Search& search, const Held& held, Trial& trial) {
  if (trial.later) return *trial.later;
  const double ahead =
      accuracy_.direction * form_.equations().path_step(search.t, trial.y.data(), trial.dy.data(), nullptr);
  Elsewhere& later = trial.later.emplace(Elsewhere{search.t + ahead, trial.y, trial.dy, false});
  for (std::size_t j = 0; j < later.y.size(); ++j) later.y[j] += ahead * later.dy[j];
  later.is_found = settle_(later.t, later.y, later.dy, held, Settle::jump).failure.empty();
  return later;
}

/// Of all unknowns, relative to the sizes they have had.
double IdealSwitches::fastest_rate(const std::vector<double>& y, const std::vector<double>& dy) const {
  double fastest = 0;
  for (std::size_t j = 0; j < y.size(); ++j)
    fastest = std::max(fastest,
                       std::abs(dy[j]) / form_.equations().nominal(static_cast<int>(j), std::max(largest_[j], y[j])));
  return fastest;
}

/// Rates are solved for together: what is left of one that vanishes is the rounding of others. Of voltages, that of the
/// steepest; where all of them vanish, that of currents beside them: what is fastest, on unknowns of nominal size.
double IdealSwitches::slope_rounding(const Held& held, double t, const std::vector<double>& y,
                                     const std::vector<double>& dy, int k, bool conducts) const {
  double steepest = fastest_rate(y, dy);
  for (int other = 0; other < count(); ++other)
    steepest = std::max(steepest, slope_terms(watched(other, conducts), held, t, y, dy, 1, dy) / unit(other, conducts));
  return zero_value * steepest * unit(k, conducts);
}

/// Other states in the mode of this trial; none: there is one that has no consistent values.
std::vector<IdealSwitches::Elsewhere> IdealSwitches::look_elsewhere(const Search& search, const Held& held,
                                                                    const Trial& trial) {
  const auto points = form_.equations().neighbours(search.t, trial.y.data(), trial.dy.data());
  std::vector<Elsewhere> elsewhere;
  for (std::size_t p = 1; p < std::min<std::size_t>(points.size(), 3); ++p) {
    Elsewhere& other = elsewhere.emplace_back(Elsewhere{points[p].t, points[p].y, points[p].dy, false});
    for (std::size_t j = 0; j < other.y.size(); ++j) {  // one that is zero, and always was, may become larger
      const double size = std::max(largest_[j], form_.equations().nominal(static_cast<int>(j), other.y[j]));
      other.y[j] += 1e-3 * size * std::cos(1.0 + 3.0 * static_cast<double>(j) + static_cast<double>(p));
    }
    other.is_found = settle_(other.t, other.y, other.dy, held, Settle::jump).failure.empty();
    if (!other.is_found) return {};
  }
  return elsewhere;
}

/// Whether it is zero at other states, too.
bool IdealSwitches::is_always_zero(const Held& held, const Trial& trial, const std::vector<Elsewhere>& elsewhere,
                                   int k) const {
  const bool conducts = trial.modes[at(k)] != 0;
  const Function& f = watched(k, conducts);
  double scale = conducts ? largest_current_ : largest_voltage_;
  for (const auto& [t, y, dy, is_found] : elsewhere) {
    for (int other = 0; other < count(); ++other) {
      const Function& same = watched(other, conducts);
      scale = std::max(scale, std::abs(value(same, held, t, y, dy)) / unit(other, conducts));
    }
    if (std::abs(value(f, held, t, y, dy)) > 1e-9 * scale * unit(k, conducts) + 100 * rounding(f, held, t, y))
      return false;
  }
  return !elsewhere.empty();
}

const IdealSwitches::Trial* IdealSwitches::follow_contradictions(Search& search, Modes modes) {
  std::vector<Modes> seen;
  for (int round = 0; round <= 2 * count(); ++round) {
    if (std::find(seen.begin(), seen.end(), modes) != seen.end()) return nullptr;
    seen.push_back(modes);
    const Trial& trial = attempt(search, modes);
    if (!trial.trouble.empty()) return nullptr;
    // At the start states follow from the mode: a mode that leaves them alone is looked for first.
    if (trial.contradicted.empty()) return search.why == Settle::start && !trial.jump.empty() ? nullptr : &trial;
    for (const int k : trial.contradicted) modes[at(k)] = modes[at(k)] != 0 ? 0 : 1;
    if (trial.passes_impulses) {  // they have passed; what follows begins behind them
      search.notes.push_back(fmt::format("an impulse passes while {}: {}", describe(trial.modes), trial.jump));
      search.x = trial.y;
      search.tried.clear();
      seen.clear();
    }
  }
  return nullptr;
}

const IdealSwitches::Trial* IdealSwitches::enumerate(Search& search) {
  std::vector<int> free;
  for (int k = 0; k < count(); ++k)
    if (is_free(k)) free.push_back(k);
  const auto k = static_cast<int>(free.size());
  if (k > most_enumerated) return nullptr;
  std::vector<std::vector<Modes>> by_changes(at(k + 1));
  for (unsigned choice = 0; choice < 1U << k; ++choice) {
    Modes modes = search.before;
    int changes = 0;
    bool is_possible = true;
    for (int b = 0; b < k; ++b) {
      if ((choice >> b & 1U) == 0) continue;
      char& mode = modes[at(free[at(b)])];
      mode = mode != 0 ? 0 : 1;
      ++changes;
      is_possible = is_possible && (mode == 0 || search.may_conduct[at(free[at(b)])] != 0);
    }
    if (is_possible) by_changes[at(changes)].push_back(std::move(modes));
  }
  const Trial* jumping = nullptr;
  for (const std::vector<Modes>& level : by_changes) {
    const Trial* found = nullptr;
    std::string others;
    for (const Modes& modes : level) {
      const Trial& trial = attempt(search, modes);
      if (!trial.is_consistent()) continue;
      if (!trial.jump.empty()) {
        if (jumping == nullptr) jumping = &trial;
      } else if (found == nullptr) {
        found = &trial;
      } else if (trial.undecided.empty() && found->undecided.empty()) {  // else they differ in what idles
        others += (others.empty() ? "" : "; or ") + describe(modes);
      }
    }
    if (found == nullptr) continue;
    if (!others.empty())
      search.notes.push_back(fmt::format("more than one combination of the switches is consistent: {}, taken, or {}",
                                         describe(found->modes), others));
    return found;
  }
  return jumping;
}

std::string IdealSwitches::describe(const Modes& modes) const {
  std::string text;
  for (int k = 0; k < count(); ++k) {
    const bool conducts = modes[at(k)] != 0;
    text += fmt::format("{}'{}' {}", k == 0 ? "" : ", ", switches_[at(k)].name,
                        is_free(k) ? (conducts ? "conducts" : "blocks") : (conducts ? "is closed" : "is open"));
  }
  return text;
}

std::string IdealSwitches::describe_failure(const Search& search) const {
  constexpr std::size_t most = 8;
  const auto cut =
      std::find_if(search.tried.begin(), search.tried.end(), [](const Trial& one) { return one.interrupts; });
  const bool may_go_on =
      std::any_of(search.tried.begin(), search.tried.end(), [](const Trial& one) { return one.trouble.empty(); });
  std::string text = cut != search.tried.end() && !may_go_on
                         ? fmt::format(
                               "an inductor current is interrupted: {}; no other combination of the switches "
                               "lets it go on:",
                               cut->trouble)
                         : std::string("no combination of the switches is consistent:");
  for (std::size_t i = 0; i < std::min(most, search.tried.size()); ++i) {
    const Trial& one = search.tried[i];
    std::string why = one.trouble;
    for (std::size_t c = 0; c < one.contradicted.size() && one.trouble.empty(); ++c) {
      const int k = one.contradicted[c];
      why += fmt::format("{}'{}' would have a {}", c == 0 ? "" : ", ", switches_[at(k)].name,
                         one.modes[at(k)] != 0 ? "negative current" : "forward voltage");
    }
    text += fmt::format("\n    {}: {}", describe(one.modes), why);
  }
  if (search.tried.size() > most) text += fmt::format("\n    and {} more", search.tried.size() - most);
  if (std::count_if(switches_.begin(), switches_.end(),
                    [](const SwitchInfo& one) { return one.kind != SwitchInfo::Kind::given; }) > most_enumerated)
    text += fmt::format("\n    with more than {} switches not all combinations are tried", most_enumerated);
  return text + (cut != search.tried.end() && !may_go_on
                     ? "\n  try:    a diode or a resistor through which the current can go on"
                     : "\n  try:    look for nodes that nothing connects while all switches there block, and for "
                       "sources that closed switches connect");
}

/// How large things have been since the last event. Where that was not seen, they have come here with the rates they
/// have now. What was found on a polynomial is off by its error, and a voltage that was zero until now is nothing but
/// that in the next combination: x becomes consistent as it was held, unless it has jumped.
void IdealSwitches::take_sizes(double t, std::vector<double>& x, const Held& held) {
  const double length = std::abs(t - last_);
  std::vector<double> y = x, dy(x.size(), 0.0);
  if (!settle_(t, y, dy, held, Settle::jump).failure.empty()) return;
  const std::vector<int>& d = form_.structure().d;
  bool has_jumped = false;
  for (std::size_t j = 0; j < y.size(); ++j) has_jumped = has_jumped || (d[j] > 0 && !is_near(j, x[j], y[j]));
  if (!has_jumped) x = y;
  const std::vector<double> none(y.size(), 0.0);
  const auto larger = [&](int k, bool conducts, double known) {
    const Function& f = watched(k, conducts);
    const double come = length * std::abs(slope(f, held, t, y, dy, 1, dy, none)) / unit(k, conducts);
    return std::max({known, std::abs(value(f, held, t, y, dy)) / unit(k, conducts), std::isfinite(come) ? come : 0.0});
  };
  for (int k = 0; k < count(); ++k) {
    largest_voltage_ = larger(k, false, largest_voltage_);
    largest_current_ = larger(k, true, largest_current_);
  }
  for (std::size_t j = 0; j < y.size(); ++j)
    if (std::isfinite(dy[j])) largest_[j] = std::max(largest_[j], length * std::abs(dy[j]));
}

/// An event found on a polynomial may be as early or late as that is inaccurate: a value is then beyond rounding in one
/// combination, and not in another. What is taken as zero becomes larger, until one of them holds that has what fired:
/// one that undoes it would let it fire again a moment later. If there is none, the first that holds.
const IdealSwitches::Trial* IdealSwitches::look_for(Search& search, const Modes& modes) {
  const auto undoes = [&](const Trial& trial) {
    for (std::size_t k = 0; k < modes.size(); ++k)
      if (modes[k] != search.before[k] && trial.modes[k] == search.before[k]) return true;
    return false;
  };
  const auto leaves_open = [&](const Trial& trial) {
    return std::any_of(trial.undecided.begin(), trial.undecided.end(),
                       [&](int k) { return modes[at(k)] != search.before[at(k)]; });
  };
  const Trial* found = nullptr;
  for (doubt_ = 1; doubt_ < 1e9; doubt_ *= 100) {
    if (found != nullptr) {  // with more doubt, from where this one began
      Search again = search;
      again.forget_signs();
      const Trial* other = follow_contradictions(again, modes);
      if (other == nullptr || undoes(*other) || leaves_open(*other) || again.notes != search.notes) continue;
      found = &search.tried.emplace_back(*other);
      break;
    }
    search.forget_signs();
    const std::size_t passed = search.notes.size();
    found = follow_contradictions(search, modes);
    if (found == nullptr) found = enumerate(search);
    if (found == nullptr && std::none_of(search.tried.begin(), search.tried.end(),
                                         [](const Trial& one) { return one.is_tried() && one.trouble.empty(); }))
      break;
    if (found != nullptr && (!undoes(*found) || search.notes.size() > passed)) break;
  }
  doubt_ = 1;
  if (found == nullptr) std::erase_if(search.tried, [](const Trial& one) { return !one.is_tried(); });
  return found;
}

Resolution IdealSwitches::resolve(double t, double* x, Held& held, std::span<const int> fired, Settle why) {
  const std::size_t n = model_->state_names.size();
  for (std::size_t j = 0; j < n; ++j) largest_[j] = std::max(largest_[j], std::abs(x[j]));
  Modes before, modes;
  for (const SwitchInfo& one : switches_) before.push_back(held.modes[at(one.mode)] != 0 ? 1 : 0);
  modes = before;
  for (const int guard : fired) {
    const GuardInfo& one = model_->guards[at(guard)];
    if (one.ideal_switch >= 0)  // the voltage turns forward, or the current has ended
      modes[at(one.ideal_switch)] = one.direction == Direction::rising ? 1 : 0;
  }
  if (why == Settle::pass && modes == before) return {};
  std::vector<char> may_conduct;
  for (std::size_t k = 0; k < switches_.size(); ++k)
    may_conduct.push_back(before[k] != 0 || switches_[k].kind == SwitchInfo::Kind::diode ||
                          (switches_[k].kind == SwitchInfo::Kind::thyristor && switches_[k].gate.holds(held)));
  const Held entry = held;
  std::vector<double> from(x, x + n);
  if (why != Settle::start) take_sizes(t, from, held);
  Search search{.t = t,
                .why = why == Settle::start ? why : Settle::jump,
                .held = entry,
                .x = std::move(from),
                .before = before,
                .may_conduct = std::move(may_conduct)};
  const Trial* found = look_for(search, modes);
  if (found == nullptr) return {.failure = describe_failure(search)};

  if (!found->jump.empty() && why != Settle::start)
    search.notes.push_back(fmt::format("an impulse passes while {}: {}", describe(found->modes), found->jump));
  Held next = held_with(search, found->modes);
  const Held plain = next;
  if (!found->undecided.empty()) {
    const std::vector<Elsewhere> elsewhere = look_elsewhere(search, plain, *found);
    for (const int k : found->undecided)
      if (is_always_zero(plain, *found, elsewhere, k)) next.modes[at(switches_[at(k)].idles)] = 1;
  }
  const auto larger = [&](int k, bool conducts, double known) {
    const double now = value(watched(k, conducts), plain, t, found->y, found->dy);
    return std::max(known, std::abs(now) / unit(k, conducts));
  };
  for (int k = 0; k < count(); ++k) {
    largest_voltage_ = larger(k, false, largest_voltage_);
    largest_current_ = larger(k, true, largest_current_);
  }
  held.margins.voltage = -slack * largest_voltage_;
  held.margins.current = slack * largest_current_;
  last_ = t;
  if (why != Settle::start)
    std::copy(found->y.begin(), found->y.end(), x);  // even where nothing has changed: what is
                                                     // watched has come from a polynomial
  held.modes = next.modes;                           // the rest is where others point to
  return {.failure = {}, .notes = std::move(search.notes)};
}

}  // namespace pawl::detail
