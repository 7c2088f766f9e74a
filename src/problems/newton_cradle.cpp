#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

constexpr int balls = 5;

// Five equal balls on strings of the same length, small swings, places counted from where each hangs: all of them swing
// with the same frequency, so whatever touches while hanging meets again there after half a period.
System cradle(bool is_sequential) {
  Mechanics cradle("newton-cradle");
  std::vector<Coordinate> x;
  for (int i = 1; i <= balls; ++i) x.push_back(cradle.coordinate(fmt::format("x{}", i), 0));
  const auto moving = cradle.parameter("moving", 1), speed = cradle.parameter("speed", 1),
             frequency = cradle.parameter("frequency", 2), e = cradle.parameter("restitution", 1),
             shaping = cradle.parameter("sequential", is_sequential ? 1 : 0);
  cradle.start([=](Start& at) {
    if (at[shaping] != (is_sequential ? 1 : 0)) {
      throw Misuse(
          fmt::format("this newton-cradle was built with sequential = {}, not {:g}: build it with system_of(problem, "
                      "{{\"sequential\", ...}})",
                      is_sequential ? 1 : 0, at[shaping]));
    }
    for (int i = 0; i < balls && i < at[moving]; ++i) at[x[static_cast<std::size_t>(i)]] = -at[speed] / at[frequency];
  });
  for (const auto q : x) cradle.mass(q, 1.0);
  cradle.potential([=](const auto& at) {
    auto sum = sqr(at[x[0]]);
    for (std::size_t i = 1; i < x.size(); ++i) sum = sum + sqr(at[x[i]]);
    return sqr(at[frequency]) / 2 * sum;
  });
  constexpr double wide = 0.2;  // of a ball in the picture; in the model it has none
  Picture picture;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double place = static_cast<double>(i) * wide;
    const shapes::Place center{[q = x[i], place](const auto& at) { return at[q] + place; }, -1};
    picture.add(shapes::Rod{{place, 0}, center});
    picture.add(shapes::Disk{center, wide / 2});
  }
  picture.add(shapes::Wall{{static_cast<double>(balls) * wide, 0}, {-wide, 0}});
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const Contact touching = cradle.contact(fmt::format("{} and {}", i + 1, i + 2),
                                            [a = x[i], b = x[i + 1]](const auto& at) { return at[b] - at[a]; },
                                            {.restitution = e, .sequential = is_sequential});
    picture.add(shapes::Touch{
        touching,
        {[a = x[i], place = (static_cast<double>(i) + 0.5) * wide](const auto& at) { return at[a] + place; }, -1}});
  }
  cradle.picture(picture);
  cradle.energy();
  cradle.observable("momentum", [=](const auto& at) {
    auto sum = at[dot(x[0])];
    for (std::size_t i = 1; i < x.size(); ++i) sum = sum + at[dot(x[i])];
    return sum;
  });
  cradle.impact_loss();
  return cradle;
}

}  // namespace

// By the elastic laws balls that move together stay together: the first ones and the rest take turns.
Problem newton_cradle() {
  const auto is_known = [](const Values& values) {
    const auto& p = values.parameters();
    const bool has_the_start = values.start() == [&] {
      const System system = cradle(p[4] != 0);
      Values expected(system);
      for (int i = 0; i < 3; ++i) expected[Parameter{i}] = p[static_cast<std::size_t>(i)];
      return expected.start();
    }();
    return p[3] == 1 && p[0] >= 1 && p[0] < balls && p[0] == std::floor(p[0]) && p[1] > 0 && p[2] > 0 && has_the_start;
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!is_known(values) || t < 0) return std::nullopt;
    const auto& p = values.parameters();
    const int moving = static_cast<int>(p[0]);
    const Real frequency = p[2], turns = frequency * t / std::numbers::pi_v<Real>;
    const bool is_beside = static_cast<long long>(std::floor(turns + 0.5L)) % 2 == 1;  // the first ones have struck
    const Real x = -p[1] / frequency * std::cos(frequency * t), v = p[1] * std::sin(frequency * t);
    std::vector<double> state;
    for (int i = 0; i < balls; ++i) {
      const Real share = !is_beside   ? (i < moving ? 1 : 0)
                         : p[4] != 0  ? (i < balls - moving ? 0 : 1)
                         : i < moving ? Real(2 * moving - balls) / balls
                                      : Real(2 * moving) / balls;
      state.push_back(static_cast<double>(share * x));
      state.push_back(static_cast<double>(share * v));
    }
    return state;
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!is_known(values)) return std::nullopt;
    std::vector<double> times;
    const Real half = std::numbers::pi_v<Real> / values.parameters()[2];
    for (Real t = half / 2; static_cast<double>(t) <= end; t += half) times.push_back(static_cast<double>(t));
    return times;
  };
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("sequential");
    const double number = found == assignments.end() ? 1 : found->second;
    if (number != 0 && number != 1)
      throw Misuse(fmt::format(
          "newton-cradle: sequential = {:g} is unknown: 1 takes impacts one after the other, 0 all at once", number));
    return cradle(number == 1);
  };
  return {
      .summary = "Newton's cradle, five balls that touch: impacts one after the other, or (sequential = 0) all at once",
      .kind = "mechanics with contact",
      .source = "Brogliato, Nonsmooth Mechanics (2016); data of pawl",
      .system = cradle(true),
      .end = 10,
      .plot = "t,x1",
      .known_by = "closed form",
      .reference = reference,
      .event_times = event_times,
      .build = build,
      .shaped_by = "sequential"};
}

}  // namespace pawl::problems
