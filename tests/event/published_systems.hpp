// The small published systems that the published finders are compared on.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <tuple>

#include "pawl/pawl.hpp"

namespace pawl::test {

/// Birta, Oren, Kettenis #1: y1 = sin πt meets A t; u := -u y1 there. Zero at the start, which is no event.
struct Bok1 {
  System system{"bok-1"};
  State y1 = system.state("y1", 0), y2 = system.state("y2", 1), y3 = system.state("y3", 0);
  Discrete<double> u = system.discrete("u", 1.0);
  explicit Bok1(double A) {
    const State y1_ = y1, y2_ = y2, y3_ = y3;
    const Discrete<double> u_ = u;
    system.rates([=](const auto& at, auto& d) {
      d[y1_] = std::numbers::pi * at[y2_];
      d[y2_] = -std::numbers::pi * at[y1_];
      d[y3_] = at[u_] * at[u_] * at[u_];
    });
    system.guard("y1 meets A t", [=](const auto& at) { return at[y1_] - A * at.t; }).then([=](Jump& jump) {
      jump[u_] = -jump.pre(u_) * jump[y1_];
    });
  }
};

/// #3: two exponentials that swap their rates where one meets its bound, in gaps that halve. Both guards stay >= 0.
struct Bok3 {
  System system{"bok-3"};
  State y1 = system.state("y1", 0.5), y2 = system.state("y2", -0.5), y3 = system.state("y3", 0);
  Discrete<bool> first_grows = system.discrete("first grows", true);
  explicit Bok3(int last_event = 0) {
    const State y1_ = y1, y2_ = y2, y3_ = y3;
    const Discrete<bool> grows = first_grows;
    system.rates([=](const auto& at, auto& d) {
      d[y1_] = (at[grows] ? 2.0 : -1.0) * at[y1_];
      d[y2_] = (at[grows] ? -1.0 : 2.0) * at[y2_];
      d[y3_] = at[y1_] + at[y2_];
    });
    const auto count = std::make_shared<int>(0);
    const auto swap = [=](Jump& jump) {
      jump[grows] = !jump.pre(grows);
      if (++*count == last_event) jump.terminate("the last event");
    };
    system.guard("y1 = 1", [=](const auto& at) { return 1.0 - at[y1_]; }).falling().unilateral().then(swap);
    system.guard("y2 = -1", [=](const auto& at) { return 1.0 + at[y2_]; }).falling().unilateral().then(swap);
  }
  /// t_k = 2 ln 2 - 3 ln 2 / 2^k
  static double event_time(int k) { return 2 * std::numbers::ln2 - 3 * std::numbers::ln2 * std::ldexp(1.0, -k); }
};

/// Carver #1 and example 1 of Mao and Petzold: y' = y where sin 2πft > 0, else 0.
struct SquareWave {
  System system{"square wave"};
  State y = system.state("y", 0.1);
  explicit SquareWave(double f) {
    const auto wave = system.condition("wave", [=](const auto& at) { return sin(2 * std::numbers::pi * f * at.t); });
    system.rates([y_ = y, wave](const auto& at, auto& d) { d[y_] = at[wave] ? at[y_] : 0.0 * at[y_]; });
  }
};

}  // namespace pawl::test
