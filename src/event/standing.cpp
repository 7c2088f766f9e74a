#include "event/standing.hpp"

namespace pawl::event {

using Outcome = Standing::Outcome;

Standing stand_at_start(const Signs& now, bool is_relation) {
  const int sign = now.sign_from_here();
  // A relation is never armed blindly: a sign other than the one that is held would not be seen.
  return {sign, now.sign == 0 && !(is_relation && sign != 0)};
}

Standing stand_after_firing(int before, const Signs& now, Side side, bool was_touch, bool approaches,
                            const HasMoved& has_moved) {
  if (was_touch && !has_moved()) return {before, true};
  if (side == Side::bilateral) {
    // The finder has proved it beyond, by a few ulp; consistent values may have taken it back.
    if (now.sign != -before && approaches && !has_moved()) return {before, false, Outcome::passes};
    if (now.sign == 0 && !has_moved()) return {-before, false};
    return {now.sign_from_here(), now.sign == 0};
  }
  const bool is_beyond = now.sign != 0 && now.sign == -before;
  if (is_beyond && has_moved()) return {before, false, Outcome::beyond};
  const bool is_zero = now.sign == 0 || is_beyond;  // where no jump has put it beyond, consistent values have
  const bool rests = is_zero && now.slope == 0;
  const int inward = rests ? now.curve : now.slope;
  const bool is_away = now.sign == before && has_moved();  // the jump put it elsewhere: inward is fine
  return {rests && now.curve != before ? 0 : before, is_zero,
          inward != 0 && inward == -before && !is_away ? Outcome::remains : Outcome::stands};
}

Standing stand_after_reset(const Standing& before, const Signs& now, Side side, Direction direction,
                           const HasMoved& has_moved) {
  if (now.sign != before.sign && !has_moved()) return before;  // about to cross, or just across: the chart finds it
  const int sign = now.sign_from_here();
  const bool is_zero = now.sign == 0;
  if (before.sign == 0) {
    // At rest on zero and now pushed beyond it, where it must not be seen.
    const bool is_pushed =
        side == Side::unilateral && direction != Direction::either && sign == static_cast<int>(direction);
    return is_pushed ? Standing{-sign, is_zero, Outcome::fires} : Standing{sign, is_zero};
  }
  if (sign == -before.sign) {
    const bool is_in_direction = direction == Direction::either || static_cast<int>(direction) == sign;
    return is_in_direction ? Standing{before.sign, is_zero, Outcome::fires} : Standing{sign, is_zero};
  }
  return {is_zero ? sign : before.sign, is_zero};
}

// A relation has the sign of its value; where that is zero, the sign it leaves to; where it does not leave, it rests
// and has none. If that is not what is held, it fires; not where consistent values took it back from the sign that is
// held, to which it is on its way.
RelationStanding stand_of_relation(int held, const Signs& now, bool approaches, bool has_fired_early,
                                   const HasMoved& has_moved) {
  const int sign = now.sign_from_here();
  const bool passes_zero = now.sign == 0 && sign != 0 && approaches, starts_at_zero = held == 0;
  const bool is_taken_back = held != 0 && now.sign == -held && approaches;
  if (is_taken_back && !has_fired_early && !has_moved()) return {{-held, false, Outcome::passes}, 0, true};
  if (has_fired_early) return {{passes_zero ? -sign : sign, starts_at_zero}};
  const bool is_going_back = now.sign == 0 && sign == -held;
  if (is_going_back && !has_moved()) return {{held, starts_at_zero}};  // just across: the chart finds what follows
  RelationStanding standing{{passes_zero ? -sign : held, starts_at_zero}, 0, passes_zero};
  if (sign != held) {
    standing.outcome = Outcome::fires;
    standing.after = sign;
  }
  return standing;
}

}  // namespace pawl::event
