// Events that accumulate (Zeno): the gaps between the events of one guard shrink like a geometric sequence, so
// infinitely many of them happen before a finite time.
//
//   d_k = t_k - t_(k-1),  r_k = d_k / d_(k-1),  T_k = t_k + d_k r_k / (1 - r_k)
//
// suspected: four gaps shrinking in a row, r_k < 0.95, |r_k - r_(k-1)| <= 0.01 r_k
// trusted:   |r_k - r_(k-1)| shrinking or below 1e-6, and T_k settled
// reached:   T_k - t_k below 1e-6 of the largest gap of the sequence, or a gap below 64 ulp of t
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

namespace pawl::event {

struct Accumulation {
  double time;         // T_k
  double uncertainty;  // |T_k - T_(k-1)|
  double ratio;
  int events;                 // of the guard so far in this sequence
  std::vector<double> state;  // limit of the states after the events
};

class AccumulationWatch {
 public:
  /// An event of this guard at t, with the state after it. Says where its events accumulate, once that is reached.
  std::optional<Accumulation> note(int guard, double t, const double* x, int size);
  /// The guard has come to rest, or something else has ended the sequence.
  void forget(int guard) { sequences_.erase(guard); }
  /// Events of one guard so close together that only rounding parts them.
  bool is_chattering(int guard) const;

 private:
  struct Sequence {
    double t = 0, gap = 0, ratio = 0, change = 0, limit = 0, largest_gap = 0;
    int shrinking = 0, settled = 0, events = 0, tiny_gaps = 0;
    std::vector<double> x0, x1, x2;  // states after the last three events, once suspected
  };
  std::unordered_map<int, Sequence> sequences_;
};

}  // namespace pawl::event
