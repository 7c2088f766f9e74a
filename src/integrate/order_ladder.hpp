// OrderLadder: which of several explicit methods takes the next smooth piece, from one event to the next. Where events
// leave few steps between them a high order does not pay: its stages are spent on steps that the event cuts short.
//
//   down   the last pieces took few steps each: the next lower order is tried. A piece of one step of the highest
//          order, where the error would allow a much longer one, says as much as three: a lower order takes it in one
//          step, too
//   up     pieces cost more evaluations than pieces of such a length did one rung higher; or one grows long, in its
//          middle
//
// Every way up doubles the number of short pieces before the next try, so that the rungs cannot take turns for ever.
#pragma once

#include <vector>

#include "pawl/memory.hpp"

namespace pawl {

class OrderLadder {
 public:
  struct Piece {
    double length;
    long long steps, evaluations;  ///< accepted; all of them
    bool ends_again;               ///< the last step was taken again, to end at the event: one more for every method
    double next_step = 0;          ///< that the error would allow, had the piece gone on
  };

  /// Evaluations per step of the methods, the highest order first; it is the first to be used.
  explicit OrderLadder(const std::vector<int>& stages);

  int rung() const { return rung_; }
  void end_piece(const Piece& piece);
  /// Whether a piece that has cost so many evaluations by now should go on one rung higher.
  bool has_grown_long(long long evaluations) const;
  void climb_within_piece();
  void carry(Memory& memory);

 private:
  struct Known {
    double length, cost;
  };
  struct Rung {
    int stages;
    std::vector<Known> known = {};  // the last pieces, in no order
    std::size_t oldest = 0;

    void remember(Known piece);
    /// Of a piece of that length; never asked before it has taken one.
    double expected_cost(double length) const;
    double largest_cost() const;
  };
  void climb();

  std::vector<Rung> rungs_;
  int rung_ = 0, short_pieces_ = 0, patience_ = 3;
  double balance_ = 0;                      // evaluations beyond those expected one rung higher, over the last pieces
  bool is_first_ = true, is_part_ = false;  // what runs began at no event: the first one, or one that has climbed
};

}  // namespace pawl
