// Nothing moves; or, in state-space form, only what follows from the independent coordinates.
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

class None final : public Stabilizer {
 public:
  using Stabilizer::Stabilizer;

 protected:
  bool move(double, double*) override { return true; }
  bool moves() const override { return false; }
};

class Dependent final : public Stabilizer {
 public:
  Dependent(formulate::MechanicsForm& form, const StepControl& control, int size)
      : Stabilizer(form, control, size), mechanics_(form) {}

 protected:
  bool move(double t, double* x) override {
    ++pulls_.iterations;
    if (mechanics_.terms().rows() == 0 || mechanics_.solve_dependent(t, x)) return true;
    failure_ = "the dependent coordinates cannot be solved for";
    return false;
  }

 private:
  formulate::MechanicsForm& mechanics_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_none(const Stabilization&, Form& form, const StepControl& control, int size) {
  return std::make_unique<None>(form, control, size);
}

std::unique_ptr<Stabilizer> make_dependent(const Stabilization&, Form& form, const StepControl& control, int size) {
  return std::make_unique<Dependent>(dynamic_cast<formulate::MechanicsForm&>(form), control, size);
}

}  // namespace pawl::stabilize
