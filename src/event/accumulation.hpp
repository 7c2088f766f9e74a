// Events that accumulate (Zeno): the gaps between the events of one guard shrink like a geometric sequence, so
// infinitely many of them happen before a finite time.
//
//   d_k = t_k - t_(k-1),  r_k = d_k / d_(k-1),  T_k = t_k + d_k r_k / (1 - r_k)
//
// suspected: four gaps shrinking in a row, r_k < 0.95, |r_k - r_(k-1)| <= 0.01 r_k
// trusted:   |r_k - r_(k-1)| shrinking or below 1e-6, and T_k settled
// reached:   T_k - t_k below 1e-6 of the largest gap of the sequence, or a gap below 64 ulp of t; where guards take
//            turns, which comes down to rounding earlier, a gap below 1e-5 of the largest
//
// d_k = q d_(k-1) (1 + c d_k + ...) in smooth systems, so that T_k with the limit q of the ratios errs like q^(2k), and
// is improved twice in the same way, with q² and q³. Event times lose digits as the gaps get short, and each
// improvement multiplies their rounding: of all T_k and their improvements the one counts that still moves least. q is
// the ratio e where that is known (impacts with restitution), else the limit of the r_k, found in the same way. With a
// known ratio the sequence is acted upon when a gap is below 1e-5 of the largest, where the bounces that are left out
// are below rounding of the first.
#pragma once

#include <array>
#include <limits>
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
  // Components that do not shrink like a limit wants, because something else has moved them: in `state` they are those
  // of the last event, and go on with the motion.
  std::vector<bool> goes_on = {};
};

/// The limit of terms whose steps shrink like q^k, but for their own size.
class GeometricLimit {
 public:
  /// The next term, and q as it is known by now.
  void add(double term, double q);
  /// Three extrapolations of the last term.
  double last(int level) const { return values_[static_cast<std::size_t>(level)]; }
  /// The one that moves least by now, and how much it may be off; before four terms there is none.
  bool is_known() const { return terms_ >= 4; }
  double best() const { return best_; }
  double uncertainty() const { return uncertainty_; }

 private:
  static constexpr int levels = 3;
  int terms_ = 0;
  double term_ = 0, best_ = 0, uncertainty_ = std::numeric_limits<double>::infinity();
  std::array<double, levels> values_{}, changes_{};
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
  /// Whether the gaps between its events have been shrinking like those of an accumulation.
  bool is_shrinking(int guard) const;
  /// The same, and towards an instant that is nearer to this one than that far.
  bool is_shrinking_to(int guard, double time, double far) const;
  /// Events of several guards that accumulate at one instant: the one that knows it best tells when. t: now.
  void agree(Accumulation& found, double t, const double* x) const;
  /// Events of one guard so close together that only rounding parts them.
  bool is_chattering(int guard) const;

 private:
  struct Sequence {
    double t = 0, gap = 0, ratio = 0, change = 0, limit = 0, largest_gap = 0, last_ratio = 0;
    int shrinking = 0, settled = 0, events = 0, tiny_gaps = 0;
    double t0 = 0, t1 = 0, t2 = 0;   // the last three events, once suspected
    std::vector<double> x0, x1, x2;  // states after them
    GeometricLimit time, ratios;

    void add_limits(double now, const double* x, double q, Accumulation& found) const;
  };
  /// Gaps of known ratio: time and states, extrapolated three times.
  struct KnownSequence {
    int regular = 0, events = 0;  // gaps in a row that shrink as they should
    double t = 0, gap = 0, largest_gap = 0;
    GeometricLimit time;
    std::vector<double> x, x_first, x_second, change;
  };
  std::optional<Accumulation> note_known(KnownSequence& s, double t, const double* x, int size, double e);
  std::unordered_map<int, Sequence> sequences_;
  std::unordered_map<int, KnownSequence> known_;
};

}  // namespace pawl::event
