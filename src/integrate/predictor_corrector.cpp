#include "integrate/predictor_corrector.hpp"

#include <algorithm>
#include <cmath>

#include "pawl/explicit_runge_kutta.hpp"
#include "pawl/tableaus/classical.hpp"

namespace pawl {

namespace {

constexpr std::string_view taylor = "Taylor, lecture notes on hybrid simulation (2002)";

constexpr std::array<PredictorCorrectorTable, 4> tables{{
    {.name = "euler-heun",
     .title = "Euler-Heun predictor-corrector",
     .source = taylor,
     .order = 2,
     .past = 1,
     .alpha = {1},
     .beta = {1},
     .gamma_predicted = 1. / 2,
     .gamma = {1. / 2},
     .error_fraction = 0,  // a first-order predictor says nothing about a second-order corrector
     .mop_up_fraction = 0},
    {.name = "modified-euler-heun",
     .title = "Modified Euler-Heun",
     .source = taylor,
     .order = 2,
     .past = 2,
     .alpha = {0, 1},
     .beta = {2},
     .gamma_predicted = 1. / 2,
     .gamma = {1. / 2},
     .error_fraction = 1. / 5,
     .mop_up_fraction = 0},
    {.name = "modified-euler-heun-mop-up",
     .title = "Modified Euler-Heun with mop-up",
     .source = taylor,
     .order = 3,
     .past = 2,
     .alpha = {0, 1},
     .beta = {2},
     .gamma_predicted = 1. / 2,
     .gamma = {1. / 2},
     .error_fraction = 1. / 5,
     .mop_up_fraction = 1. / 5},
    {.name = "adams-bashforth-moulton-4",
     .title = "Adams-Bashforth-Moulton 4",
     .source = taylor,
     .order = 4,
     .past = 4,
     .alpha = {1},
     .beta = {55. / 24, -59. / 24, 37. / 24, -9. / 24},
     .gamma_predicted = 9. / 24,
     .gamma = {19. / 24, -5. / 24, 1. / 24},
     .error_fraction = 19. / 270,  // Milne's device: error constants -19/720 and 251/720
     .mop_up_fraction = 0},
}};

class PredictorCorrector final : public Stepper {
 public:
  PredictorCorrector(const PredictorCorrectorTable& table, const VectorField& field, int size,
                     const StepControl& control)
      : table_(table),
        field_(field),
        n_(static_cast<std::size_t>(size)),
        control_(control),
        starter_(field, size, control) {
    for (auto& x : states_) x.resize(n_);
    for (auto& f : rates_) f.assign(n_, std::numeric_limits<double>::quiet_NaN());  // a rate nobody assigns is noticed
    for (auto* v : {&predicted_, &predicted_rate_, &corrected_}) v->resize(n_);
  }

  void restart(double t, const double* x, double direction, double, const double*) override {
    t_ = t;
    direction_ = direction;
    known_ = 1;
    has_rate_ = false;
    states_[0].assign(x, x + n_);
    grid_.restart(t, direction * control_.fixed_step);
  }

  Attempt step(double limit, Correction* correction, Step& out) override {
    const auto [t1, h] = grid_.next(t_, limit);
    const bool is_full = h == direction_ * control_.fixed_step;
    const bool by_starter = known_ < table_.past || !is_full;
    const Attempt attempt = by_starter ? start(t1, correction, out) : predict_and_correct(t1, h, correction, out);
    if (attempt != Attempt::accepted) return attempt;
    remember(out, is_full);
    return attempt;
  }

  bool interpolate(Step& step) override {
    get_rate();
    const bool is_finite = std::all_of(rates_[0].begin(), rates_[0].end(), [](double f) { return std::isfinite(f); });
    write_hermite(step, rates_[1].data(), is_finite ? rates_[0].data() : nullptr);
    return is_finite;
  }

  bool redo(double, Correction*, Step&) override { return false; }
  double next_step_size() const override { return control_.fixed_step; }
  int order() const override { return table_.order; }
  int dense_order() const override { return std::min(table_.order, 3); }

  void carry(Memory& memory) override {
    carry_common(memory);
    starter_.carry(memory);
    memory(grid_, t_, direction_, known_, has_rate_, states_, rates_, predicted_, predicted_rate_, corrected_);
  }

 private:
  void get_rate() {
    if (has_rate_) return;
    ++work_.rhs;
    field_(t_, states_[0].data(), rates_[0].data());
    has_rate_ = true;
  }

  Attempt start(double t1, Correction* correction, Step& out) {
    const long long before = starter_.work().rhs;
    starter_.restart(t_, states_[0].data(), direction_, 0, nullptr);
    const Attempt attempt = starter_.step(t1, correction, out);
    work_.rhs += starter_.work().rhs - before;
    if (attempt != Attempt::accepted) {
      failure_ = starter_.failure();
      return attempt;
    }
    ++work_.accepted;
    rates_[0].assign(starter_.start_rate(), starter_.start_rate() + n_);
    return attempt;
  }

  Attempt predict_and_correct(double t1, double h, Correction* correction, Step& out) {
    get_rate();
    if (correction && correction->begin(t_, states_[0].data(), h)) {
      ++work_.rhs;
      field_(t_, states_[0].data(), rates_[0].data());
    }
    for (std::size_t i = 0; i < n_; ++i) {
      double x = 0, increment = 0;
      for (std::size_t past = 0; past < static_cast<std::size_t>(table_.past); ++past) {
        x += table_.alpha[past] * states_[past][i];
        increment += table_.beta[past] * rates_[past][i];
      }
      predicted_[i] = x + h * increment;
    }
    ++work_.rhs;
    field_(t1, predicted_.data(), predicted_rate_.data());
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double increment = table_.gamma_predicted * predicted_rate_[i];
      for (std::size_t past = 0; past < static_cast<std::size_t>(table_.past); ++past) {
        increment += table_.gamma[past] * rates_[past][i];
      }
      const double corrected = states_[0][i] + h * increment, gap = corrected - predicted_[i];
      corrected_[i] = corrected - table_.mop_up_fraction * gap;
      if (!std::isfinite(corrected_[i])) {
        failure_ = {t_, h, 1, static_cast<int>(i)};
        return Attempt::not_finite;
      }
      const double largest = std::max(std::abs(states_[0][i]), std::abs(corrected_[i]));
      const double part = table_.error_fraction * gap / (control_.absolute[i] + control_.relative * largest);
      sum += part * part;
    }
    double error = std::sqrt(sum / static_cast<double>(n_));
    if (correction) {
      const double move = correction->apply(t1, corrected_.data());
      if (!std::isfinite(move)) {
        failure_ = {t_, h, 1, -1};
        return Attempt::step_too_small;
      }
      error = std::max(error, move);
    }
    ++work_.accepted;
    out.t0 = t_;
    out.t1 = t1;
    out.h = h;
    out.span = t1 - t_;
    out.error = error;
    out.forget_polynomial();
    std::copy(states_[0].begin(), states_[0].end(), out.start());
    std::copy(corrected_.begin(), corrected_.end(), out.end());
    return Attempt::accepted;
  }

  // The newest state comes first. After a step of another size the past is no longer evenly spaced and is dropped.
  void remember(const Step& step, bool is_full) {
    std::rotate(states_.begin(), states_.end() - 1, states_.end());
    std::rotate(rates_.begin(), rates_.end() - 1, rates_.end());
    states_[0].assign(step.end(), step.end() + n_);
    known_ = is_full ? std::min(known_ + 1, table_.past) : 1;
    t_ = step.t1;
    has_rate_ = false;
  }

  const PredictorCorrectorTable& table_;
  VectorField field_;
  std::size_t n_;
  StepControl control_;
  ExplicitRungeKutta<rk4, VectorField> starter_;
  FixedGrid grid_;
  double t_ = 0, direction_ = 1;
  int known_ = 1;          // states of the past that can be used
  bool has_rate_ = false;  // rates_[0] belongs to states_[0]
  std::array<std::vector<double>, 4> states_, rates_;
  std::vector<double> predicted_, predicted_rate_, corrected_;
};

}  // namespace

std::span<const PredictorCorrectorTable> predictor_corrector_tables() {
  return tables;
}

std::unique_ptr<Stepper> make_predictor_corrector(const PredictorCorrectorTable& table, const VectorField& field,
                                                  int size, const StepControl& control) {
  return std::make_unique<PredictorCorrector>(table, field, size, control);
}

}  // namespace pawl
