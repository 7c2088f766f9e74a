#include "event/appended_guards.hpp"

#include <algorithm>
#include <cmath>

#include "event/hermite.hpp"

namespace pawl::event {

namespace {

class AppendedGuards final : public Companions {
 public:
  AppendedGuards(GuardSet& guards, const ActiveField& of_states, int size, const StepControl& of_run)
      : Companions(size, guards.declared()), guards_(guards), of_states_(of_states), probe_(guards, size) {
    field = {&entry, this, nullptr, nullptr};
    control = of_run;  // the guards get the strictest absolute tolerance of the states
    control.absolute.resize(start.size(), *std::min_element(of_run.absolute.begin(), of_run.absolute.end()));
  }

  void extend(double t, const double* x, const double* rate) override {
    std::copy_n(x, states, start.begin());
    for (int g = 0; g < guards_.declared(); ++g)
      start[index(g)] = guards_.is_enabled(g) ? guards_.evaluate(g, t, x) : 0;
    if (rate == nullptr) return;
    std::copy_n(rate, states, start_rate.begin());
    append_rates(t, x, start_rate.data());
  }

 private:
  static void entry(const void* self, const Point<double>& at, double* rates) {
    const auto* me = static_cast<const AppendedGuards*>(self);
    const double* x = at.states().array;
    const ActiveField& field = me->of_states_;
    field.call(field.self, Point<double>(at.t, x, field.parameters, field.around), rates);
    me->append_rates(at.t, x, rates);
  }

  // A guard that is not watched stands still; one that is not a number here makes the trial step fail, not the run.
  void append_rates(double t, const double* x, double* rates) const {
    const double length = whole.span != 0 ? std::abs(whole.span) : 1e-3;  // for difference quotients of black boxes
    probe_.read(t, x, rates, 1, length);
    for (int g = 0; g < guards_.declared(); ++g) rates[index(g)] = guards_.is_enabled(g) ? probe_.look(g).rate : 0;
  }

  std::size_t index(int guard) const { return static_cast<std::size_t>(states + guard); }

  GuardSet& guards_;
  const ActiveField& of_states_;
  mutable GuardProbe probe_;
};

}  // namespace

std::unique_ptr<Companions> append_guards(GuardSet& guards, const ActiveField& field, int size,
                                          const StepControl& control) {
  return std::make_unique<AppendedGuards>(guards, field, size, control);
}

}  // namespace pawl::event
