// Lorenz, Pleiades and Kepler once, for every contestant: x is read and d written through operator[](int).
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "pawl/point.hpp"

namespace pawl::bench {

struct Lorenz {
  static constexpr int size = 3;
  static constexpr double end = 10;
  static constexpr std::array<double, 3> start{1, 1, 1};
  static constexpr std::array<double, 3> exact{-4.902687541134645731904, -3.743872921802919616315,
                                               24.69085810279055545322};
  static constexpr const char* name = "lorenz";

  template <class X, class D>
  static void rates(const X& x, D&& d) {
    d[0] = 10 * (x[1] - x[0]);
    d[1] = x[0] * (28 - x[2]) - x[1];
    d[2] = x[0] * x[1] - 8.0 / 3 * x[2];
  }
};

struct Kepler {
  static constexpr int size = 4;
  static constexpr double end = 20 * std::numbers::pi;  // ten revolutions, e = 0.6: back at the start
  static constexpr std::array<double, 4> start{0.4, 0, 0, 2}, exact = start;
  static constexpr const char* name = "kepler";

  template <class X, class D>
  static void rates(const X& x, D&& d) {
    const auto r2 = x[0] * x[0] + x[1] * x[1], pull = 1 / (r2 * sqrt(r2));
    d[0] = x[2];
    d[1] = x[3];
    d[2] = -pull * x[0];
    d[3] = -pull * x[1];
  }
};

struct Pleiades {
  static constexpr int size = 28;
  static constexpr double end = 3;
  static constexpr std::array<double, 28> start{3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                                                0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
  static constexpr std::array<double, 28> exact{
      0.370613914397051290094,   3.237284092057233092803,   -3.2225590324183233471,    0.659709145577530835935,
      0.3425581707156579790377,  1.562172101400631016046,   -0.7003092922212495385147, -3.943437585517392055278,
      -3.271380973972549928021,  5.225081843456544192439,   -2.590612434977469510811,  1.198213693392274637514,
      -0.2429682344935823409161, 1.091449240428979747882,   3.417003806314314752292,   1.354584501625501221477,
      -2.590065597810775419619,  2.025053734714241106485,   -1.155815100160449092712,  -0.807298817022302172566,
      0.5952396354208718766608,  -3.741244961234008471205,  0.3773459685750629036558,  0.9386858869551078886947,
      0.3667922227200569866696,  -0.3474046353808494366007, 2.344915448180936923142,   -1.947020434263291900674};
  static constexpr const char* name = "pleiades";

  template <class X, class D>
  static void rates(const X& x, D&& d) {
    for (int i = 0; i < 14; ++i) {
      d[i] = x[14 + i];
      d[14 + i] = 0;
    }
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < i; ++j) {
        const auto dx = x[j] - x[i], dy = x[7 + j] - x[7 + i], r2 = dx * dx + dy * dy, pull = 1 / (r2 * sqrt(r2));
        d[14 + i] += (j + 1) * pull * dx;
        d[21 + i] += (j + 1) * pull * dy;
        d[14 + j] -= (i + 1) * pull * dx;
        d[21 + j] -= (i + 1) * pull * dy;
      }
    }
  }
};

/// The same function as pawl writes it: f(at, d), read and written through handles.
template <class Problem>
struct AsModel {
  template <class T>
  struct Read {
    const Point<T>& at;
    const T& operator[](int i) const { return at[State{i}]; }
  };
  template <class T>
  struct Write {
    Rates<T>& d;
    T& operator[](int i) const { return d[State{i}]; }
  };
  template <class T>
  void operator()(const Point<T>& at, Rates<T>& d) const {
    Problem::rates(Read<T>{at}, Write<T>{d});
  }
};

}  // namespace pawl::bench
