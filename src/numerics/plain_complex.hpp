// Complex numbers by their textbook products: std::complex looks for infinities in each of them, which costs more than
// the product. Both parts travel in one register. Beside them the few functions an elimination needs, for real numbers
// too.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

namespace pawl::shifted {

/// Two numbers in one register, from and to any address. They are copied: a reference to a vector says that its address
/// is a multiple of sixteen, whatever its type says (clang takes it at that word).
using Two = double __attribute__((vector_size(16)));
inline Two two(const double* at) {
  Two value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
class TwoPlace {
 public:
  explicit TwoPlace(double* at) : at_(at) {}
  Two value() const { return two(static_cast<const double*>(at_)); }
  operator Two() const { return value(); }  // NOLINT(google-explicit-constructor): stands for what is there
  Two operator*(double factor) const { return value() * factor; }
  // NOLINTNEXTLINE(misc-unconventional-assign-operator): it is written through, and assignments are not read on
  void operator=(Two all) const { std::memcpy(at_, &all, sizeof all); }
  void operator-=(Two all) const { *this = value() - all; }
  void operator*=(double factor) const { *this = value() * factor; }

 private:
  double* at_;
};
inline TwoPlace two(double* at) {
  return TwoPlace(at);
}

class PlainComplex {
 public:
  PlainComplex() = default;
  PlainComplex(double re, double im) : parts_{re, im} {}
  double re() const { return parts_[0]; }
  double im() const { return parts_[1]; }

  friend PlainComplex operator-(PlainComplex a, PlainComplex b) { return PlainComplex(a.parts_ - b.parts_); }
  friend PlainComplex operator*(PlainComplex a, PlainComplex b) {
    const Parts re{a.parts_[0], a.parts_[0]}, im{-a.parts_[1], a.parts_[1]}, turned{b.parts_[1], b.parts_[0]};
    return PlainComplex(re * b.parts_ + im * turned);
  }

 private:
  using Parts = double __attribute__((vector_size(16)));
  explicit PlainComplex(Parts parts) : parts_(parts) {}
  Parts parts_{};
};

/// What pivots are compared by.
inline double pivot_size(double a) {
  return std::abs(a);
}
inline double pivot_size(PlainComplex a) {
  return std::abs(a.re()) + std::abs(a.im());
}
/// False also for a NaN, and for a number whose inverse is infinite.
inline bool is_usable_pivot(double size) {
  return size >= std::numeric_limits<double>::min() && size <= std::numeric_limits<double>::max();
}

inline double inverse(double a) {
  return 1 / a;
}
/// Without overflow where the square would.
inline PlainComplex inverse(PlainComplex a) {
  double re = a.re(), im = a.im(), scale = 1;
  double square = re * re + im * im;
  if (!(square > 1e-280 && square < 1e280)) {
    scale = 1 / pivot_size(a);
    re *= scale;
    im *= scale;
    square = re * re + im * im;
  }
  const double factor = scale / square;
  return {re * factor, -im * factor};
}

}  // namespace pawl::shifted
