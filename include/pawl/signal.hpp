// Signal: the course of an input over time, in smooth pieces. Where one piece ends and the next begins is a corner, a
// time event: methods stop there exactly and start afresh.
//
//   const Input force = model.input("force", Signal::polyline({{0, 0}, {1, 5}, {4, 5}}));
//   const Input wind = model.input("wind", Signal::function([](const auto& t) { using std::sin; return sin(3 * t); }));
//
// Before its first and after its last point an input keeps the value it has there.
#pragma once

#include <array>
#include <memory>
#include <vector>

namespace pawl {

class Function;

class Signal {
 public:
  struct Point {
    double t, value;
  };
  /// c0 + c1 s + c2 s² + c3 s³ with s = t - origin, or a function of time.
  struct Piece {
    double begin = 0, origin = 0;
    std::array<double, 4> c{};
    std::shared_ptr<const Function> function = {};
  };

  Signal(double constant);  // NOLINT: a number is the simplest course
  /// From each point on its value, until the next.
  static Signal steps(const std::vector<Point>& points);
  /// Straight lines from point to point.
  static Signal polyline(const std::vector<Point>& points);
  /// The natural cubic spline through the points: its second derivative is continuous, and zero at the ends.
  static Signal spline(const std::vector<Point>& points);
  /// A function (const auto& t), smooth but for the corners given. It is differentiated and bounded like what is
  /// written of the states.
  template <class F>
  static Signal function(F f, const std::vector<double>& corners = {});

  const std::vector<Piece>& pieces() const { return pieces_; }  ///< in the order of time; the first has no beginning
  /// The piece that holds from t on, in this direction (+1 or -1) of time.
  int piece_at(double t, double direction) const;

 private:
  Signal() = default;
  static Signal of_function(std::shared_ptr<const Function> f, const std::vector<double>& corners);

  std::vector<Piece> pieces_;
};

}  // namespace pawl
