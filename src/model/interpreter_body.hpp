// The one loop behind interpret(), instantiated per scalar in interpreter.cpp. Every instruction jumps to the next by
// its own indirect jump (computed goto), which processors predict better than one jump that all share.
#pragma once

#include <cstdlib>
#include <type_traits>

#include "model/arithmetic.hpp"
#include "model/interpreter.hpp"
#include "model/opcodes.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values

namespace pawl::model {

template <class T>
inline constexpr bool is_small = std::is_same_v<T, double> || std::is_same_v<T, Gradient> ||
                                 std::is_same_v<T, Pattern> || std::is_same_v<T, Jet<double>>;

template <class T>
T truth_of(bool holds) {
  if constexpr (std::is_same_v<T, double>) {
    return holds ? 1 : 0;
  } else {
    std::abort();  // truths are held, and what is held is computed with numbers
  }
}
template <class T>
double number_of(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    std::abort();
  }
}

template <class T>
void interpret(const std::uint32_t* code, T* m, const double* h, const T* x, T* out) {
  using A = std::conditional_t<is_small<T>, Arithmetic<T>, CalledArithmetic<T>>;

#define PAWL_MODEL_LABEL_1(op) &&do_##op##_m, &&do_##op##_x,
#define PAWL_MODEL_LABEL_2(op, a, b) &&do_##op##_##a##b,
#define PAWL_MODEL_LABEL_3(op, a, b, c) &&do_##op##_##a##b##c,
#define PAWL_MODEL_LABEL_PLAIN(op) &&do_##op##_mm,
#define PAWL_MODEL_LABEL_TWO(op, a, b) &&do_##op##_h##a##_h##b,
  static const void* const labels[] = {
      &&do_halt,
      &&do_jump,
      &&do_jump_unless,
      &&do_copy_m,
      &&do_copy_h,
      &&do_copy_x,
      &&do_store_m,
      &&do_store_h,
      &&do_store_x,
      &&do_select_mmm,
      &&do_pow_mh,
      &&do_negation_m,
      PAWL_MODEL_UNARY(PAWL_MODEL_LABEL_1) PAWL_MODEL_BINARY(PAWL_MODEL_LABEL_2)
          PAWL_MODEL_PLAIN(PAWL_MODEL_LABEL_PLAIN) PAWL_MODEL_LOGIC(PAWL_MODEL_LABEL_PLAIN)
              PAWL_MODEL_FUSED(PAWL_MODEL_LABEL_3) PAWL_MODEL_TWO_PRODUCTS(PAWL_MODEL_LABEL_TWO)
                  PAWL_MODEL_SUMS(PAWL_MODEL_LABEL_3)};

// NOLINTBEGIN(bugprone-macro-parentheses): files, operators and truths are what these are given
#define PAWL_MODEL_NEXT goto* labels[*pc & 255]
#define PAWL_MODEL_DO(label, file, value, words) \
  do_##label : {                                 \
    file[*pc >> 8] = value;                      \
    pc += words;                                 \
    PAWL_MODEL_NEXT;                             \
  }

  const std::uint32_t* pc = code;
  PAWL_MODEL_NEXT;

do_halt:
  return;
do_jump:
  pc = code + pc[1];
  PAWL_MODEL_NEXT;
do_jump_unless:
  pc = h[pc[1]] != 0 ? pc + 3 : code + pc[2];
  PAWL_MODEL_NEXT;

  PAWL_MODEL_DO(copy_m, m, m[pc[1]], 2)
  PAWL_MODEL_DO(copy_h, m, T(h[pc[1]]), 2)
  PAWL_MODEL_DO(copy_x, m, x[pc[1]], 2)
  PAWL_MODEL_DO(store_m, out, m[pc[1]], 2)
  PAWL_MODEL_DO(store_h, out, T(h[pc[1]]), 2)
  PAWL_MODEL_DO(store_x, out, x[pc[1]], 2)
  PAWL_MODEL_DO(select_mmm, m, select(m[pc[1]], m[pc[2]], m[pc[3]]), 4)
  PAWL_MODEL_DO(pow_mh, m, pow(m[pc[1]], h[pc[2]]), 3)
  PAWL_MODEL_DO(negation_m, m, truth_of<T>(number_of(m[pc[1]]) == 0), 2)

#define neg(a) (-(a))
#define PAWL_MODEL_BODY_1(op) PAWL_MODEL_DO(op##_m, m, op(m[pc[1]]), 2) PAWL_MODEL_DO(op##_x, m, op(x[pc[1]]), 2)
  PAWL_MODEL_UNARY(PAWL_MODEL_BODY_1)
#undef neg

#define PAWL_MODEL_BODY_2(op, a, b) PAWL_MODEL_DO(op##_##a##b, m, A::op(a[pc[1]], b[pc[2]]), 3)
  PAWL_MODEL_BINARY(PAWL_MODEL_BODY_2)

#define PAWL_MODEL_BODY_PLAIN(op) PAWL_MODEL_DO(op##_mm, m, op(m[pc[1]], m[pc[2]]), 3)
  PAWL_MODEL_PLAIN(PAWL_MODEL_BODY_PLAIN)

#define PAWL_MODEL_TRUTH(label, relation) \
  PAWL_MODEL_DO(label##_mm, m, truth_of<T>(number_of(m[pc[1]]) relation number_of(m[pc[2]])), 3)
  PAWL_MODEL_TRUTH(less, <)
  PAWL_MODEL_TRUTH(less_equal, <=)
  PAWL_MODEL_TRUTH(equal, ==)
  PAWL_MODEL_TRUTH(both, != 0 && 0 !=)
  PAWL_MODEL_TRUTH(either, != 0 || 0 !=)

#define mul_add(a, b, c) A::add(A::mul(a, b), c)
#define mul_sub(a, b, c) A::sub(A::mul(a, b), c)
#define sub_mul(a, b, c) A::sub(c, A::mul(a, b))
#define add_add(a, b, c) A::add(A::add(a, b), c)
#define add_sub(a, b, c) A::sub(A::add(a, b), c)
#define sub_add(a, b, c) A::add(A::sub(a, b), c)
#define sub_sub(a, b, c) A::sub(A::sub(a, b), c)
#define from_add(a, b, c) A::sub(c, A::add(a, b))
#define from_sub(a, b, c) A::sub(c, A::sub(a, b))
#define PAWL_MODEL_BODY_3(op, a, b, c) PAWL_MODEL_DO(op##_##a##b##c, m, op(a[pc[1]], b[pc[2]], c[pc[3]]), 4)
  PAWL_MODEL_FUSED(PAWL_MODEL_BODY_3)
  PAWL_MODEL_SUMS(PAWL_MODEL_BODY_3)
#define PAWL_MODEL_BODY_TWO(op, a, b) \
  PAWL_MODEL_DO(op##_h##a##_h##b, m, A::op(A::mul(h[pc[1]], a[pc[2]]), A::mul(h[pc[3]], b[pc[4]])), 5)
  PAWL_MODEL_TWO_PRODUCTS(PAWL_MODEL_BODY_TWO)

// NOLINTEND(bugprone-macro-parentheses)
#undef mul_add
#undef mul_sub
#undef sub_mul
#undef add_add
#undef add_sub
#undef sub_add
#undef sub_sub
#undef from_add
#undef from_sub
#undef PAWL_MODEL_BODY_1
#undef PAWL_MODEL_BODY_2
#undef PAWL_MODEL_BODY_3
#undef PAWL_MODEL_BODY_PLAIN
#undef PAWL_MODEL_BODY_TWO
#undef PAWL_MODEL_TRUTH
#undef PAWL_MODEL_DO
#undef PAWL_MODEL_NEXT
#undef PAWL_MODEL_LABEL_1
#undef PAWL_MODEL_LABEL_2
#undef PAWL_MODEL_LABEL_3
#undef PAWL_MODEL_LABEL_PLAIN
#undef PAWL_MODEL_LABEL_TWO
}

}  // namespace pawl::model

#pragma GCC diagnostic pop
