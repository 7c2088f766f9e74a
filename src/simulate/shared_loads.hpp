// Constraints of a mechanism in a mixture that follow from others: which rows are left out, and how the load is shared.
//
// Where rows of G depend on each other, N^T G = 0, forces along N move nothing. The multipliers are those of least
// norm, N^T λ = 0: equations in the place of the rows that are left out. N is that of the position at the last event;
// it need not stay a basis, only regular against the one of the day. A contact that would have to pull is left
// unloaded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "formulate/mechanics_form.hpp"
#include "pawl/message.hpp"
#include "pawl/system.hpp"

namespace pawl::detail {

class SharedLoads {
 public:
  explicit SharedLoads(std::shared_ptr<const System::Declarations> mechanism);

  /// The mode of a motion from here. Returns whether rows are left out. unloaded: rows without load, if that can be.
  bool share(double t, const double* x, Held& held, const std::vector<int>& unloaded = {});
  /// The same at the start, where constraints are not met yet: where the mechanism is put, with these states fixed.
  bool share_at_start(double t, const double* x, Held& held, const std::vector<std::string>& fixed);

  /// Why the motion cannot go on: what was left out last follows from others in this position alone. Empty: it can.
  std::string describe_singular(double t) const;
  /// Where a row that is left out does not hold any more although the others do: which one, and by how much. Empty: all
  /// hold. allowed: by how much states may be off.
  std::string violation(double t, const double* x, const Held& held, const double* allowed);
  /// Joints that were left out last, and have not been told of.
  std::vector<Message> take_notes(double t);
  void forget_notes() { told_.clear(); }
  void carry(Memory& memory) { memory(told_); }

 private:
  using Shared = std::shared_ptr<const System::Declarations>;
  bool look(const double* x, Held& held);
  bool share_here(double t, Held& held, const std::vector<int>& unloaded);
  bool project(formulate::MechanicsForm& form, double t, std::vector<double>& x,
               const std::vector<std::string>& fixed) const;
  Eigen::VectorXd free_motion() const;
  std::vector<double> moved(const Eigen::VectorXd& along, double share) const;

  Shared mechanism_;
  std::optional<formulate::MechanicsForm> form_;
  std::vector<double> x_;  // where it looked last
  Held held_;
  std::vector<int> told_;  // rows
  std::optional<formulate::MechanicsForm> watch_;
  std::vector<int> left_out_;  // rows
};

}  // namespace pawl::detail
