// Families of contacts: rules, the plan, and what is refused.
#include "pawl/contact_family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "simulate/spheres_on_a_floor.hpp"

namespace pawl {
namespace {

using testing::g;
using testing::ground;
using testing::misuse_of;
using testing::Place;
using Model = testing::SpheresOnAFloor;

TEST(ContactFamilyRules, ThoseThatMayNotTouchPassEachOther) {
  const std::vector<Place> centres{{0, 0, 0}, {0.1, 0, 0}}, velocities{{1, 0, 0}, {-1, 0, 0}};
  const Model ghosts(centres, {.may_touch = [](int, int) { return false; }}, velocities, {0, 0, 0});
  const Result run = simulate(ghosts.system, {.end = 0.1});
  EXPECT_NEAR(ghosts.centre(run.final(), 0)[0], 0.1, 1e-16);
  EXPECT_EQ(run.final()[ghosts.contacts].impacts, 0);
}

TEST(ContactFamilyRules, CoefficientsMayBeParameters) {
  SphereMechanics system("bounce");
  const auto e = system.parameter("e", 0.5);
  const Spheres ball = system.spheres("ball", {{0, 0, 1.01}}, {.radius = 0.01, .mass = 1, .gravity = {0, 0, -g}});
  system.contacts("contacts", ball, {.restitution = e, .walls = {ground}});
  Values values(system);
  values[e] = 1;
  const double t1 = std::sqrt(2 / g);
  EXPECT_NEAR(simulate(system, values, {.end = 2 * t1}).final()[ball.centre(0)[2]], 1.01, 1e-14);
  EXPECT_NEAR(simulate(system, {.end = 1.5 * t1}).final()[ball.centre(0)[2]], 1.01 - 0.75, 1e-14);
}

TEST(ContactFamilyRules, ThePlanSaysHowItRuns) {
  const Model ball({{0, 0, 1}}, {.walls = {ground}});
  const Result run = simulate(ball.system, {.end = 0.1});
  EXPECT_EQ(run.method, "flights");
  EXPECT_EQ(run.plan.method.value, "flights");
  EXPECT_EQ(
      run.plan.method.why,
      "1 spheres of family 'contacts' fly in closed form from one contact to the next, each with a time of its own");
  EXPECT_EQ(run.plan.tolerance.value, "none");
  EXPECT_EQ(run.plan.events.value, "closed form");
  ASSERT_EQ(run.statistics.events.guarantees.size(), 1u);
  EXPECT_EQ(run.statistics.events.guarantees[0].level, Assurance::proved);
  EXPECT_EQ(run.sample_count(), 101);
}

// A long run without samples is asked on its way, so that Ctrl-C is heard.
TEST(ContactFamilyRules, ProgressAndObserversMayStopARunAndTheirFailureIsAnOutcome) {
  const Model ball({{0, 0, 0.1}}, {.restitution = 1.0, .walls = {ground}, .still = 0});
  int asked = 0;
  const Result stopped = simulate(ball.system, {.end = 1e6, .keep = Keep::end, .progress = [&](const Progress& now) {
                                                  EXPECT_GT(now.t, 0);
                                                  return ++asked < 3;
                                                }});
  EXPECT_EQ(stopped.outcome, Outcome::stopped);
  EXPECT_EQ(asked, 3);
  EXPECT_LT(stopped.t_end, 1e6);
  EXPECT_EQ(stopped.final()[ball.contacts].impacts, stopped.statistics.events.events);
  const Result failed = simulate(
      ball.system, {.end = 1, .observer = [](const Instant&) -> bool { throw std::runtime_error("no more"); }});
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_EQ(failed.ending->code, MessageCode::callback_threw);
}

TEST(ContactFamilyRules, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const auto& add, const Options& options = {.end = 1}) {
    Model model({{0, 0, 1}}, {.walls = {ground}});
    add(model.system);
    return misuse_of([&] { simulate(model.system, options); });
  };
  const auto nothing = [](SphereMechanics&) {};
  const std::string beside =
      "system 'spheres' has a family of contacts, 'contacts', whose spheres fly freely from one contact to the next, "
      "and {}: a model with a family has nothing else that moves or decides";
  const auto also = [&](std::string_view what) { return fmt::format(fmt::runtime(beside), what); };
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.coordinate("lid", 1); }),
            also("the state 'lid', which no sphere of the family has"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.force([](const auto&, auto&) {}); }), also("forces"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.potential([](const auto& at) { return 0 * at.t; }); }),
            also("a potential beside the weight of the spheres"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.mass(State{0}, 1.0); }), also("masses of its own"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.constraint("string", [](const auto& at) { return at[State{0}]; }); }),
            also("the constraint 'string'"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.contact("lid", [](const auto& at) { return 2 - at[State{4}]; }); }),
            also("the single contact 'lid'"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.guard("half", [](const auto& at) { return at[State{4}] - 0.5; }); }),
            also("the guard 'half'"));
  EXPECT_EQ(refusal([](SphereMechanics& m) { m.at(0.5, [](Jump&) {}); }), also("time events"));

  const auto option = [](std::string_view which) {
    return fmt::format(
        "system 'spheres' has a family of contacts: its spheres fly in closed form, and no step is taken; "
        "the option '{}' does not apply",
        which);
  };
  EXPECT_EQ(refusal(nothing, {.end = 1, .method = "radau"}), option("method"));
  EXPECT_EQ(refusal(nothing, {.end = 1, .step = 0.1}), option("step"));
  EXPECT_EQ(refusal(nothing, {.end = 1, .events = "compere"}), option("events"));
  EXPECT_EQ(refusal(nothing, {.end = -1}),
            "system 'spheres' has a family of contacts, and impacts cannot be undone: end = -1 lies before start = 0");

  const Model ball({{0, 0, 1}}, {.walls = {ground}});
  EXPECT_EQ(
      misuse_of([&] { Simulation(ball.system, {.end = 1}); }),
      "system 'spheres' has a family of contacts, whose spheres have no common steps: simulate() runs it from start "
      "to end, a Simulation cannot");
}

TEST(ContactFamilyRules, RefusesStartsThatAreNotOnes) {
  const auto reason = [](const std::vector<Place>& centres) {
    const Result run = simulate(Model(centres, {.walls = {ground}}).system, {.end = 1});
    EXPECT_EQ(run.outcome, Outcome::failed);
    return run.reason;
  };
  EXPECT_EQ(reason({{0, 0, 1}, {0.015, 0, 1}}), "'ball1' and 'ball2' begin 0.005 inside each other: spheres are rigid");
  EXPECT_EQ(reason({{0, 0, 1}, {0.5, 0, 0.008}}),
            "'ball2' begins 0.002 behind the wall 'floor': spheres do not pass it");
}

TEST(ContactFamilyRules, RefusesDeclarationsThatCannotBeMeant) {
  const auto declared = [](const SpheresOptions& spheres, const ContactFamilyOptions& laws = {}) {
    return misuse_of([&] {
      SphereMechanics system("spheres");
      system.contacts("contacts", system.spheres("ball", {{0, 0, 1}, {0, 0, 2}}, spheres), laws);
    });
  };
  const SpheresOptions good{.radius = 1, .mass = 1};
  EXPECT_EQ(declared({.radius = 0, .mass = 1}), "spheres 'ball': the radius must be above 0 and finite, and 0 is not");
  EXPECT_EQ(declared({.radius = 1, .masses = {1}}), "spheres 'ball': 1 values of mass for 2 spheres");
  EXPECT_EQ(declared(good, {.restitution = 1.5}),
            "contacts 'contacts': restitution must be between 0 and 1, and 1.5 is not");
  EXPECT_EQ(declared(good, {.walls = {{"floor", {0, 0, 0}, {0, 0, 0}}}}),
            "contacts 'contacts': wall 'floor' needs a point and a direction, both finite, the direction not zero");
  EXPECT_EQ(declared(good, {.still = 1}), "contacts 'contacts': still must be between 0 and 0.1 radii, and 1 is not");
  EXPECT_EQ(declared({.radius = 1, .mass = 1, .gravity = {0, 0, -1}}, {.contact_time = 0}),
            "contacts 'contacts': the contact time must be above 0, for what lies under gravity hops, and 0 is not");
  SphereMechanics system("spheres");
  const Spheres ball = system.spheres("ball", {{0, 0, 1}}, good);
  system.contacts("contacts", ball, {});
  EXPECT_EQ(
      misuse_of([&] { system.contacts("more", ball, {}); }),
      "contacts 'more': system 'spheres' has a family of contacts already; one takes all spheres, and may_touch(i, "
      "j) says which pairs");
}

}  // namespace
}  // namespace pawl
