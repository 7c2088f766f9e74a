#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "numerics/index.hpp"
#include "simulate/dae_dynamics.hpp"

// The contacts of a mechanism in a mixture: what they ask of the whole.
namespace pawl::detail {

namespace {

/// The least pivot of the contacts that slip: the one quantity that their guards read and that is no unknown.
class Pivot final : public MultiplierSource {
 public:
  explicit Pivot(contact::Contacts& contacts) : contacts_(contacts) {}
  double multiplier(const Point<double>& at, int) const override {
    return contacts_.slip_pivot(at.t, at.states().array, *at.around()->held, at.around()->relays);
  }

 private:
  contact::Contacts& contacts_;
};

}  // namespace

/// What its contacts see of the model beside the mechanism.
class DaeDynamics::Beside final : public contact::Whole {
 public:
  explicit Beside(DaeDynamics& own)
      : own_(own), info_(*own.mechanism()), is_of_mechanism_(own.model_->state_names.size(), false) {
    for (const auto* list : {&info_.positions, &info_.speeds})
      for (const int state : *list) is_of_mechanism_[at(state)] = true;
    for (int row = 0; row < info_.rows; ++row) is_of_mechanism_[at(own.model_->first_multiplier + row)] = true;
    // Its kinematics and its balance follow the equations that were declared; rates come before all.
    std::size_t rows = 0;
    for (const EquationInfo& one : own.model_->equations) rows += at(one.rows);
    balance_ = own.model_->parts->equations.size() + 1;
    first_row_ = static_cast<int>(own.model_->state_names.size() - rows);
    for (std::size_t k = 0; k < balance_; ++k) first_row_ += own.model_->equations[k].rows;
  }

  /// They follow the balance.
  int rows_of_constraints() const { return first_row_ + row_count(); }

  bool rates(double t, const double* x, const Held& held, double* rates) override {
    const Held mode = shared(t, x, held);
    own_.source_ = nullptr;
    const bool is_found = own_.rate(t, x, mode, nullptr, rates);
    own_.source_ = nullptr;
    return is_found;
  }

  bool settled_rates(double t, const double* x, const Held& held, double* rates, double* multipliers) override {
    std::vector<double> y(x, x + is_of_mechanism_.size());
    if (!own_.find(t, y.data(), rates, shared(t, x, held), Settle::drawn).failure.empty()) return false;
    std::copy_n(y.data() + own_.model_->first_multiplier, info_.rows, multipliers);
    return true;
  }

  /// Through unknowns that the balance of forces reads in leading order: those that are impulses where speeds jump.
  bool takes_part(double t, const double* x, const Held& held) override {
    if (t == looked_at_ && held.modes == looked_in_) return takes_part_;
    looked_at_ = t;
    looked_in_ = held.modes;
    const std::vector<Argument> leading = leading_arguments();
    takes_part_ = !leading.empty() && depends(t, x, held, leading);
    return takes_part_;
  }

  std::string respond(double t, const double* x, const Held& held, const Eigen::MatrixXd& along_speeds,
                      const Eigen::MatrixXd& alone, Response& out) override {
    constexpr double same = 1e-12;  // of changes of speeds
    const Held mode = shared(t, x, held);
    std::vector<double> y(x, x + is_of_mechanism_.size()), dy(y.size());
    std::string why = own_.find(t, y.data(), dy.data(), mode, Settle::drawn).failure;
    if (why.empty() && !has_leading_rows()) {
      if (speeds_stay(t, y, mode, alone.rowwise().sum())) return {};
      why = own_.form_->structure().array > 0 ? "equations cancel in combinations that move"
                                              : "the balance of forces is differentiated itself";
    }
    formulate::ImpulseResponse response;
    if (why.empty()) {
      Eigen::MatrixXd on_rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(y.size()), along_speeds.cols());
      on_rows.middleRows(first_row_, along_speeds.rows()) = along_speeds;
      own_.take_up(mode, t, y.data());
      why = formulate::find_impulses(*own_.form_, t, y.data(), dy.data(), on_rows, response);
      own_.source_ = nullptr;
    }
    if (!why.empty()) {
      return fmt::format(
          "impulses go on through equations that bind the speeds of the mechanism, and what they do there is not "
          "known: {}.\n"
          "  try:    a compliant contact (.compliance), which has no impulses",
          why);
    }
    double other = 0;
    for (Eigen::Index i = 0; i < alone.rows(); ++i)
      other = std::max(other, (response.jumps.row(speed(i)) - alone.row(i)).cwiseAbs().maxCoeff());
    if (other <= same * alone.cwiseAbs().maxCoeff()) return {};
    out.multipliers = response.impulses.middleRows(own_.model_->first_multiplier, info_.rows);
    out.jumps = std::move(response.jumps);
    return {};
  }

  void carry(Memory& memory) override { memory(looked_at_, looked_in_, takes_part_); }

 private:
  Held shared(double t, const double* x, Held held) const {  // with contacts as they are tried
    own_.loads_->share(t, x, held);
    return held;
  }
  int speed(Eigen::Index i) const { return info_.speeds[static_cast<std::size_t>(i)]; }
  int row_count() const { return static_cast<int>(info_.speeds.size()); }

  /// Whether impulses are in the rows of the balance as they stand, and jumps in the values of speeds.
  bool has_leading_rows() const {
    const formulate::DaeStructure& structure = own_.form_->structure();
    if (!structure.failure.empty() || structure.array > 0) return false;
    for (const int state : info_.speeds)
      if (structure.d[at(state)] != 1) return false;
    for (std::size_t i = 0; i < structure.rows.size(); ++i) {
      const bool has_balance = std::any_of(structure.rows[i].begin(), structure.rows[i].end(), [&](const auto& part) {
        return part.row >= first_row_ && part.row < first_row_ + row_count();
      });
      if (has_balance && (structure.c[i] > 0 || structure.rows[i].size() > 1)) return false;
    }
    return true;
  }

  struct Argument {
    int state;
    bool is_rate;
  };
  /// What the balance may read beside the mechanism in leading order.
  std::vector<Argument> leading_arguments() const {
    const bool has_order = has_leading_rows();
    const std::vector<int>& d = own_.form_->structure().d;
    std::vector<Argument> all;
    const auto add = [&](const std::vector<int>& states, bool is_rate) {
      for (const int j : states) {
        const bool is_known = std::any_of(
            all.begin(), all.end(), [&](const Argument& one) { return one.state == j && one.is_rate == is_rate; });
        if (!is_of_mechanism_[at(j)] && !is_known && (!has_order || d[at(j)] == (is_rate ? 1 : 0)))
          all.push_back({j, is_rate});
      }
    };
    for (int i = first_row_; i < first_row_ + row_count(); ++i) {
      add(own_.form_->equations().reads()[at(i)].values, false);
      add(own_.form_->equations().reads()[at(i)].rates, true);
    }
    return all;
  }

  /// By its derivatives; where it has none it may.
  bool depends(double t, const double* x, const Held& held, const std::vector<Argument>& on) const {
    constexpr std::size_t width = std::tuple_size_v<decltype(Gradient::slope)>;
    struct Given final : RateSource<Gradient> {
      std::vector<Gradient> values;
      Gradient rate(const Point<Gradient>&, int index) const override { return values[at(index)]; }
    } rates;
    const Function& balance = own_.model_->equations[balance_].f;
    if (!balance.supports<Gradient>()) return true;
    std::vector<Gradient> y(x, x + is_of_mechanism_.size()), rows(info_.speeds.size());
    rates.values.assign(own_.consistent_rates_.begin(), own_.consistent_rates_.end());
    Surroundings<Gradient> around{&held};
    around.rates = &rates;
    for (std::size_t begin = 0; begin < on.size(); begin += width) {
      const std::size_t end = std::min(begin + width, on.size());
      const auto seed = [&](double slope) {
        for (std::size_t k = begin; k < end; ++k)
          (on[k].is_rate ? rates.values : y)[at(on[k].state)].slope[k - begin] = slope;
      };
      seed(1);
      balance(Point<Gradient>(Gradient(t), y.data(), held.parameters.data(), &around), rows.data());
      ++own_.form_->equations().all_dual_evaluations;
      seed(0);
      for (const Gradient& row : rows)
        for (const double slope : row.slope)
          if (slope != 0) return true;
    }
    return false;
  }

  /// Whether consistent values leave speeds where a change that the mechanism allows has put them.
  bool speeds_stay(double t, const std::vector<double>& x, const Held& mode, const Eigen::VectorXd& change) {
    constexpr double kept = 1e-6;  // of the change
    const double largest = change.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return true;
    double size = 0;
    for (const int state : info_.speeds) size = std::max(size, std::abs(x[at(state)]));
    const double factor = (size > 0 ? size : 1) / largest;
    std::vector<double> y = x, dy(x.size());
    for (Eigen::Index i = 0; i < change.size(); ++i) y[at(speed(i))] += factor * change(i);
    if (!own_.find(t, y.data(), dy.data(), mode, Settle::drawn).failure.empty()) return false;
    for (Eigen::Index i = 0; i < change.size(); ++i)
      if (!(std::abs(y[at(speed(i))] - x[at(speed(i))] - factor * change(i)) <= kept * factor * largest)) return false;
    return true;
  }

  DaeDynamics& own_;
  const MechanicsInfo& info_;
  std::vector<bool> is_of_mechanism_;  // per unknown
  std::size_t balance_ = 0;            // the equation that is the balance of forces
  int first_row_ = 0;                  // of it
  double looked_at_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<int> looked_in_;  // modes
  bool takes_part_ = false;
};

void DaeDynamics::decide_contacts(double tolerance) {
  const auto& parts = model_->parts;
  contact_form_ = std::make_shared<formulate::MechanicsForm>(parts, formulate::Formulation());
  contacts_ = std::make_unique<contact::Contacts>(parts, model_, contact_form_, nullptr, tolerance);
  auto beside = std::make_unique<Beside>(*this);
  rows_of_constraints_ = beside->rows_of_constraints();
  contacts_->join(std::move(beside));
  multipliers_ = std::make_unique<Pivot>(*contacts_);
}

/// Whether impacts have changed speeds since then.
bool DaeDynamics::have_struck(const std::vector<double>& before, const double* x) const {
  return !before.empty() && std::any_of(mechanism()->speeds.begin(), mechanism()->speeds.end(),
                                        [&](int state) { return x[state] != before[at(state)]; });
}

/// With the switches. An impact that would drive charge backwards through diodes that conduct finds them blocking: it
/// is decided again with those that carry most of it, until none does. What it makes conduct is decided after it.
Resolution DaeDynamics::resolve_impacts(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                                        Settle why) {
  if (!switches_ || why == Settle::start || !switches_->conducts_freely(held))
    return resolve_contacts(t, x, held, fired, accumulating, why);
  Memory saving;
  contact_form_->carry(saving);
  contacts_->carry(saving);
  const auto saved = saving.take();
  const std::vector<double> from(x, x + model_->state_names.size());
  Held before = held;
  for (;;) {
    Resolution outcome = resolve_contacts(t, x, held, fired, accumulating, why);
    if (!have_struck(from, x) || !outcome.failure.empty()) return outcome;
    std::vector<double> y(x, x + from.size()), dy(from.size());
    if (!find(t, y.data(), dy.data(), before, Settle::drawn).failure.empty()) return outcome;
    take_up(before, t, y.data());
    const std::vector<int> against =
        switches_->against_jump(t, from, y, dy, before, rows_of_constraints_, rows_of_constraints_ + mechanism()->rows);
    source_ = nullptr;
    if (against.empty()) return outcome;
    for (const int k : against) switches_->block(k, before);
    std::copy(from.begin(), from.end(), x);
    held = before;
    Memory restoring(*saved);
    contact_form_->carry(restoring);
    contacts_->carry(restoring);
  }
}

Resolution DaeDynamics::resolve_contacts(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                                         Settle why) {
  return contacts_->resolve(t, x, held, fired, accumulating, why, [this](double at, double* state, const Held& tried) {
    Held mode = tried;
    loads_->share(at, state, mode);
    return make_consistent(at, state, mode, Settle::drawn);
  });
}

}  // namespace pawl::detail
