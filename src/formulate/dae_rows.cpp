#include "formulate/dae_rows.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::formulate {

CombinedRows::CombinedRows(const RowPattern& pattern, const std::vector<DaeValues>& samples) {
  const int n = static_cast<int>(pattern.first.size()) - 1;
  parts_.reserve(at(n));
  keys_.resize(at(n));
  values_.assign(samples.size(), std::vector<std::vector<double>>(at(n)));
  for (int i = 0; i < n; ++i) {
    parts_.push_back({{i, 0, 1.0}});
    for (const auto& [j, place] : pattern.row(i)) {
      keys_[at(i)].push_back({j, 0});
      keys_[at(i)].push_back({j, 1});
      for (std::size_t s = 0; s < samples.size(); ++s) {
        values_[s][at(i)].push_back(samples[s].J[at(place)]);
        values_[s][at(i)].push_back(-samples[s].M[at(place)]);
      }
    }
  }
}

Signature CombinedRows::signature() const {
  Signature sigma;
  for (int i = 0; i < size(); ++i) {
    const std::vector<Key>& keys = keys_[at(i)];
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto is_there = [&](const auto& sample) { return sample[at(i)][k] != 0; };
      if (std::none_of(values_.begin(), values_.end(), is_there)) continue;
      const bool is_lower =
          static_cast<int>(sigma.entries.size()) > sigma.first.back() && sigma.entries.back().column == keys[k].column;
      if (is_lower) sigma.entries.pop_back();
      sigma.entries.push_back({keys[k].column, keys[k].order});
    }
    sigma.end_row();
  }
  return sigma;
}

std::vector<CombinedRows::Entry> CombinedRows::entries(int sample, int row) const {
  std::vector<Entry> all;
  for (std::size_t k = 0; k < keys_[at(row)].size(); ++k)
    if (const double value = values_[at(sample)][at(row)][k]; value != 0)
      all.push_back({keys_[at(row)][k].column, keys_[at(row)][k].order, value});
  return all;
}

MatrixEntries CombinedRows::leading(int sample, const std::vector<int>& c, const std::vector<int>& d) const {
  MatrixEntries entries;
  for (int i = 0; i < size(); ++i) {
    for (std::size_t k = 0; k < keys_[at(i)].size(); ++k) {
      const auto [j, order] = keys_[at(i)][k];
      if (order == d[at(j)] - c[at(i)]) entries.emplace_back(i, j, values_[at(sample)][at(i)][k]);
    }
  }
  return entries;
}

bool CombinedRows::is_constant(int row) const {
  const std::vector<double>& first = values_.front()[at(row)];
  for (const auto& sample : values_)
    for (std::size_t k = 0; k < first.size(); ++k)
      if (!(std::abs(sample[at(row)][k] - first[k]) <= 1e-13 * std::abs(first[k]))) return false;
  return true;
}

std::vector<CombinedRows::Term> CombinedRows::sum(int sample, const RowParts& combination) const {
  std::vector<Term> all, result;
  for (const auto& [row, order, factor] : combination) {
    for (std::size_t k = 0; k < keys_[at(row)].size(); ++k) {
      const Key key{keys_[at(row)][k].column, keys_[at(row)][k].order + order};
      const double value = factor * values_[at(sample)][at(row)][k];
      all.push_back({key, value, std::abs(value)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Term& a, const Term& b) { return a.key < b.key; });
  for (const Term& one : all) {
    if (result.empty() || result.back().key != one.key) {
      result.push_back(one);
    } else {
      result.back().value += one.value;
      result.back().size += one.size;
    }
  }
  return result;
}

bool CombinedRows::can_replace(const RowParts& combination, int c, const std::vector<int>& d, double threshold) const {
  for (const RowPart& part : combination)
    if (part.order > 0 && !is_constant(part.row)) return false;
  for (int s = 0; s < samples(); ++s) {
    const std::vector<Term> terms = sum(s, combination);
    if (!std::all_of(terms.begin(), terms.end(), [](const Term& one) { return std::isfinite(one.value); })) continue;
    for (const Term& one : terms)
      if (one.key.order >= d[at(one.key.column)] - c && !(std::abs(one.value) <= std::max(1e-9, threshold) * one.size))
        return false;
  }
  return true;
}

void CombinedRows::replace(const std::vector<RowParts>& combinations, double threshold) {
  const std::vector<RowParts> before = parts_;
  std::vector<std::vector<Key>> keys = keys_;
  std::vector<std::vector<std::vector<double>>> values = values_;
  for (int i = 0; i < size(); ++i) {
    const RowParts& combination = combinations[at(i)];
    if (combination.empty()) continue;
    for (int s = 0; s < samples(); ++s) {
      keys[at(i)].clear();
      values[at(s)][at(i)].clear();
      for (const Term& one : sum(s, combination)) {
        const bool is_left = !(std::abs(one.value) <= std::max(cancels_below, threshold) * one.size);
        keys[at(i)].push_back(one.key);
        values[at(s)][at(i)].push_back(is_left ? one.value : 0.0);
      }
    }
    RowParts all;
    for (const auto& [row, order, factor] : combination)
      for (const RowPart& part : before[at(row)]) all.push_back({part.row, part.order + order, factor * part.factor});
    std::stable_sort(all.begin(), all.end(), [](const RowPart& a, const RowPart& b) {
      return std::pair(a.row, a.order) < std::pair(b.row, b.order);
    });
    RowParts& out = parts_[at(i)];
    out.clear();
    for (std::size_t k = 0; k < all.size();) {
      RowPart one = all[k];
      double size = std::abs(one.factor);
      for (++k; k < all.size() && all[k].row == one.row && all[k].order == one.order; ++k) {
        one.factor += all[k].factor;
        size += std::abs(all[k].factor);
      }
      if (std::abs(one.factor) > 1e-12 * size) out.push_back(one);
    }
  }
  keys_ = std::move(keys);
  values_ = std::move(values);
}

}  // namespace pawl::formulate
