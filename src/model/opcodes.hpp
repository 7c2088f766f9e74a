// The instructions of a program. A word is opcode | destination << 8; a word for each operand follows. The opcode says
// in which file each operand is: m, moving temporaries; h, held numbers; x, states.
//
// The lists below are the only place where instructions are named: the interpreter makes a label of each, in this
// order. Instructions that do two operations round twice, as written.
#pragma once

#include <cstdint>

// clang-format off
// One operand, in m or x.
#define PAWL_MODEL_UNARY(F) \
  F(neg) F(sqr) F(sqrt) F(cbrt) F(exp) F(log) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(abs)
// Two operands, of which at most one is held; where they commute it is the first. Both orders of two that move, because
// the product of jets rounds differently.
#define PAWL_MODEL_PAIRS(F, op) F(op, h, m) F(op, h, x) F(op, m, m) F(op, m, x) F(op, x, m) F(op, x, x)
#define PAWL_MODEL_ORDERED_PAIRS(F, op) PAWL_MODEL_PAIRS(F, op) F(op, m, h) F(op, x, h)
#define PAWL_MODEL_BINARY(F)                            \
  PAWL_MODEL_PAIRS(F, add) PAWL_MODEL_PAIRS(F, mul)     \
  PAWL_MODEL_ORDERED_PAIRS(F, sub) PAWL_MODEL_ORDERED_PAIRS(F, div)
// Two operands in m.
#define PAWL_MODEL_PLAIN(F) F(atan2) F(hypot) F(pow) F(min) F(max)
// Truths, of numbers in m.
#define PAWL_MODEL_LOGIC(F) F(less) F(less_equal) F(equal) F(both) F(either)
// A product, and then with something else: a b + c, a b - c, c - a b.
#define PAWL_MODEL_PRODUCTS_WITH(F, op, c) \
  F(op, h, m, c) F(op, h, x, c) F(op, m, m, c) F(op, m, x, c) F(op, x, m, c) F(op, x, x, c)
#define PAWL_MODEL_PRODUCT_AND(F, op) \
  PAWL_MODEL_PRODUCTS_WITH(F, op, h) PAWL_MODEL_PRODUCTS_WITH(F, op, m) PAWL_MODEL_PRODUCTS_WITH(F, op, x)
#define PAWL_MODEL_FUSED(F) \
  PAWL_MODEL_PRODUCT_AND(F, mul_add) PAWL_MODEL_PRODUCT_AND(F, mul_sub) PAWL_MODEL_PRODUCT_AND(F, sub_mul)
// h a + h b and h a - h b.
#define PAWL_MODEL_TWO_PRODUCTS(F) \
  F(add, m, m) F(add, m, x) F(add, x, m) F(add, x, x) F(sub, m, m) F(sub, m, x) F(sub, x, m) F(sub, x, x)
// (a + b) + c, (a + b) - c, c - (a + b) and the same with a - b.
#define PAWL_MODEL_THREE(F, op)                                                                               \
  F(op, m, m, m) F(op, m, m, x) F(op, m, x, m) F(op, m, x, x) F(op, x, m, m) F(op, x, m, x) F(op, x, x, m) \
  F(op, x, x, x)
#define PAWL_MODEL_SUMS(F)                                                                     \
  PAWL_MODEL_THREE(F, add_add) PAWL_MODEL_THREE(F, add_sub) PAWL_MODEL_THREE(F, sub_add)       \
  PAWL_MODEL_THREE(F, sub_sub) PAWL_MODEL_THREE(F, from_add) PAWL_MODEL_THREE(F, from_sub)
// clang-format on

namespace pawl::model {

enum class File : std::uint8_t { h, m, x };

#define PAWL_MODEL_NAME_1(op) op##_m, op##_x,
#define PAWL_MODEL_NAME_2(op, a, b) op##_##a##b,
#define PAWL_MODEL_NAME_3(op, a, b, c) op##_##a##b##c,
#define PAWL_MODEL_NAME_PLAIN(op) op##_mm,
#define PAWL_MODEL_NAME_TWO(op, a, b) op##_h##a##_h##b,

enum class Code : std::uint8_t {
  halt,
  jump,         ///< to the word given
  jump_unless,  ///< to the word given, where the held truth does not hold
  copy_m,
  copy_h,
  copy_x,
  store_m,
  store_h,
  store_x,
  select_mmm,
  pow_mh,
  negation_m,
  PAWL_MODEL_UNARY(PAWL_MODEL_NAME_1) PAWL_MODEL_BINARY(PAWL_MODEL_NAME_2) PAWL_MODEL_PLAIN(PAWL_MODEL_NAME_PLAIN)
      PAWL_MODEL_LOGIC(PAWL_MODEL_NAME_PLAIN) PAWL_MODEL_FUSED(PAWL_MODEL_NAME_3)
          PAWL_MODEL_TWO_PRODUCTS(PAWL_MODEL_NAME_TWO) PAWL_MODEL_SUMS(PAWL_MODEL_NAME_3) count
};

#undef PAWL_MODEL_NAME_1
#undef PAWL_MODEL_NAME_2
#undef PAWL_MODEL_NAME_3
#undef PAWL_MODEL_NAME_PLAIN
#undef PAWL_MODEL_NAME_TWO

static_assert(static_cast<int>(Code::count) < 256);

}  // namespace pawl::model
