#include "integrate/order_ladder.hpp"

#include <algorithm>
#include <utility>

namespace pawl {

namespace {

constexpr std::size_t most_known = 8;
constexpr int most_patience = 96;
// Times a piece of one step, from which on its next step would be far too long. Orders 8 and 5 allow steps whose ratio
// is 0.5 at tolerance 1e-6 and 0.35 at 1e-11, but for their constants.
constexpr double far_too_long = 8;

}  // namespace

void OrderLadder::Rung::remember(Known piece) {
  if (known.size() < most_known)
    known.push_back(piece);
  else
    known[std::exchange(oldest, (oldest + 1) % most_known)] = piece;
}

// That of the cheapest among pieces of about that length, or of the one nearest in length; in proportion where all of
// them are much shorter.
double OrderLadder::Rung::expected_cost(double length) const {
  const auto distance = [length](const Known& one) {  // as a factor, 1 or more
    return std::max(one.length / length, length / one.length);
  };
  const Known& nearest = *std::min_element(known.begin(), known.end(),
                                           [&](const Known& a, const Known& b) { return distance(a) < distance(b); });
  double cost = nearest.cost * std::max(1.0, 0.5 * length / nearest.length);
  for (const Known& one : known)
    if (distance(one) < 1.5) cost = std::min(cost, one.cost);
  return cost;
}

double OrderLadder::Rung::largest_cost() const {
  double largest = 0;
  for (const Known& one : known) largest = std::max(largest, one.cost);
  return largest;
}

OrderLadder::OrderLadder(const std::vector<int>& stages) {
  for (const int one : stages) rungs_.push_back({one});
}

void OrderLadder::end_piece(const Piece& piece) {
  if (piece.steps == 0 || !(piece.length > 0)) return;
  const bool is_evident = rung_ == 0 && piece.steps == 1 && piece.next_step >= far_too_long * piece.length;
  const bool is_first = std::exchange(is_first_, false);
  if (std::exchange(is_part_, false) || (is_first && !is_evident)) return;
  const auto cost = static_cast<double>(piece.evaluations);
  rungs_[rung_].remember({piece.length, cost});
  if (rung_ > 0) {
    const Rung& above = rungs_[rung_ - 1];
    const double expected = above.expected_cost(piece.length);
    balance_ = std::max(balance_ + cost - expected, -2.0 * above.stages);  // old gains do not pay for ever
    if (balance_ > 0.1 * expected) return climb();
  }
  short_pieces_ = piece.steps <= (piece.ends_again ? 4 : 3) ? short_pieces_ + (is_evident ? 3 : 1) : 0;
  if (short_pieces_ < patience_ || rung_ + 1 == static_cast<int>(rungs_.size())) return;
  ++rung_;
  short_pieces_ = 0;
  balance_ = 0;
}

bool OrderLadder::has_grown_long(long long evaluations) const {
  return rung_ > 0 && static_cast<double>(evaluations) > 1.5 * rungs_[rung_ - 1].largest_cost();
}

void OrderLadder::climb_within_piece() {
  climb();
  is_part_ = true;
}

void OrderLadder::climb() {
  --rung_;
  short_pieces_ = 0;
  balance_ = 0;
  patience_ = std::min(2 * patience_, most_patience);
}

void OrderLadder::carry(Memory& memory) {
  for (Rung& one : rungs_) memory(one.known, one.oldest);
  memory(rung_, short_pieces_, patience_, balance_, is_first_, is_part_);
}

}  // namespace pawl
