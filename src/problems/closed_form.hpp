// What the closed forms of the catalogue share. They are evaluated in extended precision, so that the references keep
// 16 digits over many events.
#pragma once

#include <initializer_list>
#include <vector>

namespace pawl::problems {

using Real = long double;

inline std::vector<double> rounded(std::initializer_list<Real> parts) {
  std::vector<double> state;
  for (const Real part : parts) state.push_back(static_cast<double>(part));
  return state;
}

/// The zero of f between a and b, where f has opposite signs.
template <class F>
Real zero_between(F f, Real a, Real b) {
  const bool is_rising = f(a) < 0;
  for (Real middle = (a + b) / 2; middle != a && middle != b; middle = (a + b) / 2)
    ((f(middle) < 0) == is_rising ? a : b) = middle;
  return b;
}

/// The last piece of a motion that begins at or before t, its first if there is none. Pieces have a time t each.
template <class Piece>
const Piece& piece_at(const std::vector<Piece>& pieces, Real t) {
  std::size_t i = 0;
  while (i + 1 < pieces.size() && pieces[i + 1].t <= t) ++i;
  return pieces[i];
}

/// Where pieces after the first begin, up to `end`.
template <class Piece>
std::vector<double> beginnings(const std::vector<Piece>& pieces, double end) {
  std::vector<double> times;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (static_cast<double>(pieces[i].t) <= end) times.push_back(static_cast<double>(pieces[i].t));
  }
  return times;
}

}  // namespace pawl::problems
