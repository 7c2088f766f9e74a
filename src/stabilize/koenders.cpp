// Koenders (2002), (4.58): one projection x := x - P^T (P P^T)^-1 Φ with P = dΦ/dx at the end of the step. With
// `momenta`, states that no multiplier drives stay where they are: the variant nearest to his Table 6.
#include "formulate/port_hamiltonian_form.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

class Koenders final : public Stabilizer {
 public:
  using Stabilizer::Stabilizer;

 protected:
  bool move(double t, double* x) override {
    ++pulls_.iterations;
    if (!manifold_.refactor(t, x)) {
      failure_ = form_.why();
      return false;
    }
    for (int level = 0; level < manifold_.levels(); ++level) {
      residual_.resize(static_cast<std::size_t>(manifold_.rows(level)));
      manifold_.residual(level, t, x, residual_.data());
      manifold_.correct(level, residual_.data(), x);
    }
    return true;
  }

 private:
  std::vector<double> residual_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_koenders(const Stabilization& how, Form& form, const StepControl& control, int size) {
  if (how.holds_displacements) {
    auto* port_hamiltonian = dynamic_cast<formulate::PortHamiltonianForm*>(&form);
    if (port_hamiltonian == nullptr)
      throw Misuse("stabilization 'koenders(momenta)' is for port-Hamiltonian systems with constraints");
    port_hamiltonian->hold_fixed(port_hamiltonian->displacements());
  }
  return std::make_unique<Koenders>(form, control, size);
}

}  // namespace pawl::stabilize
