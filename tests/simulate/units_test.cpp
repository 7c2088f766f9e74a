// Scales make no difference: every differential-algebraic system of the catalogue with each unknown and each row in a
// unit of its own, powers of ten between 1e-15 and 1e15, has the same structure, start, events and result.
// PAWL_LONG=1: more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "problems/catalogue.hpp"
#include "scaled_system.hpp"

namespace pawl {
namespace {

int how_many(int in_short, int in_long) {
  const char* wanted = std::getenv("PAWL_LONG");
  return wanted != nullptr && std::string(wanted) == "1" ? in_long : in_short;
}

struct Case {
  std::string name;
  std::shared_ptr<const System::Declarations> model;
  double start, end;
  std::vector<std::pair<std::string, double>> values;

  int rows() const {
    int count = static_cast<int>(model->state_names.size());
    for (const EquationInfo& one : model->equations) count += one.rows;
    return count;
  }
  Result run(const Scales& units, const std::string& method, double tolerance) const {
    const ScaledSystem system(*model, units);
    Values own(system);
    for (const auto& [parameter, value] : values) own.set(parameter, value);
    return simulate(system, own, {.start = start, .end = end, .tolerance = tolerance, .method = method});
  }
  double nominal(std::size_t i) const {
    return !model->nominals.empty() && model->nominals[i] > 0 ? model->nominals[i] : 1.0;
  }
};

/// Those of the catalogue that are declared by equations alone.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Problem& one : catalogue())
    if (one.is_implicit() && !one.system.declarations().mechanics)
      cases.push_back({one.name(), one.system.share(), one.start, one.end, {}});
  cases.push_back(
      {"fast-slow, reduced", system_of(find_problem("fast-slow"), {{"eps", 0}}).share(), 0, 5, {{"eps", 0}}});
  cases.push_back({"diode-circuit, index 2", find_problem("diode-circuit").system.share(), 0, 0.085, {{"index", 2}}});
  return cases;
}

long fired(const Result& run) {
  return std::count_if(run.events.begin(), run.events.end(), [](const Event& one) { return fires(one.kind); });
}

/// A power of ten between 10^-most and 10^most.
double random_unit(std::mt19937& engine, int most) {
  return std::pow(10.0, static_cast<int>(engine() % static_cast<unsigned>(2 * most + 1)) - most);
}

Scales random_units(const Case& one, unsigned seed, int most = 15) {
  std::mt19937 engine(seed);
  const auto unit = [&] { return random_unit(engine, most); };
  Scales units;
  for (std::size_t i = 0; i < one.model->state_names.size(); ++i) units.unknowns.push_back(unit());
  for (int i = 0; i < one.rows(); ++i) units.rows.push_back(unit());
  return units;
}

/// Mechanisms, alone or in mixtures, with contacts or without. Families of contacts are not integrated with steps; how
/// the flail tumbles hangs on rounding.
std::vector<Case> all_mechanisms(bool with_contacts) {
  std::vector<Case> cases;
  for (const Problem& one : catalogue()) {
    const System::Declarations& model = one.system.declarations();
    if (!model.mechanics || model.port_hamiltonian || one.name() == "sphere-box" || one.name() == "flail") continue;
    if (model.mechanics->contacts.empty() != with_contacts)
      cases.push_back({one.name(), one.system.share(), one.start, one.end, {}});
  }
  return cases;
}

/// Of coordinates and of constraints that are no contacts'; equations and further states beside the mechanism as well.
Scales random_units_of_mechanism(const Case& one, unsigned seed, int most) {
  std::mt19937 engine(seed + 1000);
  const auto unit = [&] { return random_unit(engine, most); };
  Scales units = random_units(one, seed, most);
  const MechanicsInfo& info = *one.model->mechanics;
  for (const auto& attitude : info.attitudes) {
    const auto positions = info.positions.begin() + attitude.first_position;
    const auto speeds = info.speeds.begin() + attitude.first_speed;
    std::for_each(positions, positions + 4, [&](int state) { units.unknowns[static_cast<std::size_t>(state)] = 1; });
    std::for_each(speeds, speeds + 3, [&](int state) { units.unknowns[static_cast<std::size_t>(state)] = 1; });
  }
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] < 0) continue;
    const int speed = info.speeds[static_cast<std::size_t>(info.speed_of[i])];
    units.unknowns[static_cast<std::size_t>(info.positions[i])] = units.unknowns[static_cast<std::size_t>(speed)];
  }
  if (info.friction_work >= 0) units.unknowns[static_cast<std::size_t>(info.friction_work)] = 1;
  for (std::size_t i = 0; i < one.model->state_names.size(); ++i) units.rows[i] = units.unknowns[i];
  units.joints.assign(one.model->constraint_names.size(), 1.0);
  for (std::size_t number = 0; number < info.constraints.size(); ++number) {
    const bool is_of_contact = std::any_of(info.contacts.begin(), info.contacts.end(), [&](const ContactInfo& contact) {
      return contact.normal == static_cast<int>(number) || contact.slip == static_cast<int>(number);
    });
    const MechanicsInfo::ConstraintInfo& constraint = info.constraints[number];
    for (int row = 0; row < constraint.rows && !is_of_contact; ++row)
      units.joints[static_cast<std::size_t>(constraint.first_row + row)] = unit();
  }
  return units;
}

/// The same start, events and result in as many random units; how many runs were compared.
int compare_mechanisms(bool with_contacts, int most, unsigned seeds) {
  constexpr double tolerance = 1e-8;
  int compared = 0;
  for (const Case& one : all_mechanisms(with_contacts)) {
    const std::size_t n = one.model->state_names.size();
    Scales declared = random_units_of_mechanism(one, 0, most);
    for (auto* all : {&declared.unknowns, &declared.rows, &declared.joints}) std::fill(all->begin(), all->end(), 1.0);
    const Result plain = one.run(declared, "auto", tolerance);
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE(one.name + ", seed " + std::to_string(seed));
      const Scales units = random_units_of_mechanism(one, seed, most);
      const Result scaled = one.run(units, "auto", tolerance);
      EXPECT_EQ(scaled.finished(), plain.finished()) << scaled.reason << "\nplain: " << plain.reason;
      EXPECT_EQ(fired(scaled), fired(plain));
      ++compared;
      for (std::size_t i = 0; i < n && scaled.finished() && plain.finished(); ++i) {
        const State x{static_cast<int>(i)};
        const double before = plain.start()[x], after = plain.final()[x];
        const auto size = [&](double value) { return std::max(std::abs(value), one.nominal(i)); };
        EXPECT_NEAR(scaled.start()[x] / units.unknowns[i], before, 1e-9 * size(before)) << one.model->state_names[i];
        EXPECT_NEAR(scaled.final()[x] / units.unknowns[i], after, 1000 * tolerance * size(after))
            << one.model->state_names[i];
      }
    }
  }
  return compared;
}

TEST(ScaledCatalogue, OfCoordinatesAndConstraintsMakeNoDifferenceToMechanisms) {
  EXPECT_GE(compare_mechanisms(false, 15, static_cast<unsigned>(how_many(3, 40))), 30);
}

// Impulses and cones are decided from products of units: as far as people's units are apart, and farther.
TEST(ScaledCatalogue, OfCoordinatesAndConstraintsMakeNoDifferenceToContacts) {
  EXPECT_GE(compare_mechanisms(true, 3, static_cast<unsigned>(how_many(1, 40))), 15);
}

TEST(ScaledCatalogue, OfUnknownsAndRowsMakeNoDifferenceToTheCatalogue) {
  constexpr double tolerance = 1e-6;
  int compared = 0;
  for (const Case& one : all_cases()) {
    const std::size_t n = one.model->state_names.size();
    const Scales declared{std::vector<double>(n, 1.0), std::vector<double>(static_cast<std::size_t>(one.rows()), 1.0)};
    for (const std::string method : {"auto", "bdf", "rodas5p"}) {
      if (one.name == "charge-pump" && method != "auto") continue;  // not for these: docs/stiff.md
      const Result plain = one.run(declared, method, tolerance);
      for (unsigned seed = 1; seed <= static_cast<unsigned>(how_many(2, 40)); ++seed) {
        SCOPED_TRACE(one.name + ", " + method + ", seed " + std::to_string(seed));
        const Scales units = random_units(one, seed);
        const Result scaled = one.run(units, method, tolerance);
        EXPECT_EQ(scaled.finished(), plain.finished()) << scaled.reason << "\nplain: " << plain.reason;
        if (!scaled.finished() || !plain.finished()) continue;
        EXPECT_EQ(scaled.statistics.implicit->structure, plain.statistics.implicit->structure);
        EXPECT_EQ(fired(scaled), fired(plain));
        ++compared;
        for (std::size_t i = 0; i < n; ++i) {
          const State x{static_cast<int>(i)};
          const double before = plain.start()[x], after = plain.final()[x];
          const auto size = [&](double value) { return std::max(std::abs(value), one.nominal(i)); };
          EXPECT_NEAR(scaled.start()[x] / units.unknowns[i], before, 1e-9 * size(before)) << one.model->state_names[i];
          EXPECT_NEAR(scaled.final()[x] / units.unknowns[i], after, 1000 * tolerance * size(after))
              << one.model->state_names[i];
        }
      }
    }
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace pawl
