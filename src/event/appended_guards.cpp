#include "event/appended_guards.hpp"

#include <algorithm>
#include <cmath>

#include "event/hermite.hpp"

namespace pawl::event {

namespace {

class AppendedGuards final : public Stepper {
 public:
  AppendedGuards(GuardSet& guards, const ActiveField& field, int size, const StepControl& control,
                 const StepperMaker& make)
      : guards_(guards),
        field_(field),
        n_(size),
        probe_(guards, size),
        own_field_{&entry, this, nullptr, nullptr},
        start_(static_cast<std::size_t>(size + guards.declared())),
        start_rate_(start_.size()),
        whole_(static_cast<int>(start_.size())) {
    StepControl extended = control;  // the guards get the strictest absolute tolerance of the states
    extended.absolute.resize(start_.size(), *std::min_element(control.absolute.begin(), control.absolute.end()));
    inner_ = make(VectorField{&own_field_}, static_cast<int>(start_.size()), extended);
  }

  void restart(double t, const double* x, double direction, double first_step, const double* rate) override {
    std::copy_n(x, n_, start_.begin());
    for (int g = 0; g < guards_.declared(); ++g)
      start_[index(g)] = guards_.is_enabled(g) ? guards_.evaluate(g, t, x) : 0;
    if (rate != nullptr) {
      std::copy_n(rate, n_, start_rate_.begin());
      append_rates(t, x, start_rate_.data());
    }
    inner_->restart(t, start_.data(), direction, first_step, rate != nullptr ? start_rate_.data() : nullptr);
    take_over();
  }

  Attempt step(double limit, Correction* correction, Step& out) override {
    const Attempt attempt = inner_->step(limit, correction, whole_);
    take_over();
    if (attempt == Attempt::accepted) copy_to(out);
    return attempt;
  }

  bool interpolate(Step& step) override {
    const bool is_full = inner_->interpolate(whole_);
    take_over();
    copy_polynomial_to(step);
    return is_full;
  }

  std::vector<Message> take_notes() override { return inner_->take_notes(); }
  std::string solver() const override { return inner_->solver(); }
  std::string jacobian_kind() const override { return inner_->jacobian_kind(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const override { return inner_->steps_by_method(); }

  bool redo(double end, Correction* correction, Step& step) override {
    const bool is_done = inner_->redo(end, correction, whole_);
    take_over();
    if (is_done) copy_to(step);
    return is_done;
  }

  void carry(Memory& memory) override {
    carry_common(memory);
    memory(whole_);
    inner_->carry(memory);
  }
  double next_step_size() const override { return inner_->next_step_size(); }
  int order() const override { return inner_->order(); }
  int dense_order() const override { return inner_->dense_order(); }
  double dense_weight() const override { return inner_->dense_weight(); }

 private:
  static void entry(const void* self, const Point<double>& at, double* rates) {
    const auto* me = static_cast<const AppendedGuards*>(self);
    const double* x = at.states().array;
    me->field_.call(me->field_.self, Point<double>(at.t, x, me->field_.parameters, me->field_.around), rates);
    me->append_rates(at.t, x, rates);
  }

  // A guard that is not watched stands still; one that is not a number here makes the trial step fail, not the run.
  void append_rates(double t, const double* x, double* rates) const {
    const double length = whole_.span != 0 ? std::abs(whole_.span) : 1e-3;  // for difference quotients of black boxes
    probe_.read(t, x, rates, 1, length);
    for (int g = 0; g < guards_.declared(); ++g) rates[index(g)] = guards_.is_enabled(g) ? probe_.look(g).rate : 0;
  }

  std::size_t index(int guard) const { return static_cast<std::size_t>(n_ + guard); }

  void copy_to(Step& out) const {
    out.t0 = whole_.t0;
    out.t1 = whole_.t1;
    out.h = whole_.h;
    out.span = whole_.span;
    out.error = whole_.error;
    std::copy_n(whole_.start(), n_, out.start());
    std::copy_n(whole_.end(), n_, out.end());
    out.forget_polynomial();
    if (whole_.degree() > 0) copy_polynomial_to(out);
  }
  void copy_polynomial_to(Step& out) const {
    std::copy_n(whole_.coefficients(), static_cast<std::ptrdiff_t>(n_) * (whole_.degree() + 1),
                out.make_polynomial(whole_.degree()));
  }
  void take_over() {
    work_ = inner_->work();
    failure_ = inner_->failure();
    if (failure_.component >= n_) failure_.component = -1;
    stiffness_ = inner_->stiffness();
  }

  GuardSet& guards_;
  const ActiveField& field_;
  int n_;
  mutable GuardProbe probe_;
  ActiveField own_field_;
  std::vector<double> start_, start_rate_;
  Step whole_;
  std::unique_ptr<Stepper> inner_;
};

}  // namespace

std::unique_ptr<Stepper> append_guards(GuardSet& guards, const ActiveField& field, int size, const StepControl& control,
                                       const StepperMaker& make) {
  return std::make_unique<AppendedGuards>(guards, field, size, control, make);
}

}  // namespace pawl::event
