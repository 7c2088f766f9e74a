// Random guards against truth that was found without pawl: by construction, or by dense sampling with refined extrema
// in long double. The states are polynomials of t, so every method follows them to rounding.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "pawl/simulate.hpp"
#include "problems/gauntlet_parts.hpp"

namespace pawl {

namespace {

using Roots = std::vector<double>;
using gauntlet_parts::pi;
constexpr State x1{0}, x2{1};  // x1 = t - 1/2, x2 = 1 - t^2

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {  // the standard's distributions differ between libraries
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int one_of(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned long>(high - low + 1));
  }
  double of_magnitude(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }

 private:
  std::mt19937_64 engine_;
};

constexpr double margin = 1e-7;  // roots this near to an end of the run are not asked for
bool keeps_clear_of_the_ends(const Roots& roots) {
  return std::all_of(roots.begin(), roots.end(), [](double r) { return r > margin && r < 1 - margin; });
}

/// The sign change of f in [low, high], by bisection.
template <class F>
long double refined(F f, long double low, long double high) {
  const bool is_positive = f(low) > 0;
  for (int i = 0; i < 64; ++i) {
    const long double middle = (low + high) / 2;
    ((f(middle) > 0) == is_positive ? low : high) = middle;
  }
  return low;
}

/// One to six sinusoids of frequency up to 200, plus b x1 x2 + c.
struct Sinusoids {
  int count = 0;
  std::array<double, 6> amplitude{}, frequency{}, phase{};
  double b = 0, c = 0;

  template <class T>
  T operator()(const Point<T>& at) const {
    T sum = b * at[x1] * at[x2] + c;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      sum = sum + amplitude[k] * sin(frequency[k] * at.t + phase[k]);
    return sum;
  }
  template <class Real>
  struct Slope {
    Real value, slope;
  };
  template <class Real>
  Slope<Real> exact(Real t) const {
    Slope<Real> g{b * (t - Real(0.5)) * (1 - t * t) + c, b * ((1 - t * t) - (t - Real(0.5)) * 2 * t)};
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const Real angle = frequency[k] * t + phase[k];
      g.value += amplitude[k] * std::sin(angle);
      g.slope += amplitude[k] * frequency[k] * std::cos(angle);
    }
    return g;
  }

  static Sinusoids random(Dice& dice) {
    Sinusoids g;
    g.count = dice.one_of(1, 6);
    for (std::size_t k = 0; k < static_cast<std::size_t>(g.count); ++k) {
      g.amplitude[k] = dice.between(-1, 1);
      g.frequency[k] = dice.of_magnitude(1, 200);
      g.phase[k] = dice.between(0, 2 * pi);
    }
    g.b = dice.between(-2, 2);
    g.c = dice.between(-1, 1);
    return g;
  }
  /// Sign changes between samples and refined extrema; false if an extremum or an end is too near to zero to tell.
  bool roots(Roots& out) const {
    const int samples = 200 + static_cast<int>(20 * *std::max_element(frequency.begin(), frequency.end()));
    double bend = 8 * std::abs(b);  // |g''| is less
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      bend += std::abs(amplitude[k]) * frequency[k] * frequency[k];
    const auto value = [this](long double t) { return exact(t).value; };
    const auto slope = [this](long double t) { return exact(t).slope; };
    out.clear();
    double t0 = 0;
    Slope<double> g0 = exact(t0);
    if (std::abs(g0.value) < 1e-5) return false;
    for (int i = 1; i <= samples; ++i) {
      const double t = static_cast<double>(i) / samples;
      const Slope<double> g = exact(t);
      const double nearest = std::min(std::abs(g0.value), std::abs(g.value));
      if (nearest < 1e-9) return false;
      const bool may_bend_across = (g0.slope > 0) != (g.slope > 0) && nearest < bend * (t - t0) * (t - t0);
      if (may_bend_across) {
        const long double extremum = refined(slope, t0, t);
        if (std::abs(value(extremum)) < 1e-9L) return false;
        if ((value(extremum) > 0) != (g0.value > 0)) out.push_back(static_cast<double>(refined(value, t0, extremum)));
        if ((value(extremum) > 0) != (g.value > 0)) out.push_back(static_cast<double>(refined(value, extremum, t)));
      } else if ((g0.value > 0) != (g.value > 0)) {
        out.push_back(static_cast<double>(refined(value, t0, t)));
      }
      t0 = t;
      g0 = g;
    }
    return std::abs(g0.value) > 1e-5 && keeps_clear_of_the_ends(out);
  }
};

/// Products of (s - r)^1 and (s - r)^3 times an exponential, pairs of roots 1e-9 to 1e-1 apart; s is t or x1 + 1/2.
struct Product {
  int count = 0;
  std::array<double, 8> root{};
  std::array<bool, 8> is_triple{};
  double growth = 0;
  bool reads_state = false;

  template <class T>
  T operator()(const Point<T>& at) const {
    const T s = reads_state ? at[x1] + 0.5 : at.t;
    T value = exp(growth * s);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const T factor = s - root[k];
      value = value * (is_triple[k] ? factor * sqr(factor) : factor);
    }
    return value;
  }

  static Product random(Dice& dice) {
    Product g;
    const int groups = dice.one_of(1, 4);
    for (int i = 0; i < groups; ++i) {
      const double r = dice.between(0.01, 0.85);
      g.add(r, dice.one_of(0, 5) == 0);
      if (dice.one_of(0, 1) == 0) g.add(r + dice.of_magnitude(1e-9, 1e-1), dice.one_of(0, 9) == 0);
    }
    g.growth = dice.between(-3, 3);
    g.reads_state = dice.one_of(0, 1) == 0;
    return g;
  }
  void add(double r, bool triple) {
    root[static_cast<std::size_t>(count)] = r;
    is_triple[static_cast<std::size_t>(count++)] = triple;
  }
  bool roots(Roots& out) const {
    out.assign(root.begin(), root.begin() + count);
    std::sort(out.begin(), out.end());
    const auto is_close = [](double a, double b) { return b - a < 0.9e-9; };
    return std::adjacent_find(out.begin(), out.end(), is_close) == out.end();
  }
};

/// Near-double roots: sin^2(w s + p) + delta, delta = -+1e-13 to 1e-2.
struct NearDouble {
  double frequency = 0, phase = 0, delta = 0;
  bool reads_state = false;

  template <class T>
  T operator()(const Point<T>& at) const {
    const T s = reads_state ? at[x1] + 0.5 : at.t;
    return sqr(sin(frequency * s + phase)) + delta;
  }

  static NearDouble random(Dice& dice) {
    NearDouble g;
    g.frequency = dice.between(1, 20);
    g.phase = dice.between(0, 2 * pi);
    g.reads_state = dice.one_of(0, 1) == 0;
    g.delta = dice.of_magnitude(g.reads_state ? 1e-11 : 1e-13, 1e-2) * (dice.one_of(0, 2) == 0 ? 1 : -1);
    return g;
  }
  bool roots(Roots& out) const {
    out.clear();
    const double half = delta < 0 ? std::asin(std::sqrt(-delta)) : 0;
    for (int k = 0; k < 20; ++k) {
      const double middle = (k * pi - phase) / frequency;
      if (std::abs(middle) < 0.11 / frequency + margin || std::abs(middle - 1) < 0.11 / frequency + margin)
        return false;
      if (delta < 0 && middle > 0 && middle < 1) {
        out.push_back(middle - half / frequency);
        out.push_back(middle + half / frequency);
      }
    }
    return true;
  }
};

class RandomRun {
 public:
  RandomRun(Dice& dice, int guards) : system_("random guards") {
    system_.state("x1", -0.5);
    system_.state("x2", 1.0);
    system_.rates([](const auto& at, auto& d) {
      d[x1] = 1.0;
      d[x2] = -2 * at.t;
    });
    for (int i = 0; i < guards; ++i) {
      switch (i % 3) {
        case 0:
          add<Sinusoids>(dice);
          break;
        case 1:
          add<Product>(dice);
          break;
        default:
          add<NearDouble>(dice);
      }
    }
  }

  void compare(const std::string& method, RandomReport& report) const {
    const Result run = simulate(system_, {.end = 1, .method = method, .keep = Keep::end});
    if (!run.finished()) report.faults.push_back(run.reason);
    for (std::size_t i = 1; i < run.events.size(); ++i) {
      const bool is_late =
          fires(run.events[i].kind) && fires(run.events[i - 1].kind) && run.events[i].t < run.events[i - 1].t;
      if (is_late) report.faults.push_back(fmt::format("out of order at {:.17g}", run.events[i].t));
    }
    for (const Event& event : run.events) {
      if (event.kind != EventKind::touch) continue;
      ++report.touches;
      report.faults.push_back(fmt::format("touch of '{}' at {:.17g}", run.names(event).front(), event.t));
    }
    for (std::size_t g = 0; g < roots_.size(); ++g) {
      ++report.guards;
      compare(g, run.times_of(Guard{static_cast<int>(g)}), report);
    }
  }

 private:
  template <class Family>
  void add(Dice& dice) {
    Family g = Family::random(dice);
    Roots roots;
    while (!g.roots(roots)) g = Family::random(dice);
    system_.guard(fmt::format("guard {}", roots_.size()), g);
    roots_.push_back(roots);
  }

  void compare(std::size_t g, const std::vector<double>& found, RandomReport& report) const {
    const Roots& truth = roots_[g];
    report.roots += static_cast<long long>(truth.size());
    std::size_t t = 0, f = 0;
    while (t < truth.size() || f < found.size()) {
      const bool has_both = t < truth.size() && f < found.size();
      if (has_both && std::abs(truth[t] - found[f]) <= tolerance) {
        report.location_error = std::max(report.location_error, std::abs(truth[t] - found[f]));
        ++report.found;
        ++t;
        ++f;
      } else if (f >= found.size() || (has_both && truth[t] < found[f])) {
        ++report.missed;
        report.faults.push_back(fmt::format("missed 'guard {}' at {:.17g}", g, truth[t++]));
      } else {
        ++report.wrong;
        report.faults.push_back(fmt::format("wrong 'guard {}' at {:.17g}", g, found[f++]));
      }
    }
  }

  static constexpr double tolerance = 1e-7;  // a root at a slope of 1e-8, of a state known to 1e-15
  System system_;
  std::vector<Roots> roots_;
};

}  // namespace

RandomReport run_random_guards(int systems, int guards_each, const std::vector<std::string>& methods, unsigned seed) {
  Dice dice(seed);
  RandomReport report;
  for (int i = 0; i < systems; ++i) {
    const RandomRun run(dice, guards_each);
    for (const std::string& method : methods) run.compare(method, report);
  }
  return report;
}

}  // namespace pawl
