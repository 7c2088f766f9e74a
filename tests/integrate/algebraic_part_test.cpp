// Which equations hold no rates, and which unknowns they determine: rows and columns of zeros, or combinations, the
// same ones in all units.
#include "integrate/algebraic_part.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

using formulate::Role;

MatrixPair dense(int size, std::vector<double> M) {
  MatrixPair made;
  made.size = size;
  made.J.assign(static_cast<std::size_t>(size * size), 0.0);
  made.M = std::move(M);
  return made;
}

TEST(AlgebraicPart, IsRowsAndColumnsOfZeros) {
  AlgebraicPart part;
  const MatrixPair matrices = dense(3, {2, 0, 0, 1, 3, 0, 0, 0, 0});  // column after column
  ASSERT_TRUE(part.find(matrices, {Role{}, Role{}, Role{.is_differential = false, .index = 1}}, true));
  std::vector<double> residual{1, 2, 3}, change{4, 5, 6};
  part.take_equations(residual.data(), residual.data());
  part.keep_unknowns(change.data());
  EXPECT_EQ(residual, (std::vector<double>{0, 0, 3}));
  EXPECT_EQ(change, (std::vector<double>{0, 0, 6}));
}

// Rates of y0 - y1 alone, in rows that differ by their sign: the sum of both rows, and what moves both unknowns alike.
TEST(AlgebraicPart, IsCombinationsInTheUnitsTheyHave) {
  for (const double row : {1.0, 1e12}) {
    for (const double column : {1.0, 1e-9}) {  // units of the second row and unknown
      AlgebraicPart part;
      const MatrixPair matrices = dense(3, {1, -row, 0, -column, row * column, 0, 0, 0, 1});
      ASSERT_TRUE(part.find(matrices, {Role{.is_bound = true}, Role{.is_bound = true}, Role{}}, true));
      std::vector<double> residual{3, 5 * row, 7}, change{2, 4 / column, 9};
      part.take_equations(residual.data(), residual.data());
      part.keep_unknowns(change.data());
      EXPECT_NEAR(residual[0] + residual[1] / row, 8, 1e-14);
      EXPECT_NEAR(residual[2], 0, 1e-14);
      EXPECT_NEAR(change[0], change[1] * column, 1e-14);  // M does not see it
      std::vector<double> again = change;
      part.keep_unknowns(again.data());
      EXPECT_NEAR(again[0], change[0], 1e-14);
      EXPECT_NEAR(change[2], 0, 1e-14);
    }
  }
}

TEST(AlgebraicPart, IsNotThereWhereAllRatesAre) {
  AlgebraicPart part;
  EXPECT_FALSE(part.find(dense(2, {2, 1, 1, 3}), {Role{}, Role{}}, true));
  EXPECT_FALSE(part.find(dense(2, {}), {Role{}, Role{}}, true));  // M is the identity
}

TEST(AlgebraicPart, IsNotKnownWhereCombinationsMayVary) {
  AlgebraicPart part;
  EXPECT_FALSE(part.find(dense(2, {1, -1, -1, 1}), {Role{.is_bound = true}, Role{.is_bound = true}}, false));
}

}  // namespace
}  // namespace pawl
