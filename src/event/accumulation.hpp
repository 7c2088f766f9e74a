// Events that accumulate (Zeno): the gaps between the events of one guard shrink like a geometric sequence, so
// infinitely many of them happen before a finite time.
//
//   d_k = t_k - t_(k-1),  r_k = d_k / d_(k-1),  T_k = t_k + d_k r_k / (1 - r_k)
//
// suspected: four gaps shrinking in a row, r_k < 0.95, |r_k - r_(k-1)| <= 0.01 r_k
// trusted:   |r_k - r_(k-1)| shrinking or below 1e-6, and T_k settled
// reached:   T_k - t_k below 1e-6 of the largest gap of the sequence, or a gap below 64 ulp of t
//
// Where the ratio e is known (impacts with restitution), d_k = e d_(k-1) (1 + c d_k + ...), so that T_k with r = e errs
// like e^(2k), and is improved twice in the same way, with e² and e³. Impact times lose digits as the bounces get
// flat, so the best of the T_k counts: the one that moved least. It is acted upon when a gap is below 1e-5 of the
// largest, where the bounces that are left out are below rounding of the first.
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
  /// known_ratio: of the gaps, where they shrink; 0: not known.
  std::optional<Accumulation> note(int guard, double t, const double* x, int size, double known_ratio = 0);
  /// The guard has come to rest, or something else has ended the sequence.
  void forget(int guard) {
    sequences_.erase(guard);
    known_.erase(guard);
  }
  /// Events of one guard so close together that only rounding parts them.
  bool is_chattering(int guard) const;

 private:
  struct Sequence {
    double t = 0, gap = 0, ratio = 0, change = 0, limit = 0, largest_gap = 0, last_ratio = 0;
    int shrinking = 0, settled = 0, events = 0, tiny_gaps = 0;
    std::vector<double> x0, x1, x2;  // states after the last three events, once suspected
  };
  /// Gaps of known ratio: time and states, extrapolated three times.
  struct KnownSequence {
    int regular = 0, events = 0;  // gaps in a row that shrink as they should
    double t = 0, gap = 0, largest_gap = 0, first = 0, second = 0, third = 0, change = 0, least_change = 0;
    std::vector<double> x, x_first, x_second;
    Accumulation best;
  };
  std::optional<Accumulation> note_known(KnownSequence& s, double t, const double* x, int size, double e);
  std::unordered_map<int, Sequence> sequences_;
  std::unordered_map<int, KnownSequence> known_;
};

}  // namespace pawl::event
