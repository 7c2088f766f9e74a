// c M - J, factored and solved: every kind against the definition, and against each other.
#include "numerics/shifted_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace {
std::atomic<long long> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace pawl {
namespace {

using Complex = std::complex<double>;

class Generator {
 public:
  double number() { return normal_(engine_); }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = number();
    return values;
  }
  std::vector<int> permutation(int n) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine_);
    return order;
  }

 private:
  std::mt19937 engine_{20240229};
  std::normal_distribution<double> normal_;
};

MatrixPair dense_pair(int n, bool has_mass, Generator& random) {
  MatrixPair pair;
  pair.size = n;
  pair.J = random.numbers(static_cast<std::size_t>(n) * n);
  if (has_mass) pair.M = random.numbers(static_cast<std::size_t>(n) * n);
  return pair;
}

// The entries (i, j) for which is_there(i, j), and the diagonal.
template <class IsThere>
MatrixPair sparse_pair(int n, bool has_mass, const IsThere& is_there, Generator& random) {
  MatrixPair pair;
  pair.size = n;
  pair.is_sparse = true;
  for (int j = 0; j < n; ++j) {
    pair.first.push_back(static_cast<int>(pair.row.size()));
    for (int i = 0; i < n; ++i) {
      if (i == j || is_there(i, j)) pair.row.push_back(i);
    }
  }
  pair.first.push_back(static_cast<int>(pair.row.size()));
  pair.J = random.numbers(pair.row.size());
  if (has_mass) pair.M = random.numbers(pair.row.size());
  return pair;
}

// A triangle gets a heavier diagonal: the condition number of a random one grows exponentially with its size.
MatrixPair band_pair(int n, int lower, int upper, bool has_mass, Generator& random) {
  MatrixPair pair = sparse_pair(
      n, has_mass, [=](int i, int j) { return i - j <= lower && j - i <= upper; }, random);
  for (int j = 0; j < n && (lower == 0 || upper == 0); ++j) {
    for (int e = pair.first[j]; e < pair.first[j + 1]; ++e) pair.J[e] += pair.row[e] == j ? 20 : 0;
  }
  return pair;
}

// (c M - J) x, and |c M - J| |x| row by row, which rounding errors are measured by.
template <class Number>
void multiply(const MatrixPair& pair, Number c, const std::vector<Number>& x, std::vector<Number>& product,
              std::vector<double>& size) {
  product.assign(pair.size, Number{});
  size.assign(pair.size, 0);
  for (int j = 0; j < pair.size; ++j) {
    const int begin = pair.is_sparse ? pair.first[j] : j * pair.size;
    const int end = pair.is_sparse ? pair.first[j + 1] : begin + pair.size;
    for (int e = begin; e < end; ++e) {
      const int i = pair.is_sparse ? pair.row[e] : e - begin;
      const double mass = pair.M.empty() ? (i == j ? 1 : 0) : pair.M[e];
      const Number entry = c * mass - pair.J[e];
      product[i] += entry * x[j];
      size[i] += std::abs(entry) * std::abs(x[j]);
    }
  }
}

// The largest |(c M - J) x - b| over the largest |c M - J| |x|: the normwise backward error, a small multiple of n eps.
template <class Number>
double backward_error(const MatrixPair& pair, Number c, const std::vector<Number>& x, const std::vector<Number>& b) {
  std::vector<Number> product;
  std::vector<double> size;
  multiply(pair, c, x, product, size);
  double error = 0;
  for (int i = 0; i < pair.size; ++i) {
    if (!(std::abs(product[i] - b[i]) <= error)) error = std::abs(product[i] - b[i]);
  }
  return error / *std::max_element(size.begin(), size.end());
}

std::vector<double> solve_real(ShiftedSystem& system, int slot, std::vector<double> b) {
  system.solve(slot, b.data());
  return b;
}

std::vector<Complex> solve_complex(ShiftedSystem& system, int slot, const std::vector<Complex>& b) {
  std::vector<double> re(b.size()), im(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) re[i] = b[i].real(), im[i] = b[i].imag();
  system.solve(slot, re.data(), im.data());
  std::vector<Complex> x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) x[i] = {re[i], im[i]};
  return x;
}

std::vector<Complex> complex_numbers(int n, Generator& random) {
  std::vector<Complex> values(n);
  for (Complex& value : values) value = {random.number(), random.number()};
  return values;
}

// Factors all slots first and solves with all of them after, so that slots that share anything are seen.
void expect_solves(const MatrixPair& pair, LinearSolver kind, Generator& random) {
  const auto system = make_shifted_system(pair, 2, 2, kind);
  SCOPED_TRACE(system->describe() + (pair.M.empty() ? "" : ", with mass"));
  const double tolerance = 1e-13 * std::max(8, pair.size);
  for (int round = 0; round < 2; ++round) {
    const double c[] = {1.25 + round, -0.5};
    const Complex z[] = {{0.75, 2.0 + round}, {-1.5, 0.25}};
    for (int slot = 0; slot < 2; ++slot) {
      ASSERT_TRUE(system->factor(slot, c[slot]));
      ASSERT_TRUE(system->factor(slot, z[slot]));
    }
    for (int slot = 0; slot < 2; ++slot) {
      const std::vector<double> b = random.numbers(pair.size);
      EXPECT_LT(backward_error(pair, c[slot], solve_real(*system, slot, b), b), tolerance);
      const std::vector<Complex> d = complex_numbers(pair.size, random);
      EXPECT_LT(backward_error(pair, z[slot], solve_complex(*system, slot, d), d), tolerance);
    }
  }
}

TEST(ShiftedSystem, SolvesDenseMatricesOfEverySize) {
  Generator random;
  std::vector<int> sizes(40);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {100, 201, 300});
  for (const int n : sizes) {
    for (const bool has_mass : {false, true}) {
      expect_solves(dense_pair(n, has_mass, random), LinearSolver::automatic, random);
      if (n % 9 == 1 && n < 100) {
        expect_solves(dense_pair(n, has_mass, random), LinearSolver::band, random);
        expect_solves(dense_pair(n, has_mass, random), LinearSolver::sparse, random);
      }
    }
  }
}

TEST(ShiftedSystem, SolvesBandsOfEveryWidthWithEveryKind) {
  Generator random;
  for (const int n : {1, 2, 3, 7, 18, 33, 70}) {
    for (const int lower : {0, 1, 2, 3, 4, 5, 9}) {
      for (const int upper : {0, 2, 4, 7}) {
        for (const bool has_mass : {false, true}) {
          const MatrixPair pair = band_pair(n, lower, upper, has_mass, random);
          for (LinearSolver kind :
               {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse, LinearSolver::automatic})
            expect_solves(pair, kind, random);
        }
      }
    }
  }
}

TEST(ShiftedSystem, KindsAgree) {
  Generator random;
  MatrixPair pair = band_pair(80, 3, 2, true, random);
  for (int j = 0; j < pair.size; ++j) {  // dominant diagonals: a small condition number
    for (int e = pair.first[j]; e < pair.first[j + 1]; ++e) {
      if (pair.row[e] == j) pair.J[e] -= 20;
    }
  }
  const Complex z{0.5, 1};
  const std::vector<double> b = random.numbers(pair.size);
  const std::vector<Complex> d = complex_numbers(pair.size, random);
  std::vector<double> x;
  std::vector<Complex> y;
  for (LinearSolver kind : {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse}) {
    const auto system = make_shifted_system(pair, 1, 1, kind);
    ASSERT_TRUE(system->factor(0, 0.5) && system->factor(0, z));
    const std::vector<double> next = solve_real(*system, 0, b);
    const std::vector<Complex> after = solve_complex(*system, 0, d);
    for (int i = 0; i < pair.size && !x.empty(); ++i) {
      EXPECT_NEAR(next[i], x[i], 1e-14) << to_string(kind);
      EXPECT_NEAR(std::abs(after[i] - y[i]), 0, 1e-14) << to_string(kind);
    }
    x = next;
    y = after;
  }
}

TEST(ShiftedSystem, FollowsTheValuesOfTheMatrices) {
  Generator random;
  for (LinearSolver kind : {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse}) {
    SCOPED_TRACE(to_string(kind));
    MatrixPair pair = band_pair(50, 2, 2, true, random);
    const auto system = make_shifted_system(pair, 1, 1, kind);
    for (int round = 0; round < 5; ++round) {
      // The third values make every pivot of the second ones useless.
      const double spread = round == 2 ? 12 : 0;
      for (double& value : pair.J) value = random.number() * std::pow(10, spread * std::sin(7 * value));
      for (double& value : pair.M) value = random.number() * 1e-3;
      ASSERT_TRUE(system->factor(0, 2.0) && system->factor(0, Complex(1, 1)));
      const std::vector<double> b = random.numbers(pair.size);
      EXPECT_LT(backward_error(pair, 2.0, solve_real(*system, 0, b), b), 1e-12);
      const std::vector<Complex> d = complex_numbers(pair.size, random);
      EXPECT_LT(backward_error(pair, Complex(1, 1), solve_complex(*system, 0, d), d), 1e-12);
    }
  }
}

TEST(ShiftedSystem, ATinyPivotIsPassedOver) {
  // [1e-20 1; 1 1] x = [1; 2] has x = [1; 1] but for rounding; without a row exchange x[0] would come out as 0.
  for (LinearSolver kind : {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse}) {
    MatrixPair pair;
    pair.size = 2;
    pair.is_sparse = true;
    pair.first = {0, 2, 4};
    pair.row = {0, 1, 0, 1};
    pair.M = {0, 0, 0, 0};
    pair.J = {-1e-20, -1, -1, -1};
    const auto system = make_shifted_system(pair, 1, 1, kind);
    ASSERT_TRUE(system->factor(0, 1.0) && system->factor(0, Complex(0, 1)));
    const std::vector<double> x = solve_real(*system, 0, {1, 2});
    EXPECT_NEAR(x[0], 1, 1e-15) << to_string(kind);
    EXPECT_NEAR(x[1], 1, 1e-15) << to_string(kind);
    const std::vector<Complex> y = solve_complex(*system, 0, {{0, 1}, {0, 2}});
    EXPECT_NEAR(std::abs(y[0] - Complex(0, 1)), 0, 1e-15) << to_string(kind);
  }
}

TEST(ShiftedSystem, PivotsWhoseSquaresOverflowAreDividedBy) {
  for (const double size : {1e-200, 1e200}) {
    MatrixPair pair;
    pair.size = 1;
    pair.M = {size};
    pair.J = {0};
    const auto system = make_shifted_system(pair, 0, 1);
    ASSERT_TRUE(system->factor(0, Complex(3, 4)));
    const Complex x = solve_complex(*system, 0, {{25 * size, 0}})[0];
    EXPECT_NEAR(std::abs(x - Complex(3, -4)), 0, 1e-14);
  }
}

TEST(ShiftedSystem, AColumnOfZerosIsTheCulprit) {
  Generator random;
  for (LinearSolver kind : {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse}) {
    for (const int n : {1, 2, 3, 4, 5, 11, 16, 17, 40, 201}) {
      SCOPED_TRACE(testing::Message() << to_string(kind) << " " << n);
      for (const int zero : {0, n / 2, n - 1}) {
        MatrixPair pair = band_pair(n, 2, 2, true, random);
        const auto system = make_shifted_system(pair, 1, 1, kind);
        ASSERT_TRUE(system->factor(0, 1.5) && system->factor(0, Complex(1, 1)));
        const MatrixPair good = pair;
        for (int e = pair.first[zero]; e < pair.first[zero + 1]; ++e) pair.J[e] = pair.M[e] = 0;
        EXPECT_FALSE(system->factor(0, 1.5));
        EXPECT_EQ(system->culprit(), zero);
        EXPECT_FALSE(system->factor(0, Complex(1, 1)));
        EXPECT_EQ(system->culprit(), zero);

        pair = good;
        ASSERT_TRUE(system->factor(0, 1.5) && system->factor(0, Complex(1, 1)));
        const std::vector<double> b = random.numbers(n);
        EXPECT_LT(backward_error(pair, 1.5, solve_real(*system, 0, b), b), 1e-13 * std::max(n, 8));
      }
    }
  }
}

TEST(ShiftedSystem, WhatIsNotFiniteIsRefused) {
  Generator random;
  for (LinearSolver kind : {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse}) {
    for (const int n : {1, 2, 3, 4, 5, 12, 19, 45}) {
      MatrixPair pair = band_pair(n, 2, 1, true, random);
      const auto system = make_shifted_system(pair, 1, 1, kind);
      for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        for (const int column : {0, n / 3, n - 1}) {
          for (int e = pair.first[column]; e < pair.first[column + 1]; ++e) {
            for (auto* values : {&pair.J, &pair.M}) {
              const double good = std::exchange((*values)[e], bad);
              EXPECT_FALSE(system->factor(0, 1.5)) << to_string(kind) << " " << n << " entry " << e;
              EXPECT_EQ(system->culprit(), column);
              EXPECT_FALSE(system->factor(0, Complex(1, 1))) << to_string(kind) << " " << n << " entry " << e;
              EXPECT_EQ(system->culprit(), column);
              (*values)[e] = good;
            }
          }
        }
      }
      EXPECT_FALSE(system->factor(0, std::nan("")));
      const std::vector<Complex> d = complex_numbers(n, random);
      ASSERT_TRUE(system->factor(0, Complex(1, 1)));
      EXPECT_LT(backward_error(pair, Complex(1, 1), solve_complex(*system, 0, d), d), 1e-13 * std::max(n, 8));
    }
  }
}

TEST(ShiftedSystem, ChoosesByThePattern) {
  Generator random;
  const auto kind_of = [](const MatrixPair& pair) { return make_shifted_system(pair, 1, 1)->describe(); };
  EXPECT_EQ(kind_of(dense_pair(8, false, random)), "dense 8 x 8");
  EXPECT_EQ(kind_of(band_pair(16, 1, 1, false, random)), "dense 16 x 16");
  EXPECT_EQ(kind_of(sparse_pair(
                60, false, [](int i, int j) { return (i + j) % 3 != 0; }, random)),
            "dense 60 x 60");
  EXPECT_EQ(kind_of(band_pair(1000, 2, 1, false, random)), "band 1000, 2 + 1");
  // Five points of a 30 x 30 grid: 29 at best on either side of the diagonal.
  const auto is_near = [](int i, int j) { return std::abs(i % 30 - j % 30) + std::abs(i / 30 - j / 30) == 1; };
  const MatrixPair grid = sparse_pair(900, false, is_near, random);
  const auto system = make_shifted_system(grid, 1, 0);
  EXPECT_EQ(system->describe(), "sparse (KLU) 900, 4380 entries");
  ASSERT_TRUE(system->factor(0, 10.0));
  EXPECT_EQ(system->describe().find("sparse (KLU) 900, 4380 entries, "), 0u);
  EXPECT_NE(system->describe().find(" in factors"), std::string::npos);
}

TEST(ShiftedSystem, FindsTheBandInShuffledUnknowns) {
  Generator random;
  const int n = 400;
  const std::vector<int> place = random.permutation(n);
  for (const int width : {1, 2}) {
    // Three chains that do not touch.
    const auto is_near = [&](int i, int j) {
      return std::abs(place[i] - place[j]) <= width && place[i] / 150 == place[j] / 150;
    };
    const MatrixPair pair = sparse_pair(n, true, is_near, random);
    const std::string words = std::to_string(width);
    EXPECT_EQ(make_shifted_system(pair, 1, 1)->describe(),
              std::string("band 400, ").append(words).append(" + ").append(words));
    expect_solves(pair, LinearSolver::automatic, random);
  }
}

/// Points that all push each other, with speeds of their own and a constraint each: p' = q, q' = F(p) + c λ, 0 = c p.
MatrixPair crowd(int points, Generator& random) {
  const int coordinates = 3 * points, n = 2 * coordinates + points;
  const auto is_there = [=](int i, int j) {
    const bool is_position = j < coordinates, is_speed = !is_position && j < 2 * coordinates;
    if (i < coordinates) return is_speed && j == i + coordinates;
    if (i < 2 * coordinates) return is_position || (!is_speed && (i - coordinates) / 3 == j - 2 * coordinates);
    return is_position && j / 3 == i - 2 * coordinates;
  };
  MatrixPair pair = sparse_pair(n, true, is_there, random);
  for (int j = 0; j < n; ++j) {
    for (int e = pair.first[j]; e < pair.first[j + 1]; ++e) {
      pair.M[e] = pair.row[e] == j && j < 2 * coordinates ? 1 : 0;
      if (pair.row[e] == j) pair.J[e] = 0;
    }
  }
  return pair;
}

TEST(ShiftedSystem, WhatIsFullInPartsIsFactoredInRuns) {
  Generator random;
  for (const int points : {6, 13, 20}) {
    MatrixPair pair = crowd(points, random);
    const auto system = make_shifted_system(pair, 1, 1);
    ASSERT_TRUE(system->factor(0, 3.0) && system->factor(0, Complex(1, 2)));
    const std::string words = system->describe();
    EXPECT_EQ(words.substr(0, 12), "sparse (KLU)");
    EXPECT_EQ(words.substr(words.size() - 9), ", in runs") << words;
    // The factors are those of the order by columns: by the symmetric one speeds are filled, too.
    expect_solves(pair, LinearSolver::automatic, random);
    const auto dense = make_shifted_system(pair, 1, 1, LinearSolver::dense);
    ASSERT_TRUE(dense->factor(0, 3.0) && dense->factor(0, Complex(1, 2)));
    const std::vector<double> b = random.numbers(static_cast<std::size_t>(pair.size));
    const std::vector<Complex> d = complex_numbers(pair.size, random);
    const std::vector<double> x = solve_real(*system, 0, b), y = solve_real(*dense, 0, b);
    const std::vector<Complex> u = solve_complex(*system, 0, d), v = solve_complex(*dense, 0, d);
    for (int i = 0; i < pair.size; ++i) {
      EXPECT_NEAR(x[i], y[i], 1e-9 * (1 + std::abs(y[i])));
      EXPECT_NEAR(std::abs(u[i] - v[i]), 0, 1e-9 * (1 + std::abs(v[i])));
    }
  }
}

TEST(ShiftedSystem, RunsGiveUpPivotsThatDoNotServeAnyMore) {
  Generator random;
  MatrixPair pair = crowd(13, random);
  const auto system = make_shifted_system(pair, 1, 1);
  for (int round = 0; round < 6; ++round) {
    const double spread = round % 2 == 1 ? 10 : 0;
    for (double& value : pair.J)
      if (value != 0) value = random.number() * std::pow(10, spread * std::sin(7 * value));
    ASSERT_TRUE(system->factor(0, 2.0) && system->factor(0, Complex(1, 1)));
    const std::vector<double> b = random.numbers(static_cast<std::size_t>(pair.size));
    EXPECT_LT(backward_error(pair, 2.0, solve_real(*system, 0, b), b), 1e-12);
    const std::vector<Complex> d = complex_numbers(pair.size, random);
    EXPECT_LT(backward_error(pair, Complex(1, 1), solve_complex(*system, 0, d), d), 1e-12);
  }
  const MatrixPair good = pair;
  for (int e = pair.first[5]; e < pair.first[6]; ++e) pair.J[e] = pair.M[e] = 0;
  EXPECT_FALSE(system->factor(0, 2.0));
  EXPECT_EQ(system->culprit(), 5);
  EXPECT_FALSE(system->factor(0, Complex(1, 1)));
  EXPECT_EQ(system->culprit(), 5);
  pair = good;
  EXPECT_TRUE(system->factor(0, 2.0) && system->factor(0, Complex(1, 1)));
}

TEST(ShiftedSystem, ARunThatIsContinuedHasTheSameFactors) {
  Generator random;
  MatrixPair pair = crowd(13, random);
  const auto system = make_shifted_system(pair, 1, 1), other = make_shifted_system(pair, 1, 1);
  ASSERT_TRUE(system->factor(0, 3.0) && system->factor(0, Complex(1, 2)));
  for (double& value : pair.J) value *= 1.25;
  ASSERT_TRUE(system->factor(0, 2.0) && system->factor(0, Complex(1, 1)));  // with the pivots of before
  Memory saving;
  system->carry(saving);
  const auto saved = saving.take();
  Memory giving_back(*saved);
  other->carry(giving_back);
  EXPECT_EQ(other->describe(), system->describe());
  const std::vector<double> b = random.numbers(static_cast<std::size_t>(pair.size));
  EXPECT_EQ(solve_real(*other, 0, b), solve_real(*system, 0, b));
  const std::vector<Complex> d = complex_numbers(pair.size, random);
  EXPECT_EQ(solve_complex(*other, 0, d), solve_complex(*system, 0, d));
}

TEST(ShiftedSystem, RunsDoNotAllocateAfterTheFirstCall) {
  Generator random;
  const MatrixPair pair = crowd(13, random);
  const auto system = make_shifted_system(pair, 1, 1);
  std::vector<double> re = random.numbers(static_cast<std::size_t>(pair.size)), im = re;
  const auto work = [&](double c) {
    const bool is_factored = system->factor(0, c) && system->factor(0, Complex(c, 1));
    system->solve(0, re.data());
    system->solve(0, re.data(), im.data());
    return is_factored;
  };
  ASSERT_TRUE(work(1.0));
  const long long before = allocations;
  const bool is_factored = work(1.5);
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(is_factored);
}

TEST(ShiftedSystem, DoesNotAllocateAfterTheFirstCall) {
  Generator random;
  for (LinearSolver kind : {LinearSolver::dense, LinearSolver::band, LinearSolver::sparse}) {
    for (const int n : {2, 9, 30, 90, 220}) {
      const MatrixPair pair = band_pair(n, 2, 6, true, random);
      const auto system = make_shifted_system(pair, 1, 1, kind);
      std::vector<double> re = random.numbers(n), im = random.numbers(n);
      const auto work = [&](double c) {
        const bool is_factored = system->factor(0, c) && system->factor(0, Complex(c, 1));
        system->solve(0, re.data());
        system->solve(0, re.data(), im.data());
        return is_factored;
      };
      ASSERT_TRUE(work(1.0));
      const long long before = allocations;
      const bool is_factored = work(1.5);
      EXPECT_EQ(allocations, before) << to_string(kind) << " " << n;
      EXPECT_TRUE(is_factored);
    }
  }
}

}  // namespace
}  // namespace pawl
