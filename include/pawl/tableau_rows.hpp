// Rows of a Runge-Kutta table as types: what a linear combination of stages needs to know at compile time.
#pragma once

#include <array>
#include <type_traits>

#include "pawl/tableau.hpp"

namespace pawl::detail {

template <const auto& table>
using TableOf = std::remove_cvref_t<decltype(table)>;

template <const auto& table, int row>
struct StageRow {
  static constexpr int count = row;
  static constexpr double at(int j) { return table.a[row][j]; }
};

template <const auto& table>
struct StepRow {
  static constexpr int count = TableOf<table>::stages;
  static constexpr double at(int j) { return table.b[j]; }
};

template <const auto& table>
struct ErrorRow {
  static constexpr int count = TableOf<table>::stages;
  static constexpr double at(int j) { return table.e[j]; }
};

template <const auto& table>
struct ThirdOrderErrorRow {
  static constexpr int count = TableOf<table>::stages;
  static constexpr double at(int j) { return table.e3[j]; }
};

template <const auto& table>
struct QuadratureErrorRow {
  static constexpr int count = TableOf<table>::stages;
  static constexpr double at(int j) { return table.quadrature[j]; }
};

template <const auto& table>
struct SameTimeRow {
  static constexpr int count = TableOf<table>::stages;
  static constexpr double at(int j) { return table.same_time[j]; }
};

template <const auto& table, int power>
struct DenseRow {
  static constexpr int count = TableOf<table>::total;
  static constexpr double at(int j) { return table.dense[j][power]; }
};

template <class Row>
constexpr int count_nonzero() {
  int count = 0;
  for (int j = 0; j < Row::count; ++j) count += Row::at(j) != 0;
  return count;
}

template <class Row>
constexpr auto nonzero_columns() {
  std::array<int, count_nonzero<Row>()> columns{};
  for (int j = 0, next = 0; j < Row::count; ++j) {
    if (Row::at(j) != 0) columns[next++] = j;
  }
  return columns;
}

}  // namespace pawl::detail
