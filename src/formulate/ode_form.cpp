#include "formulate/ode_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "formulate/coloring.hpp"

namespace pawl::formulate {

namespace {

constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
constexpr int largest_dense = 32;       // unknowns; below it patterns do not pay
constexpr double fullest_sparse = 0.3;  // share of entries above which a matrix is treated as full

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class OdeForm final : public ImplicitForm {
 public:
  OdeForm(std::shared_ptr<const System::Declarations> model, Function rates, const ActiveField& field, int size)
      : model_(std::move(model)),
        rates_(std::move(rates)),
        field_(field),
        is_whole_(size == static_cast<int>(model_->state_names.size())) {
    size_ = states_ = size;
    matrices_.size = size_;
    roles_.resize(at(size_));
    scale_.assign(at(size_), 0.0);
    for (std::size_t i = 0; i < model_->nominals.size(); ++i) scale_[i] = model_->nominals[i];
    point_.resize(at(size_));
    out_.resize(at(size_));
    base_.resize(at(size_));
    moved_.resize(at(size_));
    work_.resize(at(size_));
    slope_.assign(at(size_), 0.0);
  }

  void carry(Memory& memory) override {
    carry_common(memory);
    memory(is_given_, reads_time_, was_sliding_, is_new_, seen_, color_, colors_, by_color_, given_, by_row_, columns_,
           next_, values_, out_, scale_, work_, slope_);
  }
  std::string name(int unknown) const override {
    return at(unknown) < model_->state_names.size() ? model_->state_names[at(unknown)] : std::string("a guard");
  }

  void restart(double t, const double* x) override {
    is_new_ = true;
    static const Held nothing;
    const Held& held = is_whole_ ? *field_.around->held : nothing;
    const bool slides =
        std::any_of(held.sides.begin(), held.sides.end(), [](RelaySide side) { return side == RelaySide::sliding; });
    const bool can_differentiate = is_whole_ && !slides && !wants_differences;
    has_exact_jacobian_ = can_differentiate && rates_.supports<Gradient>();
    is_given_ = can_differentiate && !has_exact_jacobian_ && model_->jacobian;
    if (is_given_) has_exact_jacobian_ = true;
    for (int i = 0; i < size_; ++i) scale_[at(i)] = std::max(scale_[at(i)], std::abs(x[i]));
    if (version_ == 0 || !(held == seen_) || slides != was_sliding_) observe(held, slides, t, x);
    if (!reads_time_) std::fill(slope_.begin(), slope_.end(), 0.0);  // another mode may have read it
    if (!has_exact_jacobian_)
      jacobian_kind_ = "differences";
    else if (is_given_)
      jacobian_kind_ = "given by the model";
    else if (matrices_.is_sparse)
      jacobian_kind_ = fmt::format("exact (dual numbers, {} colours)", colors_);
    else
      jacobian_kind_ = "exact (dual numbers)";
  }

  std::string complete(double t, double* y, double* dy) override {
    if (std::exchange(is_new_, false)) std::fill(dy, dy + size_, std::numeric_limits<double>::quiet_NaN());
    field_.call(field_.self, Point<double>(t, y, field_.parameters, field_.around), dy);
    return {};
  }

  void residual(double t, const double* y, const double* dy, double* r) override {
    if (std::exchange(is_new_, false)) std::fill(r, r + size_, std::numeric_limits<double>::quiet_NaN());
    field_.call(field_.self, Point<double>(t, y, field_.parameters, field_.around), r);
    if (dy == nullptr) return;
    for (int i = 0; i < size_; ++i) r[i] -= dy[i];
  }

  void linearize(double t, const double* y, const double* /*dy*/) override {
    if (matrices_.J.empty()) matrices_.J.assign(at(size_) * at(size_), 0.0);
    if (is_given_)
      take_given(t, y);
    else if (has_exact_jacobian_)
      differentiate(t, y);
    else
      difference(t, y);
  }

  void time_slope(double t, const double* y, const double* /*dy*/, double* slope) override {
    if (has_exact_jacobian_ && !is_given_) {
      std::copy(slope_.begin(), slope_.end(), slope);  // found with the Jacobian
      return;
    }
    const double dt = std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::abs(t), 1e-3);
    complete(t, const_cast<double*>(y), base_.data());
    complete(t + dt, const_cast<double*>(y), moved_.data());
    for (int i = 0; i < size_; ++i) slope[i] = (moved_[at(i)] - base_[at(i)]) / dt;
    difference_evaluations += 2;
  }

 private:
  /// What the rates read, in this mode.
  void observe(const Held& held, bool slides, double t, const double* x) {
    seen_ = held;
    was_sliding_ = slides;
    const bool was_sparse = std::exchange(matrices_.is_sparse, false);
    reads_time_ = true;
    std::vector<int> first, row;
    if (is_given_ ? find_given_pattern(t, x, first, row)
                  : is_whole_ && !slides && rates_.supports<Pattern>() && find_pattern(held, first, row)) {
      const double fill = static_cast<double>(row.size()) / (static_cast<double>(size_) * size_);
      matrices_.is_sparse = size_ > largest_dense && fill <= fullest_sparse;
    }
    if (matrices_.is_sparse) {
      if (was_sparse && first == matrices_.first && row == matrices_.row) return;
      matrices_.first = std::move(first);
      matrices_.row = std::move(row);
      matrices_.J.assign(matrices_.row.size(), 0.0);
      if (is_given_) {
        given_.first = by_row_;
        given_.column = columns_;
        values_.assign(columns_.size(), 0.0);
        next_.resize(at(size_));
      }
      color_ = color_columns(size_, matrices_.first, matrices_.row);
      colors_ = 1 + *std::max_element(color_.begin(), color_.end());
      by_color_.assign(at(colors_), {});
      for (int j = 0; j < size_; ++j) by_color_[at(color_[at(j)])].push_back(j);
    } else if (version_ > 0 && !was_sparse) {
      return;
    } else {
      matrices_.first.clear();
      matrices_.row.clear();
      matrices_.J.clear();  // sized when it is first asked for: not every method wants one
    }
    ++version_;
  }

  /// Which entries the model's Jacobian writes.
  bool find_given_pattern(double t, const double* x, std::vector<int>& first, std::vector<int>& row) {
    try {
      given_ = detail::EntryMap();
      given_.number.resize(at(size_));
      std::iota(given_.number.begin(), given_.number.end(), 0);
      given_.width = size_;
      Entries<double>::Seen seen;
      Entries<double> entries(given_, seen);
      const detail::Surroundings<double> around{field_.around->held};
      model_->jacobian(Point<double>(t, x, field_.parameters, &around), entries);
      for (int i = 0; i < size_; ++i) seen.emplace_back(i, i);
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      std::vector<int> by_row(1, 0), column;
      for (int i = 0; i < size_; ++i) {
        while (column.size() < seen.size() && seen[column.size()].first == i)
          column.push_back(seen[column.size()].second);
        by_row.push_back(static_cast<int>(column.size()));
      }
      const TransposedPattern by_column = transpose(size_, by_row, column);
      first = by_column.first;
      row = by_column.column;
      by_row_ = std::move(by_row);
      columns_ = std::move(column);
      return true;
    } catch (...) {
      return false;
    }
  }

  bool find_pattern(const Held& held, std::vector<int>& first, std::vector<int>& row) {
    try {
      PatternTape tape;
      std::vector<Pattern> x, rates(at(size_));
      for (int i = 0; i < size_; ++i) x.push_back(tape.variable(i));
      detail::Surroundings<Pattern> around{&held};
      rates_(Point<Pattern>(tape.variable(size_), x.data(), held.parameters.data(), &around), rates.data());
      std::vector<std::vector<int>> columns(at(size_));
      reads_time_ = false;
      for (int i = 0; i < size_; ++i) {
        columns[at(i)].push_back(i);
        for (const int j : tape.inputs_of(rates[at(i)])) {
          if (j == size_)
            reads_time_ = true;
          else if (j != i)
            columns[at(j)].push_back(i);
        }
      }
      first.assign(1, 0);
      for (std::vector<int>& column : columns) {
        std::sort(column.begin(), column.end());
        row.insert(row.end(), column.begin(), column.end());
        first.push_back(static_cast<int>(row.size()));
      }
      return true;
    } catch (...) {
      return false;  // it will throw again when it is evaluated with numbers, and be an outcome
    }
  }

  void evaluate_duals(double t, bool time_is_seeded, int time_slot) {
    const detail::Surroundings<Gradient> around{field_.around->held};
    const Gradient time = time_is_seeded ? Gradient::variable(t, time_slot) : Gradient(t);
    rates_(Point<Gradient>(time, point_.data(), field_.parameters, &around), out_.data());
    ++dual_evaluations;
  }

  void differentiate(double t, const double* y) {
    for (int i = 0; i < size_; ++i) point_[at(i)] = y[i];
    // The derivative by t is one more direction, behind the last one.
    const int groups = matrices_.is_sparse ? colors_ : size_, directions = groups + (reads_time_ ? 1 : 0);
    for (int begin = 0; begin < directions; begin += width) {
      const int end = std::min(begin + width, groups);
      const bool has_time = reads_time_ && directions - 1 < begin + width;
      for (int g = begin; g < end; ++g) seed(g, g - begin, y);
      evaluate_duals(t, has_time, groups - begin);
      for (int g = begin; g < end; ++g) take(g, g - begin, y);
      if (has_time) {
        for (int i = 0; i < size_; ++i) slope_[at(i)] = out_[at(i)].slope[at(groups - begin)];
      }
    }
  }
  void seed(int group, int slot, const double* y) {
    if (!matrices_.is_sparse) {
      point_[at(group)] = Gradient::variable(y[group], slot);
    } else {
      for (const int j : by_color_[at(group)]) point_[at(j)].slope[at(slot)] = 1;
    }
  }
  void take(int group, int slot, const double* y) {
    if (!matrices_.is_sparse) {
      double* const column = matrices_.J.data() + at(group) * at(size_);
      for (int i = 0; i < size_; ++i) column[i] = out_[at(i)].slope[at(slot)];
      point_[at(group)] = y[group];
    } else {
      for (const int j : by_color_[at(group)]) {
        for (int e = matrices_.first[at(j)]; e < matrices_.first[at(j) + 1]; ++e)
          matrices_.J[at(e)] = out_[at(matrices_.row[at(e)])].slope[at(slot)];
        point_[at(j)].slope[at(slot)] = 0;
      }
    }
  }

  void take_given(double t, const double* y) {
    const detail::Surroundings<double> around{field_.around->held};
    values_.assign(matrices_.is_sparse ? columns_.size() : at(size_) * at(size_), 0.0);
    Entries<double> entries(given_, values_.data());
    model_->jacobian(Point<double>(t, y, field_.parameters, &around), entries);
    if (matrices_.is_sparse) {  // from rows to columns
      std::copy(matrices_.first.begin(), matrices_.first.end() - 1, next_.begin());
      for (std::size_t e = 0; e < columns_.size(); ++e) matrices_.J[at(next_[at(columns_[e])]++)] = values_[e];
    } else {
      for (int i = 0; i < size_; ++i)
        for (int j = 0; j < size_; ++j) matrices_.J[at(j) * at(size_) + at(i)] = values_[at(i) * at(size_) + at(j)];
    }
  }

  // The increment of a variable follows its size now and as it has been seen: a state that is zero for a moment must
  // not be moved by rounding alone, nor one that has only just left it.
  double increment(int j, double value) {
    scale_[at(j)] = std::max(scale_[at(j)], std::abs(value));
    const bool is_declared = at(j) < model_->nominals.size() && model_->nominals[at(j)] > 0;
    const double scale = std::max({std::abs(value), 0.1 * scale_[at(j)], is_declared ? 0.0 : 1e-5});
    return std::sqrt(std::numeric_limits<double>::epsilon()) * scale * (value < 0 ? -1 : 1);
  }
  void difference(double t, const double* y) {
    std::copy(y, y + size_, work_.begin());
    complete(t, work_.data(), base_.data());
    ++difference_evaluations;
    const int groups = matrices_.is_sparse ? colors_ : size_;
    for (int g = 0; g < groups; ++g) {
      const auto each = [&](auto&& f) {
        if (!matrices_.is_sparse) return f(g);
        for (const int j : by_color_[at(g)]) f(j);
      };
      each([&](int j) { work_[at(j)] = y[j] + increment(j, y[j]); });
      complete(t, work_.data(), moved_.data());
      ++difference_evaluations;
      each([&](int j) {
        const double change = work_[at(j)] - y[j];
        if (!matrices_.is_sparse) {
          for (int i = 0; i < size_; ++i)
            matrices_.J[at(j) * at(size_) + at(i)] = (moved_[at(i)] - base_[at(i)]) / change;
        } else {
          for (int e = matrices_.first[at(j)]; e < matrices_.first[at(j) + 1]; ++e) {
            const std::size_t i = at(matrices_.row[at(e)]);
            matrices_.J[at(e)] = (moved_[i] - base_[i]) / change;
          }
        }
        work_[at(j)] = y[j];
      });
    }
  }

  std::shared_ptr<const System::Declarations> model_;
  const Function rates_;
  const ActiveField& field_;
  bool is_whole_, is_given_ = false, reads_time_ = true, was_sliding_ = false;
  bool is_new_ = true;  // a piece has begun: a rate that the model forgets must not be what memory holds
  Held seen_;           // what the pattern was observed with
  std::vector<int> color_;
  int colors_ = 0;
  std::vector<std::vector<int>> by_color_;
  detail::EntryMap given_;  // of the model's own Jacobian, row by row
  std::vector<int> by_row_, columns_, next_;
  std::vector<double> values_;
  std::vector<Gradient> point_, out_;
  std::vector<double> scale_, base_, moved_, work_, slope_;
};

}  // namespace

std::unique_ptr<ImplicitForm> make_ode_form(std::shared_ptr<const System::Declarations> model, Function rates,
                                            const ActiveField& field, int size) {
  return std::make_unique<OdeForm>(std::move(model), std::move(rates), field, size);
}

}  // namespace pawl::formulate
