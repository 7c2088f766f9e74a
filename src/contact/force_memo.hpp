// The forces at all contacts at the instants last asked for: the guards of contacts look at the same instants of a
// step, one after the other, and each instant costs a whole evaluation of the mechanism.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "formulate/mechanics_form.hpp"

namespace pawl::contact {

class ForceMemo {
 public:
  struct Forces {
    double normal = 0;  ///< of a joint: its multiplier
    double slip[2] = {0, 0};
    // Where contacts are redundant, whether some forces hold it is all that can be said: `holds` is above 0 then.
    double holds = 0;
    double opens = 0, breaks[2] = {0, 0};  ///< where none do: the acceleration to which it gives way
  };

  ForceMemo(const System::Declarations& model, std::shared_ptr<formulate::MechanicsForm> form);

  const Forces& forces(const Point<double>& at, int contact) {
    return find(at).forces[static_cast<std::size_t>(contact)];
  }
  double least_pivot(const Point<double>& at) { return find(at).pivot; }
  /// Forces within their cones, where contacts are redundant and the constraints alone do not determine them; false:
  /// not found.
  std::function<bool(const Point<double>& at, std::vector<Forces>& forces)> admissible;
  bool has_redundant_contacts() const;
  /// The mode or something else that is held has changed.
  void clear();
  void carry(Memory& memory) { memory(entries_, next_, last_); }

 private:
  struct Entry {
    double t = 0, pivot = 0;
    bool is_set = false;
    std::vector<double> x;
    std::vector<Forces> forces;
  };
  const Entry& find(const Point<double>& at);

  const MechanicsInfo& info_;
  std::shared_ptr<formulate::MechanicsForm> form_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0, last_ = 0;
};

}  // namespace pawl::contact
