// Contradictions: declarations that only states and modes show not to be what they say. A model is looked at when it is
// compiled (check_declarations.hpp); a run looks again where it begins, after events that lead to a mode it has not
// been in, and after its events number 1, 2, 4, 8, ... Between events nothing is asked, and a look costs functions of
// the structure alone; a declared Jacobian costs two evaluations of the rates, or, where these take duals, one sweep.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/message.hpp"
#include "simulate/look.hpp"

namespace pawl::detail {

/// Entries of J come in pairs, x and -x, those of R in pairs of the same number. Empty: they do, here.
std::string structure_fault(const Look& look);

/// Whether the slip speeds of contacts and friction are linear in the speeds, by equal steps along two ways. Empty:
/// they are, here.
std::string slip_fault(const Look& look);

/// R is not positive semidefinite: its least eigenvalue, and along which efforts.
struct NegativeLoss {
  double value;
  std::string direction;
};
std::optional<NegativeLoss> find_negative_loss(const Look& look);

/// An entry of the declared Jacobian that is not that of the rates.
struct WrongEntry {
  int row, column;
  double declared, found;
};

class Contradictions {
 public:
  explicit Contradictions(std::shared_ptr<const System::Declarations> model);

  /// At the start and after events: what a user should know, or, as the last one, why the run ends here.
  std::vector<Message> look(double t, const std::vector<double>& x, const Held& held);
  void carry(Memory& memory) { memory(events_, seen_, has_said_loss_, has_said_jacobian_, suspicions_, evaluations); }

  long long evaluations = 0;  ///< of the rates

 private:
  using Mode = std::pair<std::vector<int>, std::vector<signed char>>;
  bool is_due(const Held& held);
  double size_of(std::size_t state, double value) const;
  std::optional<WrongEntry> wrong_entry(double t, const std::vector<double>& x, const Held& held);
  std::optional<WrongEntry> worst_entry(double t, const std::vector<double>& x, const Held& held,
                                        const std::vector<double>& declared);

  std::shared_ptr<const System::Declarations> model_;
  const System::Declarations& parts_;  // as they were declared, where they have been put together
  bool has_structure_ = false, has_slip_ = false, has_jacobian_ = false;
  long long events_ = 0;
  std::vector<Mode> seen_;
  bool has_said_loss_ = false, has_said_jacobian_ = false;
  int suspicions_ = 0;  // that came to nothing
};

}  // namespace pawl::detail
