// The finder of DASPKE: G. Mao and L. R. Petzold, Efficient integration over discontinuities for differential-algebraic
// systems, Computers and Mathematics with Applications 43 (2002) 65, section 3.
//
//   signs       every guard has a logical value, +1 or -1; where it differs at the end of the step there is a root
//   first root  the Illinois algorithm on the dense output, until the bracket is narrower than delta_1
//   even roots  no sign changed, but a guard's derivative has: the guards are looked at in the middle. Some changed:
//               guards that did not, but whose derivative did, are searched before the first root
//   equivalence guards that change sign within delta_2 behind the root fire with it, at the end of that band
//   re-arming   after an event signs are taken, and roots sought, from t* + h_min on, h_min = 4 eps max(|t|, |t_end|)
//   appended    the guards take part in the error control (appended_guards.hpp)
//
// Looking at signs only it is DASRT (Petzold, as that paper describes it): signs are those of the numbers at the start
// of each step, whatever was proved before, and neither derivatives nor a band are looked at. It skips zeros in pairs,
// and where consistent values move a guard back across zero it fires again. It is there to be compared with.
//
// Where this differs from the paper: it has no unilateral guards; for those the near end of the bracket is taken, so
// they are never seen beyond zero. A root whose direction does not fire only changes the sign, and the search goes on
// from it.
#include <algorithm>
#include <cmath>

#include "event/finder.hpp"
#include "event/hermite.hpp"
#include "event/sign_chart.hpp"
#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {

constexpr double default_width = 1e-9;  // delta_1 and delta_2 of the paper

class Daspke final : public EventFinder {
 public:
  Daspke(GuardSet& guards, Arming& arming, int size, const FinderOptions& options)
      : guards_(guards), arming_(arming), options_(options), probe_(guards, size), x_(static_cast<std::size_t>(size)) {
    delta_1_ = options.location_tolerance > 0 ? options.location_tolerance : default_width;
    delta_2_ = options.window > 0 ? options.window : default_width;
  }

  void begin_piece(const Moment&) override { is_new_ = true; }
  void carry(Memory& memory) override {
    EventFinder::carry(memory);
    memory(fired_, is_new_);
  }
  bool is_paced_by_layer() const override { return false; }
  bool appends_guards() const override { return options_.appends_guards; }

  std::optional<Found> first(Trial& trial) override {
    sightings_.clear();
    trial.ensure_polynomial();
    step_ = &trial.step;
    evaluations_ = trial.driver != nullptr ? trial.driver->evaluations() : 0;
    iterations_ = 0;
    const bool is_new = std::exchange(is_new_, false);
    double from = options_.looks_at_signs_only ? read_numbers() : is_new ? rearm(trial.end) : read_signs();
    for (;;) {
      const auto root = first_root(from, 1);
      if (!root) {
        for (const Watched& w : watched_) remember(w, guards_.evaluate(w.guard, step_->t1, step_->end()));
        return std::nullopt;
      }
      bool fires_any = false;
      for (const Watched& w : watched_) fires_any |= has_changed(w, root->right) && fires(w);
      if (fires_any) return settle(trial, *root, from);
      for (Watched& w : watched_) {
        if (has_changed(w, root->right)) w.sign = -w.sign;
      }
      from = root->right;
    }
  }

 private:
  struct Watched {
    int guard, sign;
  };
  struct Bracket {
    double left, right;  // θ
  };

  bool fires(const Watched& w) const {
    const Direction direction = guards_[w.guard].direction;
    return direction == Direction::either || static_cast<int>(direction) == -w.sign;
  }
  bool is_unilateral(const Watched& w) const { return guards_[w.guard].side == Side::unilateral; }

  double value_at(int guard, double theta) {
    evaluate_polynomials(step_->coefficients(), step_->size(), step_->degree(), theta, x_.data());
    const double t = step_->t0 + theta * step_->span;
    const double g = guards_.evaluate(guard, t, x_.data());
    if (std::isnan(g)) throw GuardNotANumber(guard, t);
    return g;
  }
  bool has_changed(const Watched& w, double theta) {
    return w.sign != 0 && sign_of(value_at(w.guard, theta)) == -w.sign;  // a guard at rest has no sign to change
  }

  double read_signs() {
    watched_.clear();
    for (int g = 0; g < guards_.size(); ++g) {
      if (guards_.is_enabled(g)) watched_.push_back({g, arming_[g].sign});
    }
    for (Watched& w : watched_) {
      if (w.sign == 0) w.sign = sign_of(value_at(w.guard, 0));
    }
    return 0;
  }

  // DASRT: a guard that is zero at the start has the sign that it has a little later.
  double read_numbers() {
    watched_.clear();
    const double length = std::abs(step_->span);
    const double later = std::min(0.5, 100 * eps * (std::abs(step_->t0) + length) / length);
    for (int g = 0; g < guards_.size(); ++g) {
      if (!guards_.is_enabled(g)) continue;
      const int sign = sign_of(value_at(g, 0));
      watched_.push_back({g, sign != 0 ? sign : sign_of(value_at(g, later))});
    }
    return 0;
  }

  // The first step of a piece: signs are those at t* + h_min, and nothing is sought before. A guard that was far from
  // zero and now has another sign has crossed: that is an event; so it is for conditions and relays, which stand for
  // their sign.
  double rearm(double end) {
    read_signs();
    const double shortest = 4 * eps * std::max(std::abs(step_->t0), std::abs(end));
    const double theta = std::min(0.5, shortest / std::abs(step_->span));
    for (Watched& w : watched_) {
      const int now = sign_of(value_at(w.guard, theta));
      const bool has_fired = std::find(fired_.begin(), fired_.end(), w.guard) != fired_.end();
      if (arming_[w.guard].starts_at_zero || (has_fired && !guards_.holds_truth(w.guard) && !guards_.is_exit(w.guard)))
        w.sign = now != 0 ? now : -w.sign;
    }
    fired_.clear();
    return theta;
  }

  // One sign change between a and b: narrowed until it is shorter than delta_1.
  Bracket illinois(const Watched& w, double a, double b) {
    const double least = std::max(delta_1_, 2 * resolution(step_->t0 + b * step_->span)) / std::abs(step_->span);
    double ga = value_at(w.guard, a), gb = value_at(w.guard, b);
    for (int last = 0; b - a > least; ++iterations_) {
      double x = b - gb * (b - a) / (gb - ga);
      if (!(x > a && x < b)) x = 0.5 * (a + b);
      x = std::clamp(x, a + 0.25 * least, b - 0.25 * least);  // so that both ends close in
      const double g = value_at(w.guard, x);
      if (sign_of(g) == -w.sign) {
        if (last == 1) ga *= 0.5;
        b = x;
        gb = g;
        last = 1;
      } else {
        if (last == 2) gb *= 0.5;
        a = x;
        ga = g;
        last = 2;
      }
    }
    return {a, b};
  }

  // The strategy table of section 3.1.2.
  std::optional<Bracket> first_root(double a, double b) {
    std::vector<unsigned char> has_change(watched_.size());
    std::vector<Node> at_a(watched_.size()), at_b(watched_.size());
    probe_.read_at(*step_, a);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      at_a[i] = probe_(watched_[i].guard);
      // Jets and numbers may round to different sides of zero.
      if (sign_of(at_a[i].value) == -watched_[i].sign && has_changed(watched_[i], a)) return Bracket{a, a};
    }
    probe_.read_at(*step_, b);
    std::optional<Bracket> root;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      at_b[i] = probe_(watched_[i].guard);
      has_change[i] = sign_of(at_b[i].value) == -watched_[i].sign ? 1 : 0;
    }
    const auto search = [&](const Watched& w, double end) {
      if (has_changed(w, end)) root = illinois(w, a, end);
    };
    bool has_turned = false;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      if (has_change[i]) search(watched_[i], root ? root->right : b);
      has_turned |= !has_change[i] && at_a[i].rate * at_b[i].rate < 0;
    }
    if (!has_turned || options_.looks_at_signs_only) return root;
    if (!root) {
      for (const Watched& w : watched_) search(w, root ? root->right : 0.5 * (a + b));
      return root;
    }
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      if (has_change[i] || !(at_a[i].rate * at_b[i].rate < 0)) continue;
      const double end = root->right;
      search(watched_[i], end);
      if (root->right == end) search(watched_[i], 0.5 * (a + end));
    }
    return root;
  }

  std::optional<Found> settle(Trial& trial, const Bracket& root, double from) {
    Step& step = trial.step;
    const double direction = step.span < 0 ? -1 : 1, length = std::abs(step.span);
    const double end_of_run = std::abs(trial.limit - step.t0) / length;
    double theta = root.right, width = root.right - root.left;
    std::vector<Watched> fired;
    bool has_unilateral = false;
    for (const Watched& w : watched_) {
      if (has_changed(w, root.right) && fires(w) && is_unilateral(w)) {
        const Bracket own = root.left == root.right ? root : illinois(w, from, root.right);
        theta = std::min(theta, own.left);
        has_unilateral = true;
      }
    }
    for (const Watched& w : watched_) {
      if (has_changed(w, root.right) && fires(w) && (is_unilateral(w) || !has_unilateral)) fired.push_back(w);
    }
    if (!has_unilateral && !options_.looks_at_signs_only) {
      const double band = std::min(root.right + delta_2_ / length, end_of_run);
      std::vector<Watched> more;
      bool is_blocked = false;
      for (const Watched& w : watched_) {
        if (has_changed(w, root.right) || !has_changed(w, band) || !fires(w)) continue;
        is_blocked |= is_unilateral(w);
        more.push_back(w);
      }
      if (!more.empty() && !is_blocked) {
        fired.insert(fired.end(), more.begin(), more.end());
        theta = band;
        width += delta_2_ / length;
      }
    }
    double t = step.t0 + theta * step.span;
    for (int attempt = 0; attempt < 16; ++attempt) {  // the numbers that are stored must be on the right side
      if (direction * (t - step.t0) <= 0) {
        step.t1 = step.t0;
        std::copy(step.start(), step.start() + step.size(), step.end());
        trial.was_cut = true;
        break;
      }
      if (direction * (t - trial.end) > 0) t = trial.end;
      trial.cut(t);
      const bool is_right = std::all_of(fired.begin(), fired.end(), [&](const Watched& w) {
        const int sign = sign_of(guards_.evaluate(w.guard, step.t1, step.end()));
        return is_unilateral(w) ? sign != -w.sign : sign == -w.sign;
      });
      if (is_right || (t == trial.end && !has_unilateral)) break;
      t += std::ldexp(resolution(t), attempt) * (has_unilateral ? -direction : direction);
    }
    Found found;
    for (const Watched& w : watched_) remember(w, guards_.evaluate(w.guard, step.t1, step.end()));
    for (const Watched& w : fired) {
      found.guards.push_back(w.guard);
      found.zeros.push_back(step.t1);
      fired_.push_back(w.guard);
      arming_[w.guard].sign = static_cast<signed char>(w.sign);
      arming_[w.guard].starts_at_zero = false;
    }
    found.uncertainty = width * length;
    found.iterations = iterations_;
    work_.iterations += iterations_;
    if (trial.driver != nullptr) found.extra_evaluations = trial.driver->evaluations() - evaluations_;
    return found;
  }

  void remember(const Watched& w, double value) {
    if (std::isnan(value)) throw GuardNotANumber(w.guard, step_->t1);
    Armed& armed = arming_[w.guard];
    armed.sign = static_cast<signed char>(value != 0 ? sign_of(value) : w.sign);
    armed.starts_at_zero = false;
  }

  GuardSet& guards_;
  Arming& arming_;
  FinderOptions options_;
  GuardProbe probe_;
  double delta_1_, delta_2_;
  const Step* step_ = nullptr;
  std::vector<double> x_;
  std::vector<Watched> watched_;
  std::vector<int> fired_;  // at the event before this piece
  bool is_new_ = true;      // the first step of a piece
  long long evaluations_ = 0;
  int iterations_ = 0;
};

}  // namespace

std::unique_ptr<EventFinder> make_daspke(GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
  return std::make_unique<Daspke>(guards, arming, size, options);
}

}  // namespace pawl::event
