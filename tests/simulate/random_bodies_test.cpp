// Random rigid bodies that fall onto a floor, or onto each other: energy never grows, gaps are never negative, all come
// to rest. PAWL_RANDOM_BODIES says which, "10000" or "2000-3000"; without it, as many as fit into a short test. All of
// them run, whatever some do, and what goes wrong is told by kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double g = 9.81;

/// Seeds: the first, and the one behind the last.
std::pair<unsigned, unsigned> wanted() {
  const char* text = std::getenv("PAWL_RANDOM_BODIES");
  if (text == nullptr) return {0, 100};
  char* end = nullptr;
  const unsigned long one = std::strtoul(text, &end, 10);
  if (*end != '-') return {0, static_cast<unsigned>(one)};
  return {static_cast<unsigned>(one), static_cast<unsigned>(std::strtoul(end + 1, nullptr, 10))};
}

class Bodies {
 public:
  explicit Bodies(unsigned seed) : random_(seed) {}

  Mechanics model{"bodies"};
  std::vector<Coordinate> coordinates;
  std::vector<Observable> gaps;
  std::vector<Contact> contacts;

  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  int number(int first, int last) { return std::uniform_int_distribution<int>(first, last)(random_); }

  /// Balls above each other, of random sizes, masses and restitution.
  void add_column(int count) {
    double y = 0, below = 0;
    for (int i = 0; i < count; ++i) {
      const double radius = between(0.05, 0.5), apart = below + radius, mass = std::pow(10, between(-1, 1));
      const double restitution = number(0, 3) == 0 ? 0 : between(0, 0.8);
      y += apart + between(0, 0.3);
      below = radius;
      const Coordinate q = model.coordinate("y" + std::to_string(i), y, between(-2, 2));
      model.mass(q, mass);
      model.potential([=](const auto& at) { return mass * g * at[q]; });
      if (i == 0) {
        add_contact([=](const auto& at) { return at[q] - apart; }, restitution);
      } else {
        add_contact([=, lower = coordinates.back()](const auto& at) { return at[q] - at[lower] - apart; }, restitution);
      }
      coordinates.push_back(q);
    }
  }

  /// One body that may touch the floor with each of its corners.
  void add_polygon(int corners) {
    const double size = between(0.3, 1), turn = between(0, 2 * std::numbers::pi);
    const Coordinate x = model.coordinate("x", 0, between(-2, 2)),
                     y = model.coordinate("y", size + between(0, 1), between(-2, 2)),
                     a = model.coordinate("a", 0, between(-5, 5));
    for (const Coordinate q : {x, y}) model.mass(q, 1.0);
    model.mass(a, size * size * between(0.2, 0.6));
    model.potential([=](const auto& at) { return g * at[y]; });
    const double restitution = number(0, 2) == 0 ? 0 : between(0, 0.7), friction = between(0.1, 1);
    for (int i = 0; i < corners; ++i) {
      const double angle = turn + 2 * std::numbers::pi * (i + between(-0.2, 0.2)) / corners;
      const double cx = size * between(0.7, 1) * std::cos(angle), cy = size * between(0.7, 1) * std::sin(angle);
      const auto gap = [=](const auto& at) { return at[y] + cx * sin(at[a]) + cy * cos(at[a]); };
      const auto slip = [=](const auto& at) { return at[dot(x)] - (cx * sin(at[a]) + cy * cos(at[a])) * at[dot(a)]; };
      contacts.push_back(
          model.contact("corner " + std::to_string(i), gap, slip, {.restitution = restitution, .friction = friction}));
      gaps.push_back(model.observable("gap " + std::to_string(i), gap));
    }
    coordinates = {x, y, a};
  }

 private:
  template <class Gap>
  void add_contact(const Gap& gap, double restitution) {
    const std::string number = std::to_string(contacts.size());
    contacts.push_back(model.contact("contact " + number, gap, {.restitution = restitution}));
    gaps.push_back(model.observable("gap " + number, gap));
  }

  std::mt19937 random_;
};

/// What a run of one of them does wrong, by kind; empty: nothing.
std::string fault_of(unsigned seed, bool& is_refused) {
  Bodies bodies(seed);
  if (seed % 2 == 0)
    bodies.add_column(bodies.number(1, 4));
  else
    bodies.add_polygon(bodies.number(2, 5));
  const Observable energy = bodies.model.energy();
  const Result run = simulate(bodies.model, {.end = 30, .max_events = 20000});
  is_refused =
      run.reason.find("Painlevé") != std::string::npos;  // rigid bodies with so much friction have no one motion
  if (is_refused) return {};
  if (!run.finished()) return "does not finish: " + run.reason.substr(run.reason.find(':') + 1);
  double least = run.start()[energy];
  const double allowed = 1e-5 * (1 + std::abs(least));  // ten tolerances
  for (int i = 0; i < run.sample_count(); ++i) {
    const Instant now = run.sample(i);
    if (!(now[energy] <= least + allowed)) return "gains energy";
    least = std::min(least, now[energy]);
    for (const Observable gap : bodies.gaps)
      if (!(now[gap] >= -1e-9)) return "has a gap below zero";
  }
  for (const Coordinate q : bodies.coordinates)
    if (!(std::abs(run.final()[dot(q)]) <= 1e-6)) return "does not rest";
  return {};
}

TEST(RandomBodies, LoseEnergyKeepTheirGapsAndComeToRest) {
  const auto [first, last] = wanted();
  unsigned refused = 0;
  std::map<std::string, std::vector<unsigned>> faults;
  for (unsigned seed = first; seed < last; ++seed) {
    bool is_refused = false;
    const std::string fault = fault_of(seed, is_refused);
    refused += is_refused ? 1 : 0;
    if (fault.empty()) continue;
    faults[fault].push_back(seed);
    std::cerr << seed << ": " << fault << std::endl;  // at once: a long run may be ended
  }
  for (const auto& [fault, seeds] : faults)
    ADD_FAILURE() << seeds.size() << " of " << last - first << ", seed " << seeds.front() << " first: " << fault;
  EXPECT_LE(refused, 1 + (last - first) / 50);
}

/// Every ball on the one below it, and each contact carries all above it.
TEST(Column, OfBallsWithRestitutionComesToRest) {
  for (const int count : {2, 3, 4}) {
    for (const double restitution : {0.1, 0.3, 0.5, 0.8}) {
      for (const double tolerance : {1e-4, 1e-8}) {
        SCOPED_TRACE(std::to_string(count) + ", " + std::to_string(restitution));
        Mechanics column("column");
        std::vector<Coordinate> y;
        std::vector<Contact> contacts;
        for (int i = 0; i < count; ++i) {
          const Coordinate q = column.coordinate("y" + std::to_string(i), i + 0.5 + 0.1 * (i + 1));
          column.mass(q, 1.0);
          column.potential([=](const auto& at) { return g * at[q]; });
          const std::string name = "contact " + std::to_string(i);
          if (i == 0) {
            contacts.push_back(
                column.contact(name, [=](const auto& at) { return at[q] - 0.5; }, {.restitution = restitution}));
          } else {
            contacts.push_back(column.contact(name,
                                              [=, lower = y.back()](const auto& at) { return at[q] - at[lower] - 1; },
                                              {.restitution = restitution}));
          }
          y.push_back(q);
        }
        const Result run = simulate(column, {.end = 20, .tolerance = tolerance});
        ASSERT_TRUE(run.finished()) << run.reason;
        for (int i = 0; i < count; ++i) {
          const auto k = static_cast<std::size_t>(i);
          EXPECT_NEAR(run.final()[y[k]], i + 0.5, 1e-12);
          EXPECT_NEAR(run.final()[contacts[k].normal], (count - i) * g, 1e-9);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pawl
