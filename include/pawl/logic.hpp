// Logic: propositions over conditions and discrete variables, evaluated on what is held.
//
//   circuit.decide(on, (on && forward_current) || (!on && forward_voltage));
//   ball.guard(...).only_when(!resting);      motor.guard(...).only_when(gear == Gear::second);
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "pawl/held.hpp"

namespace pawl {

class Logic {
 public:
  Logic() = default;                                                       ///< always true
  Logic(Condition c) : Logic(Kind::condition, c.index, 1, c.model) {}      // NOLINT: a condition is a proposition
  Logic(Discrete<bool> d) : Logic(Kind::discrete, d.index, 1, d.model) {}  // NOLINT: so is a truth
  static Logic equals(int discrete, int value, int model = 0) { return {Kind::discrete, discrete, value, model}; }
  static Logic has_sign(Relation r, int sign) { return {Kind::relation, r.index, sign, r.model}; }

  bool holds(const Held& held) const;
  /// Throws Misuse where it asks for what is not held there: a condition or variable of another system.
  void check(const Held& held) const;
  bool is_always_true() const { return node_ == nullptr; }
  /// The proposition in words, with the names of conditions and discrete variables.
  std::string describe(const std::vector<std::string>& condition_names,
                       const std::vector<std::string>& discrete_names) const;

  static Logic negation(const Logic& x);
  static Logic both(const Logic& x, const Logic& y);
  static Logic either(const Logic& x, const Logic& y);

 private:
  enum class Kind { never, condition, relation, discrete, negation, both, either };
  struct Node {
    Kind kind;
    int index, value;
    int model;  ///< whose condition or variable; 0: not known
    std::shared_ptr<const Node> left, right;
  };
  Logic(Kind kind, int index, int value, int model);
  static bool holds(const Node& node, const Held& held);
  static void check(const Node& node, const Held& held);

  std::shared_ptr<const Node> node_;
};

namespace detail {
template <class P>
concept Proposition = std::is_same_v<P, Logic> || std::is_same_v<P, Condition> || std::is_same_v<P, Discrete<bool>>;
/// The literal 0: a relation is compared with nothing else.
struct LiteralZero {
  consteval LiteralZero(int zero) {  // NOLINT: it stands for 0
    if (zero != 0) throw "pawl: a relation is compared with 0: put the difference into its function";
  }
};
}  // namespace detail

template <detail::Proposition P>
Logic operator!(const P& x) {
  return Logic::negation(x);
}
template <detail::Proposition P, detail::Proposition Q>
Logic operator&&(const P& x, const Q& y) {
  return Logic::both(x, y);
}
template <detail::Proposition P, detail::Proposition Q>
Logic operator||(const P& x, const Q& y) {
  return Logic::either(x, y);
}
inline Logic operator>(Relation r, detail::LiteralZero) {
  return Logic::has_sign(r, 1);
}
inline Logic operator<(Relation r, detail::LiteralZero) {
  return Logic::has_sign(r, -1);
}
inline Logic operator==(Relation r, detail::LiteralZero) {
  return Logic::has_sign(r, 0);
}
inline Logic operator!=(Relation r, detail::LiteralZero) {
  return Logic::negation(Logic::has_sign(r, 0));
}
inline Logic operator>=(Relation r, detail::LiteralZero) {
  return Logic::negation(Logic::has_sign(r, -1));
}
inline Logic operator<=(Relation r, detail::LiteralZero) {
  return Logic::negation(Logic::has_sign(r, 1));
}
/// An enum or int has this value.
template <class E>
Logic operator==(Discrete<E> d, std::type_identity_t<E> value) {
  static_assert(!std::is_same_v<E, double>, "pawl: a held real is no proposition: use a condition");
  static_assert(detail::is_mode<E>, "pawl: only a bool, an int or an enum can be compared in a proposition");
  return Logic::equals(d.index, static_cast<int>(value), d.model);
}
template <class E>
Logic operator!=(Discrete<E> d, std::type_identity_t<E> value) {
  return Logic::negation(d == value);
}

}  // namespace pawl
