// Where more contacts carry a load than it needs, their forces are not determined, and whether some forces within the
// cones hold it is all that can be said. While those that the constraints share by least norm are within the cones,
// they do, and they are smooth functions of the motion. Where they are not it is the answer of a complementarity
// problem, which is none: the guards of contacts are sampled then, one after the other at the same instants, and each
// instant is solved once.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "formulate/mechanics_form.hpp"

namespace pawl::contact {

class SharedForces {
 public:
  struct Forces {
    double normal = 0, slip[2] = {0, 0};
    double holds = 0;                      ///< above 0: it was asked, and this is a typical size of such answers
    double opens = 0, breaks[2] = {0, 0};  ///< where no forces hold it: the acceleration to which it gives way
  };
  /// Forces of all contacts; false: not found.
  using Solve = std::function<bool(const Point<double>& at, std::vector<Forces>& forces)>;

  SharedForces(const System::Declarations& model, std::shared_ptr<formulate::MechanicsForm> form, Solve solve);

  /// Whether some contact in force is redundant. Where joints have friction the forces of the constraints count: theirs
  /// press.
  bool are_needed() const;
  /// Null: the forces of this contact are those of its constraints.
  const Forces* find(const Point<double>& at, int contact);
  /// The mode or something else that is held has changed.
  void clear();
  void carry(Memory& memory) { memory(entries_, next_, last_); }

 private:
  struct Entry {
    double t = 0;
    bool is_set = false;
    std::vector<double> x;
    std::vector<Forces> forces;
  };

  const MechanicsInfo& info_;
  std::shared_ptr<formulate::MechanicsForm> form_;
  Solve solve_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0, last_ = 0;
  bool has_joint_friction_ = false;
};

/// A source of multipliers that knows them, for the guards of contacts.
class SharedForceSource {
 public:
  virtual ~SharedForceSource() = default;
  /// Null: the forces of this contact are those of its constraints.
  virtual const SharedForces::Forces* shared_force(const Point<double>& at, int contact) const = 0;
};

}  // namespace pawl::contact
