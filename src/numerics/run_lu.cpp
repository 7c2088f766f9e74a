#include "numerics/run_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace pawl::shifted {

namespace {

// Of the largest entry of a column in what elimination makes of it: below, pivots chosen for other numbers are given
// up.
constexpr double least_share = 1e-8;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

template <std::size_t parts>
double size_of(const std::array<double, parts>& number) {
  double size = 0;
  for (const double part : number) size += std::abs(part);
  return size;
}
std::array<double, 1> product(const std::array<double, 1>& a, const std::array<double, 1>& b) {
  return {a[0] * b[0]};
}
std::array<double, 2> product(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
}
std::array<double, 1> inverse_of(const std::array<double, 1>& a) {
  return {1 / a[0]};
}
std::array<double, 2> inverse_of(const std::array<double, 2>& a) {
  const PlainComplex one = inverse(PlainComplex(a[0], a[1]));
  return {one.re(), one.im()};
}

template <std::size_t parts>
std::array<double, parts> get(const std::array<std::vector<double>, parts>& numbers, int i) {
  std::array<double, parts> number;
  for (std::size_t part = 0; part < parts; ++part) number[part] = numbers[part][at(i)];
  return number;
}
template <std::size_t parts>
void put(std::array<std::vector<double>, parts>& numbers, int i, const std::array<double, parts>& number) {
  for (std::size_t part = 0; part < parts; ++part) numbers[part][at(i)] = number[part];
}
template <std::size_t parts>
std::array<const double*, parts> from(const std::array<std::vector<double>, parts>& numbers, int i) {
  std::array<const double*, parts> place;
  for (std::size_t part = 0; part < parts; ++part) place[part] = numbers[part].data() + i;
  return place;
}

// x -= t u, two at a time.
void subtract(std::array<std::vector<double>, 1>& x, int begin, const std::array<const double*, 1>& u,
              const std::array<double, 1>& t, int count) {
  double* const to = x[0].data() + begin;
  const double *const by = u[0], factor = t[0];
  int i = 0;
  for (; i + 1 < count; i += 2) two(to + i) -= two(by + i) * factor;
  if (i < count) to[i] -= by[i] * factor;
}
void subtract(std::array<std::vector<double>, 2>& x, int begin, const std::array<const double*, 2>& u,
              const std::array<double, 2>& t, int count) {
  double *const re = x[0].data() + begin, *const im = x[1].data() + begin;
  const auto [u_re, u_im] = u;
  const auto [t_re, t_im] = t;
  int i = 0;
  for (; i + 1 < count; i += 2) {
    two(re + i) -= two(u_re + i) * t_re - two(u_im + i) * t_im;
    two(im + i) -= two(u_re + i) * t_im + two(u_im + i) * t_re;
  }
  if (i < count) {
    re[i] -= u_re[i] * t_re - u_im[i] * t_im;
    im[i] -= u_re[i] * t_im + u_im[i] * t_re;
  }
}

/// Sums over runs, of which several are under way at once, so that none waits for the one before.
class RealSum {
 public:
  void add(const std::array<const double*, 1>& a, const std::array<const double*, 1>& b, int count) {
    const double *const one = a[0], *const other = b[0];
    int i = 0;
    for (; i + 7 < count; i += 8)
      for (int k = 0; k < 4; ++k) sums_[k] += two(one + i + 2 * k) * two(other + i + 2 * k);
    for (; i + 1 < count; i += 2) sums_[0] += two(one + i) * two(other + i);
    if (i < count) last_ += one[i] * other[i];
  }
  std::array<double, 1> value() const {
    const Two all = (sums_[0] + sums_[1]) + (sums_[2] + sums_[3]);
    return {all[0] + all[1] + last_};
  }

 private:
  Two sums_[4] = {};
  double last_ = 0;
};
class ComplexSum {
 public:
  void add(const std::array<const double*, 2>& a, const std::array<const double*, 2>& b, int count) {
    const auto [a_re, a_im] = a;
    const auto [b_re, b_im] = b;
    int i = 0;
    for (; i + 1 < count; i += 2) {
      const Two re = two(a_re + i), im = two(a_im + i), other_re = two(b_re + i), other_im = two(b_im + i);
      same_[0] += re * other_re;
      same_[1] += im * other_im;
      crossed_[0] += re * other_im;
      crossed_[1] += im * other_re;
    }
    if (i < count) {
      re_ += a_re[i] * b_re[i] - a_im[i] * b_im[i];
      im_ += a_re[i] * b_im[i] + a_im[i] * b_re[i];
    }
  }
  std::array<double, 2> value() const {
    const Two re = same_[0] - same_[1], im = crossed_[0] + crossed_[1];
    return {re[0] + re[1] + re_, im[0] + im[1] + im_};
  }

 private:
  Two same_[2] = {}, crossed_[2] = {};
  double re_ = 0, im_ = 0;
};

}  // namespace

Runs::Runs(const Pattern& factor) {
  const std::size_t size = factor.first.size() - 1;
  std::vector<std::vector<int>> rows(size);
  for (std::size_t k = 0; k < size; ++k) {
    for (int e = factor.first[k]; e < factor.first[k + 1]; ++e)
      if (at(factor.row[at(e)]) != k) rows[at(factor.row[at(e)])].push_back(static_cast<int>(k));
  }
  first.push_back(0);
  for (const std::vector<int>& row : rows) {
    for (const int column : row) {
      if (static_cast<int>(runs.size()) > first.back() && runs.back().end == column)
        ++runs.back().end;
      else
        runs.push_back({column, column + 1, static_cast<int>(entries)});
      ++entries;
    }
    first.push_back(static_cast<int>(runs.size()));
  }
}

template <int parts>
RunLu<parts>::RunLu(const Pattern& pattern, const Elimination& elimination)
    : pattern_(pattern),
      row_(elimination.row),
      column_(elimination.column),
      scale_(row_.size()),
      largest_(row_.size()),
      reached_(row_.size()),
      lower_(elimination.lower),
      upper_(elimination.upper) {
  std::vector<std::vector<std::pair<int, int>>> rows(row_.size());  // of the matrix: pivot and entry
  for (int k = 0; k < size(); ++k) {
    const int column = column_[at(k)];
    for (int e = pattern.first[at(column)]; e < pattern.first[at(column) + 1]; ++e)
      rows[at(pattern.row[at(e)])].emplace_back(k, e);
  }
  by_rows_.first.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [pivot, entry] : row) {
      by_rows_.row.push_back(pivot);
      entry_.push_back(entry);
    }
    by_rows_.first.push_back(static_cast<int>(entry_.size()));
  }
  for (std::size_t part = 0; part < parts; ++part) {
    lower_numbers_[part].resize(lower_.entries);
    upper_numbers_[part].resize(upper_.entries);
    inverse_[part].resize(row_.size());
    x_[part].resize(row_.size());
  }
}

template <int parts>
bool RunLu<parts>::find_scales(const double* values) {
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (std::size_t e = 0; e < pattern_.row.size(); ++e) {
    double size = 0;
    for (std::size_t part = 0; part < parts; ++part) size += std::abs(values[parts * e + part]);
    double& largest = scale_[at(pattern_.row[e])];
    largest = std::max(largest, size);
  }
  for (double& scale : scale_) {
    if (!is_usable_pivot(scale)) return false;
    scale = 1 / scale;
  }
  return true;
}

template <int parts>
bool RunLu<parts>::factor(const double* values) {
  if (!find_scales(values)) return false;
  for (auto& part : x_) std::fill(part.begin(), part.end(), 0.0);
  std::fill(largest_.begin(), largest_.end(), 0.0);
  std::fill(reached_.begin(), reached_.end(), 0.0);
  for (int i = 0; i < size(); ++i)
    if (!factor_row(i, values)) return false;
  for (std::size_t k = 0; k < largest_.size(); ++k)
    if (!(largest_[k] >= least_share * reached_[k])) return false;
  return true;
}

/// Into x, which is zero.
template <int parts>
void RunLu<parts>::fetch_row(int i, const double* values) {
  const int row = row_[at(i)];
  const double scale = scale_[at(row)];
  for (int e = by_rows_.first[at(row)]; e < by_rows_.first[at(row) + 1]; ++e) {
    const int k = by_rows_.row[at(e)];
    Number number;
    for (std::size_t part = 0; part < parts; ++part) number[part] = scale * values[parts * at(entry_[at(e)]) + part];
    largest_[at(k)] = std::max(largest_[at(k)], size_of(number));
    put(x_, k, number);
  }
}

template <int parts>
bool RunLu<parts>::factor_row(int i, const double* values) {
  fetch_row(i, values);
  for (int r = lower_.first[at(i)]; r < lower_.first[at(i) + 1]; ++r) eliminate(lower_.runs[at(r)]);
  const Number pivot = get(x_, i);
  reached_[at(i)] = std::max(reached_[at(i)], size_of(pivot));
  if (!is_usable_pivot(size_of(pivot))) return false;
  put(inverse_, i, inverse_of(pivot));
  put(x_, i, Number{});
  for (int r = upper_.first[at(i)]; r < upper_.first[at(i) + 1]; ++r) store(upper_.runs[at(r)]);
  return true;
}

/// What is in these columns of x, by the rows of U that begin there.
template <int parts>
void RunLu<parts>::eliminate(const Runs::Run& run) {
  for (int k = run.begin; k < run.end; ++k) {
    const Number factor = product(get(x_, k), get(inverse_, k));
    put(lower_numbers_, run.place + k - run.begin, factor);
    put(x_, k, Number{});
    for (int r = upper_.first[at(k)]; r < upper_.first[at(k) + 1]; ++r) {
      const Runs::Run& of_row = upper_.runs[at(r)];
      subtract(x_, of_row.begin, from(upper_numbers_, of_row.place), factor, of_row.end - of_row.begin);
    }
  }
}

/// x becomes these entries of U, and zero.
template <int parts>
void RunLu<parts>::store(const Runs::Run& run) {
  for (int k = run.begin; k < run.end; ++k) {
    const Number number = get(x_, k);
    reached_[at(k)] = std::max(reached_[at(k)], size_of(number));
    put(upper_numbers_, run.place + k - run.begin, number);
    put(x_, k, Number{});
  }
}

template <int parts>
typename RunLu<parts>::Number RunLu<parts>::rest(int i, const Runs& factor, const Numbers& numbers) const {
  std::conditional_t<parts == 1, RealSum, ComplexSum> sum;
  for (int r = factor.first[at(i)]; r < factor.first[at(i) + 1]; ++r) {
    const Runs::Run& run = factor.runs[at(r)];
    sum.add(from(numbers, run.place), from(x_, run.begin), run.end - run.begin);
  }
  const Number all = sum.value();
  Number rest = get(x_, i);
  for (std::size_t part = 0; part < parts; ++part) rest[part] -= all[part];
  return rest;
}

template <int parts>
void RunLu<parts>::solve(const std::array<double*, parts>& vector) {
  for (int i = 0; i < size(); ++i) {
    const int row = row_[at(i)];
    for (std::size_t part = 0; part < parts; ++part) x_[part][at(i)] = scale_[at(row)] * vector[part][row];
    put(x_, i, rest(i, lower_, lower_numbers_));
  }
  for (int i = size() - 1; i >= 0; --i) {
    put(x_, i, product(rest(i, upper_, upper_numbers_), get(inverse_, i)));
    for (std::size_t part = 0; part < parts; ++part) vector[part][column_[at(i)]] = x_[part][at(i)];
  }
}

template class RunLu<1>;
template class RunLu<2>;

}  // namespace pawl::shifted
