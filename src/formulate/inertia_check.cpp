#include "formulate/inertia_check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace pawl::formulate {

namespace {

constexpr double agreement = 1e-7;  // of two ways to write one term, differences of black boxes included
constexpr int probes = 4;           // two sets of speeds at two positions

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Numbers between 0.5 and 1.5, of either sign, that have nothing to do with each other.
double scattered(int i, int probe) {
  const double golden = 0.618033988749895, place = golden * (3 * i + 1) + 0.377 * probe;
  const double size = 0.5 + (place - std::floor(place));
  return (i + probe) % 3 == 0 ? -size : size;
}

std::string name_of(const System::Declarations& model, const MechanicsInfo& info, int speed) {
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] == speed) return model.state_names[at(info.positions[i])];
  }
  return model.state_names[at(info.speeds[at(speed)])];
}

/// One row at one probe, divided by degree in the speeds: what is derived and what is declared.
struct Parts {
  double even[2], odd[2], rounding;
};

class Check {
 public:
  Check(const System::Declarations& model, MechanicsTerms& terms, const Held& held, double t, const double* x)
      : model_(model),
        info_(terms.info()),
        terms_(terms),
        held_(held),
        t_(t),
        x_(x, x + std::max(model.state_names.size(), held.states)) {
    for (const int state : info_.speeds) speed_scale_ = std::max(speed_scale_, std::abs(x_[at(state)]));
  }

  void run() {
    for (const Function& energy : info_.kinetic_energies) expect_quadratic(energy);
    std::vector<std::vector<Parts>> rows(at(terms_.size()));
    for (int probe = 0; probe < probes; ++probe) {
      if (probe == probes / 2) move_positions();
      look(probe, rows);
    }
    std::vector<int> doubled;
    for (int i = 0; i < terms_.size(); ++i) {
      if (contains(rows[at(i)], &Parts::even) || contains(rows[at(i)], &Parts::odd)) doubled.push_back(i);
    }
    if (!doubled.empty() && !info_.forces.empty()) refuse(doubled);
  }

 private:
  void set_speeds(int probe, double factor) {
    for (std::size_t i = 0; i < info_.speeds.size(); ++i)
      x_[at(info_.speeds[i])] = factor * speed_scale_ * scattered(static_cast<int>(i), probe);
  }
  void move_positions() {
    std::vector<double> d(at(terms_.size()));
    double largest = 0;
    for (const int state : info_.positions) largest = std::max(largest, std::abs(x_[at(state)]));
    for (std::size_t i = 0; i < d.size(); ++i)
      d[i] = 1e-3 * (largest > 0 ? largest : 1) * scattered(static_cast<int>(i), probes);
    terms_.move_positions(d.data(), x_.data());
  }

  // The derivative of T by a speed is linear in all of them.
  void expect_quadratic(const Function& energy) {
    constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
    const detail::Surroundings<Gradient> around{&held_};
    const auto momenta_at = [&](double factor) {
      set_speeds(0, factor);
      const std::vector<Gradient> plain(x_.begin(), x_.end());
      std::vector<double> momenta(info_.speeds.size());
      for (int begin = 0; begin < terms_.size(); begin += width) {
        std::vector<Gradient> duals = plain;
        const int end = std::min(begin + width, terms_.size());
        for (int i = begin; i < end; ++i) duals[at(info_.speeds[at(i)])].slope[at(i - begin)] = 1;
        Gradient out;
        energy(Point<Gradient>(Gradient(t_), duals.data(), held_.parameters.data(), &around), &out);
        for (int i = begin; i < end; ++i) momenta[at(i)] = out.slope[at(i - begin)];
      }
      return momenta;
    };
    const std::vector<double> none = momenta_at(0), once = momenta_at(1), twice = momenta_at(2);
    for (std::size_t i = 0; i < once.size(); ++i) {
      const double size = std::abs(none[i]) + 2 * std::abs(once[i]) + std::abs(twice[i]);
      if (std::abs(none[i] - 2 * once[i] + twice[i]) <= agreement * size) continue;
      throw Misuse(fmt::format(
          "a kinetic energy of '{}' is not quadratic in the speed of '{}': its derivative by it does not grow in "
          "proportion.\n"
          "  try:    check its powers of speeds; energies that do not move belong to potential(...)",
          model_.name, name_of(model_, info_, static_cast<int>(i))));
    }
  }

  // Derived and declared terms at the speeds of the probe, at their opposites and at rest.
  void look(int probe, std::vector<std::vector<Parts>>& rows) {
    const auto n = at(terms_.size());
    std::vector<double> derived[3], declared[3], mass[3];
    for (const int k : {0, 1, 2}) {
      set_speeds(probe, k == 2 ? 0 : k == 1 ? -1 : 1);
      std::vector<double> rates(x_.size());
      if (terms_.inertia().reads_others() && model_.rates) {
        const detail::Surroundings<double> around{&held_};
        model_.rates(Point<double>(t_, x_.data(), held_.parameters.data(), &around), rates.data());
      }
      terms_.rate_of_positions(x_.data());
      terms_.evaluate_inertia(t_, x_.data(), rates.data());
      terms_.evaluate_force(t_, x_.data());
      derived[k] = terms_.inertial;
      declared[k] = terms_.force;
      mass[k] = terms_.mass;
    }
    expect_same(mass[0], mass[1]);
    for (std::size_t i = 0; i < n; ++i) {
      Parts parts{};
      for (const bool is_declared : {false, true}) {
        const auto* f = is_declared ? declared : derived;
        parts.even[is_declared] = (f[0][i] + f[1][i]) / 2 - f[2][i];
        parts.odd[is_declared] = (f[0][i] - f[1][i]) / 2;
        for (int k = 0; k < 3; ++k) parts.rounding += 1e-15 * std::abs(f[k][i]);
      }
      rows[i].push_back(parts);
    }
  }

  void expect_same(const std::vector<double>& mass, const std::vector<double>& other) const {
    const SparseRows& pattern = terms_.mass_pattern();
    for (int i = 0; i < terms_.size(); ++i) {
      const int begin = terms_.is_sparse() ? pattern.first[at(i)] : i * terms_.size();
      const int end = terms_.is_sparse() ? pattern.first[at(i + 1)] : begin + i + 1;
      for (int place = begin; place < end; ++place) {
        if (!(std::abs(mass[at(place)] - other[at(place)]) > agreement * std::abs(mass[at(place)]))) continue;
        throw Misuse(
            fmt::format("the mass matrix of '{}' depends on speeds in the row of '{}': masses are functions of "
                        "coordinates, further "
                        "states and time.\n"
                        "  try:    forces for what depends on speeds",
                        model_.name, name_of(model_, info_, i)));
      }
    }
  }

  // Whether the declared part is the derived one, where there is a derived one.
  static bool contains(const std::vector<Parts>& row, double (Parts::*part)[2]) {
    int seen = 0;
    for (const Parts& parts : row) {
      const double derived = (parts.*part)[0], declared = (parts.*part)[1];
      if (!(std::abs(declared - derived) <= agreement * std::abs(derived) + 10 * parts.rounding)) return false;
      if (std::abs(derived) > 1e8 * parts.rounding) ++seen;
    }
    return seen >= probes / 2;
  }

  [[noreturn]] void refuse(const std::vector<int>& doubled) const {
    std::string names;
    for (std::size_t k = 0; k < doubled.size(); ++k) {
      names += fmt::format("{}'{}'",
                           k == 0                   ? ""
                           : k + 1 < doubled.size() ? ", "
                                                    : " and ",
                           name_of(model_, info_, doubled[k]));
    }
    throw Misuse(fmt::format(
        "the force on {} of '{}' contains the inertial terms that follow from the masses, so that they would count "
        "twice: what it has of the speeds equals what is derived.\n"
        "  likely: the model was written for a version before 0.6, which left these terms to the user\n"
        "  try:    remove centrifugal, Coriolis and gyroscopic terms from force(...), which is for what is applied",
        names, model_.name));
  }

  const System::Declarations& model_;
  const MechanicsInfo& info_;
  MechanicsTerms& terms_;
  const Held& held_;
  double t_;
  std::vector<double> x_;
  double speed_scale_ = 1;
};

/// There are no forces that could contain what is derived, and masses and potentials have shown what they read.
bool reads_no_speeds(const MechanicsInfo& info) {
  return info.forces.empty() && info.kinetic_energies.empty() &&
         std::all_of(info.masses.begin(), info.masses.end(),
                     [](const auto& f) { return f.template supports<Pattern>(); }) &&
         std::all_of(info.potentials.begin(), info.potentials.end(),
                     [](const Function& f) { return f.supports<Jet<double>>(); });
}

}  // namespace

void check_inertia(const System::Declarations& model, MechanicsTerms& terms, const Held& held, double t,
                   const double* x) {
  if (terms.inertia().is_zero() || reads_no_speeds(*model.mechanics)) return;
  try {
    Check(model, terms, held, t, x).run();
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception&) {  // a function that does not take these speeds says so again where it matters
  }
}

}  // namespace pawl::formulate
