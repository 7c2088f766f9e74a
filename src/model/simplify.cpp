// How nodes are made: literals are folded, what needs no operation makes none, and commuting operands get one order.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "pawl/model/graph.hpp"
#include "pawl/scalar.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::neg:
      return -a;
    case Op::sqr:
      return sqr(a);
    case Op::sqrt:
      return sqrt(a);
    case Op::cbrt:
      return cbrt(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::abs:
      return abs(a);
    case Op::negation:
      return a == 0 ? 1 : 0;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::atan2:
      return atan2(a, b);
    case Op::hypot:
      return hypot(a, b);
    case Op::pow:
      return pow(a, b);
    case Op::min:
      return min(a, b);
    case Op::max:
      return max(a, b);
    case Op::less:
      return a < b ? 1 : 0;
    case Op::less_equal:
      return a <= b ? 1 : 0;
    case Op::equal:
      return a == b ? 1 : 0;
    case Op::both:
      return a != 0 && b != 0 ? 1 : 0;
    case Op::either:
      return a != 0 || b != 0 ? 1 : 0;
    case Op::select:
      return select(a, b, c);
    case Op::choose:
      return a != 0 ? b : c;
    default:
      throw Misuse(fmt::format("'{}' has no operands", word_of(op)));
  }
}

int Graph::unary(Op op, int a) {
  check(a);
  if (!is_unary(op)) throw Misuse(fmt::format("'{}' is no function of one operand", word_of(op)));
  if (is_logic(op)) return make_logic(op, a, a);
  if (is_constant(a)) return constant(apply(op, value_of(a)));
  const Node n = (*this)[a];
  if (op == Op::neg && n.op == Op::neg) return n.a;
  if (op == Op::neg && n.op == Op::sub) return make_difference(n.b, n.a);
  if ((op == Op::sqr || op == Op::abs) && n.op == Op::neg) return unary(op, n.a);
  if (op == Op::abs && (n.op == Op::abs || n.op == Op::sqr)) return a;
  return intern({op, a});
}

int Graph::binary(Op op, int a, int b) {
  check(a);
  check(b);
  if (!is_binary(op)) throw Misuse(fmt::format("'{}' is no function of two operands", word_of(op)));
  if (is_logic(op)) return make_logic(op, a, b);
  if (is_constant(a) && is_constant(b)) return constant(apply(op, value_of(a), value_of(b)));
  switch (op) {
    case Op::add:
      return make_sum(a, b);
    case Op::sub:
      return make_difference(a, b);
    case Op::mul:
      return make_product(a, b);
    case Op::div:
      return make_quotient(a, b);
    case Op::pow:
      return make_power(a, b);
    case Op::min:
    case Op::max:
      return a == b ? a : intern({op, a, b});
    default:
      return intern({op, a, b});
  }
}

int Graph::make_sum(int a, int b) {
  if (is_value(a, 0)) return b;
  if (is_value(b, 0)) return a;
  if (is_negated(b)) return make_difference(a, (*this)[b].a);
  if (is_negated(a)) return make_difference(b, (*this)[a].a);
  if (is_moving(a) == is_moving(b) ? b < a : is_moving(a)) std::swap(a, b);
  return intern({Op::add, a, b});
}

int Graph::make_difference(int a, int b) {
  if (a == b) return constant(0);
  if (is_constant(a) && is_constant(b)) return constant(value_of(a) - value_of(b));
  if (is_value(b, 0)) return a;
  if (is_value(a, 0)) return unary(Op::neg, b);
  if (is_negated(b)) return make_sum(a, (*this)[b].a);
  if (is_negated(a)) return unary(Op::neg, make_sum((*this)[a].a, b));
  return intern({Op::sub, a, b});
}

int Graph::make_product(int a, int b) {
  if (is_value(a, 0) || is_value(b, 0)) return constant(0);
  if (is_value(a, 1)) return b;
  if (is_value(b, 1)) return a;
  if (is_value(a, -1)) return unary(Op::neg, b);
  if (is_value(b, -1)) return unary(Op::neg, a);
  if (is_negated(a)) return unary(Op::neg, binary(Op::mul, (*this)[a].a, b));
  if (is_negated(b)) return unary(Op::neg, binary(Op::mul, a, (*this)[b].a));
  if (a == b) return intern({Op::sqr, a});
  if (is_moving(a) == is_moving(b) ? b < a : is_moving(a)) std::swap(a, b);
  return intern({Op::mul, a, b});
}

int Graph::make_quotient(int a, int b) {
  if (is_value(b, 1)) return a;
  if (is_value(b, -1)) return unary(Op::neg, a);
  if (is_value(a, 0)) return a;
  if (is_negated(a)) return unary(Op::neg, binary(Op::div, (*this)[a].a, b));
  if (is_negated(b)) return unary(Op::neg, binary(Op::div, a, (*this)[b].a));
  return intern({Op::div, a, b});
}

int Graph::make_power(int a, int b) {
  if (is_value(b, 0)) return constant(1);
  if (is_value(b, 1)) return a;
  if (is_value(b, 2)) return unary(Op::sqr, a);
  return intern({Op::pow, a, b});
}

int Graph::make_logic(Op op, int a, int b) {
  if (is_moving(a) || is_moving(b)) {
    throw Misuse(fmt::format(
        "'{}' in '{}' compares something that moves: its truth would change where no event can see it. Declare a "
        "condition and read its truth, or take one of two values with select(g, where_positive, otherwise)",
        word_of(op), text(is_moving(a) ? a : b)));
  }
  if (is_constant(a) && is_constant(b)) return constant(apply(op, value_of(a), value_of(b)));
  if (op == Op::negation) return intern({op, a});
  if (commutes(op) && b < a) std::swap(a, b);
  return intern({op, a, b});
}

int Graph::select(int g, int where_positive, int otherwise) {
  check(g);
  check(where_positive);
  check(otherwise);
  if (where_positive == otherwise) return otherwise;
  if (!is_moving(g)) return choose(binary(Op::less, constant(0), g), where_positive, otherwise);
  return intern({Op::select, g, where_positive, otherwise});
}

int Graph::choose(int truth, int then, int otherwise) {
  check(truth);
  check(then);
  check(otherwise);
  if (is_moving(truth)) {
    throw Misuse(fmt::format(
        "choose(...) takes a held truth, and '{}' moves. Declare a condition and read its truth, or take one of two "
        "values with select(g, where_positive, otherwise)",
        text(truth)));
  }
  if (is_constant(truth)) return value_of(truth) != 0 ? then : otherwise;
  if ((*this)[truth].op == Op::negation) return choose((*this)[truth].a, otherwise, then);
  if ((*this)[then].op == Op::choose && (*this)[then].a == truth) then = (*this)[then].b;
  if ((*this)[otherwise].op == Op::choose && (*this)[otherwise].a == truth) otherwise = (*this)[otherwise].c;
  if (then == otherwise) return then;
  return intern({Op::choose, truth, then, otherwise});
}

}  // namespace pawl::model
