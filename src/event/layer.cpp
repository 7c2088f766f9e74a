#include "event/layer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "numerics/rounding.hpp"

namespace pawl::event {

Layer::Layer(detail::Dynamics& dynamics, std::shared_ptr<const Held> start, ActiveField& field,
             const StepControl& control, const LayerOptions& options, int size)
    : model_(dynamics.model()),
      is_smooth_(!model_.has_events()),
      options_(options),
      held_(*start),
      field_(field),
      control_(control),
      sliding_(dynamics, held_, size),
      guards_(dynamics, held_, sliding_, size),
      arming_(guards_, dynamics.rates(), held_, control, watched(size)),
      pull_(model_, held_, sliding_, control, size),
      transitions_(dynamics, held_, guards_, arming_, sliding_, field, pull_, std::move(start)),
      finder_(options.finder->make(guards_, arming_, watched(size), options.location)),
      micro_(VectorField{&field}, size, control),
      size_(size),
      scale_(is_smooth_ ? 0 : static_cast<std::size_t>(size)),
      piece_scale_(scale_.size()) {
  field.parameters = held_.parameters.data();
  field.around = transitions_.around();
}

int Layer::watched(int size) const {
  return guards_.declared() == 0 && options_.finder->kind == FinderInfo::Kind::certified ? 0 : size;
}

std::unique_ptr<Companions> Layer::append_guards() {
  if (!finder_->appends_guards() || control_.fixed_step > 0 || guards_.declared() == 0) return nullptr;
  if (model_.is_implicit()) return nullptr;  // its equations have them
  return event::append_guards(guards_, field_, size_, control_);
}

Verdict Layer::begin(double t, double end, std::vector<double>& x, const std::vector<double>& start_rate) {
  direction_ = sliding_.direction = end < t ? -1 : 1;
  end_ = end;
  schedule_.emplace(model_, held_, t, direction_);
  for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = std::abs(x[i]);
  step_size_ = std::min(std::abs(end - t), 1.0) * 1e-3;
  last_event_ = t;
  if (is_smooth_) {
    rate_ = start_rate.empty() ? nullptr : start_rate.data();
    return {};
  }
  rate_ = transitions_.rate().data();
  std::vector<Event>& events = initial_events_.emplace();
  Verdict verdict = transitions_.begin(here(t, x), events);
  Event event;
  event.kind = EventKind::initial;
  Cause start;
  start.is_start = true;
  if (verdict.goes_on() && model_.transition) verdict = open(t, x, start, event, events);
  event.kind = EventKind::time;
  Cause due;
  due.time_events = schedule_->take(t, 0);
  if (verdict.goes_on() && !due.time_events.empty()) verdict = open(t, x, due, event, events);
  fired_ = std::count_if(events.begin(), events.end(), [](const Event& one) { return fires(one.kind); });
  return verdict;
}

// What happens at the first instant, after truths and modes have been decided.
Verdict Layer::open(double t, std::vector<double>& x, const Cause& cause, const Event& event,
                    std::vector<Event>& events) {
  const Verdict verdict = transitions_.apply(here(t, x), cause, event, events);
  return verdict.goes_on() ? reschedule(t) : verdict;
}

// Times and periods that the jumps of an event have changed.
Verdict Layer::reschedule(double t) {
  const std::string wrong = schedule_->refresh(held_, t, transitions_.requests());
  return wrong.empty() ? Verdict{} : Verdict::failed(MessageCode::wrong_schedule, t, {{"why", wrong}});
}

double Layer::limit(double end) const {
  if (is_smooth_) return end;
  const double next = schedule_->next(), corner = next_corner();
  const double first = direction_ * (corner - next) < 0 ? corner : next;
  return direction_ * (first - end) < 0 ? first : end;
}

double Layer::next_corner() const {
  double next = direction_ * std::numeric_limits<double>::infinity();
  for (const HeldInput& input : held_.inputs) {
    const auto& pieces = input.signal->pieces();
    const auto border = static_cast<std::size_t>(input.piece + (direction_ > 0 ? 1 : 0));
    if (border == 0 || border == pieces.size()) continue;
    const double corner = pieces[border].begin;
    if (direction_ * (corner - next) < 0) next = corner;
  }
  return next;
}

std::vector<int> Layer::inputs_at_corner(double t, double slack) const {
  std::vector<int> all;
  for (std::size_t u = 0; u < held_.inputs.size(); ++u) {
    const auto& pieces = held_.inputs[u].signal->pieces();
    const auto border = static_cast<std::size_t>(held_.inputs[u].piece + (direction_ > 0 ? 1 : 0));
    if (border == 0 || border == pieces.size()) continue;
    if (direction_ * (pieces[border].begin - t) <= slack) all.push_back(static_cast<int>(u));
  }
  return all;
}

bool Layer::micro_step(double t, const std::vector<double>& x, double limit, Step& step) {
  is_in_cluster_ = false;
  if (is_smooth_ || !finder_->is_paced_by_layer()) return false;
  if (!std::exchange(is_after_event_, false) || control_.fixed_step > 0 || sliding_.is_active()) return false;
  const double ahead = arming_.first_forecast();
  if (!(ahead < step_size_ / 1000)) return false;
  const double length = ahead * (1 + 1e-4) + 8 * eps * std::abs(t) + options_.location.window;
  is_in_cluster_ = micro_.take(t, x.data(), transitions_.rate().data(), direction_ * length, limit, step);
  return is_in_cluster_;
}

std::optional<Found> Layer::first(Trial& trial) {
  if (guards_.size() == 0) return std::nullopt;
  see_scale(trial.step);
  const long long before = trial.driver != nullptr ? trial.driver->evaluations() : 0;
  auto found = finder_->first(trial);
  if (trial.driver != nullptr && found) rhs_for_location_ += trial.driver->evaluations() - before;
  return found;
}

bool Layer::is_due(const Step& step, const std::optional<Found>& found) const {
  if (is_smooth_) return false;
  const double slack = found ? found->uncertainty + 4 * eps * std::abs(step.t1) : 0;
  return direction_ * (schedule_->next() - step.t1) <= slack || direction_ * (next_corner() - step.t1) <= slack;
}

// The step that ends at an event may be as short as rounding: what a state was since the event before counts too.
void Layer::take_scale(const Step& step) {
  see_scale(step);
  scale_ = piece_scale_;
  std::fill(piece_scale_.begin(), piece_scale_.end(), 0.0);
}

void Layer::see_scale(const Step& step) {
  for (std::size_t i = 0; i < piece_scale_.size(); ++i)
    piece_scale_[i] = std::max({piece_scale_[i], std::abs(step.start()[i]), std::abs(step.end()[i])});
}

Verdict Layer::happen(const Step& step, std::optional<Found>& found, std::vector<double>& x,
                      std::vector<Event>& events) {
  take_scale(step);
  Cause cause;
  Event event;
  if (found) {
    cause.guards = std::move(found->guards);
    event.zeros = std::move(found->zeros);
    event.uncertainty = found->uncertainty;
    event.is_clamped = found->is_clamped;
    in_rounding_ = found->is_in_rounding ? in_rounding_ + 1 : 0;
    event.is_within_tolerance = found->is_within_tolerance;
    event.iterations = found->iterations;
    event.extra_evaluations = found->extra_evaluations;
  } else {
    event.kind = EventKind::time;
  }
  const double slack = found ? found->uncertainty + 4 * eps * std::abs(step.t1) : 0;
  cause.time_events = schedule_->take(step.t1, slack);
  cause.inputs = inputs_at_corner(step.t1, slack);
  const std::size_t first = events.size();
  Verdict verdict = transitions_.apply(here(step.t1, x), cause, std::move(event), events);
  const double t = step.t1;
  for (std::size_t i = first; i < events.size(); ++i) fired_ += fires(events[i].kind) ? 1 : 0;
  if (t != last_event_ && !is_in_cluster_) {  // gaps inside a cluster say nothing about the next one
    gap_before_ = gap_;
    gap_ = std::abs(t - last_event_);
  }
  last_event_ = t;
  if (verdict.goes_on()) verdict = begin_piece(t, x, cause);
  return verdict.goes_on() ? watch_accumulation(t, x, cause.guards) : verdict;
}

Verdict Layer::change(double t, std::vector<double>& x, const Change& jump, std::vector<Event>& events) {
  Cause cause;
  cause.change = &jump;
  Event event;
  event.kind = EventKind::change;
  scale_.resize(x.size());
  for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = std::max(scale_[i], std::abs(x[i]));
  const std::size_t first = events.size();
  Verdict verdict = transitions_.apply(here(t, x), cause, std::move(event), events);
  for (std::size_t i = first; i < events.size(); ++i) fired_ += fires(events[i].kind) ? 1 : 0;
  rate_ = transitions_.rate().data();
  last_event_ = t;
  return verdict.goes_on() ? begin_piece(t, x, cause) : verdict;
}

// Time events, the limit of events and the finder, once a transition is made.
Verdict Layer::begin_piece(double t, const std::vector<double>& x, const Cause& cause) {
  is_after_event_ = true;
  if (Verdict verdict = reschedule(t); !verdict.goes_on()) return verdict;
  if (fired_ >= options_.most_events)
    return {Ending::terminated,
            make_message(MessageCode::most_events, t, {{"events", static_cast<long long>(fired_)}})};
  finder_->begin_piece({t, x.data(), transitions_.rate().data(), scale_.data(), step_size_, direction_, {}, false});
  recent_.push_back(cause.guards.size() == 1 && cause.time_events.empty() ? cause.guards.front() : -1);
  if (recent_.size() > 5) recent_.erase(recent_.begin());
  return {};
}

// Whether the last events were those of one guard, or of others whose events accumulate at the same instant: then the
// states after its own are a sequence, and have a limit.
bool Layer::is_alone(int guard, double t, const Accumulation& where) const {
  return recent_.size() == 5 && std::all_of(recent_.begin(), recent_.end(), [&](int g) {
           const double ahead = std::abs(where.time - t);
           return g == guard ||
                  (g >= 0 && where.ratio > 0 && accumulation_watch_.is_shrinking_to(g, where.time, ahead));
         });
}

// The relays that switch infinitely often before the same instant; none where no control keeps the motion on all of
// their surfaces.
std::vector<int> Layer::corner_of(int guard, Accumulation& where) {
  const auto is_free_relay = [this](int g) {
    if (guards_.is_exit(g)) return false;
    const GuardInfo& info = guards_.info(g);
    return (info.role == GuardRole::relay_up || info.role == GuardRole::relay_down) &&
           model_.relays[static_cast<std::size_t>(info.role_index)].hysteresis == 0;
  };
  if (!is_free_relay(guard)) return {};
  std::vector<int> all;
  for (int g = 0; g < guards_.size(); ++g)
    if (g == guard || (is_free_relay(g) && accumulation_watch_.is_shrinking(g))) all.push_back(g);
  if (!transitions_.has_corner(here(where.time, where.state), all)) all.clear();
  return all;
}

// Whether where the events of a guard accumulate it would be seen, or another one, where it must never be. Contacts
// alone: without their laws a guard is put back (below).
bool Layer::is_passed(int guard, const Accumulation& where) {
  const bool is_of_contact = guards_.is_of_contact(guard);
  for (int g = 0; g < guards_.declared(); ++g) {
    if ((g == guard && !is_of_contact) || !guards_.is_enabled(g) || !guards_.is_forbidden(g, -arming_[g].sign) ||
        arming_[g].sign == 0)
      continue;
    if (arming_.rest().sign_beyond(Rest::Band::rounding, g, where.time, where.state.data()) == -arming_[g].sign)
      return true;
  }
  return false;
}

// A state extrapolated beyond zero by rounding is moved back the shortest way, each state measured by its size; what
// else moves is where it will be then. False: no way leads back.
bool Layer::is_brought_back(int guard, Accumulation& where) {
  const double sign = arming_[guard].sign;
  std::vector<double> trial = where.state;
  const auto distance = [&] { return sign * guards_.evaluate(guard, where.time, trial.data()); };
  const double beyond = distance();
  if (!(beyond < 0)) return true;
  std::vector<double> way(trial.size());
  double slope = 0;
  for (std::size_t i = 0; i < trial.size(); ++i) {
    const double size = arming_.rest().largest(i), h = std::sqrt(eps) * size;
    if (h == 0) continue;
    trial[i] += h;
    const double change = (distance() - beyond) / h * size;
    trial[i] = where.state[i];
    way[i] = change * size;
    slope += change * change;
  }
  for (double times = 1; times <= 1024; times *= 2) {  // the move itself is rounded
    for (std::size_t i = 0; i < trial.size(); ++i) trial[i] = where.state[i] - times * beyond / slope * way[i];
    if (!(distance() >= 0)) continue;
    where.state = trial;
    return true;
  }
  return false;
}

Verdict Layer::end_at_accumulation(double t, int guard, const Accumulation& where) const {
  const GuardInfo& info = guards_.info(guard);
  const bool is_relay = info.role == GuardRole::relay_up || info.role == GuardRole::relay_down;
  return {options_.fails_at_accumulation ? Ending::failed : Ending::terminated,
          make_message(MessageCode::accumulation, t,
                       {{"guard", guards_.name(guard)},
                        {"at", where.time},
                        {"how", where.ratio > 0 ? fmt::format("gaps shrink by {:.6g} each", where.ratio)
                                                : "it leaves zero by less than rounding"},
                        {"events", static_cast<long long>(where.events)},
                        {"advice", is_relay ? "no single control within the levels of its relays keeps the motion "
                                              "there: give the relay hysteresis"
                                            : "declare what happens there: .at_accumulation(...) on the guard"}})};
}

Verdict Layer::watch_accumulation(double t, const std::vector<double>& x, const std::vector<int>& guards) {
  for (const int g : guards) {
    if (guards_.is_exit(g)) continue;
    const auto& ratio = guards_.info(g).gap_ratio;
    auto found = accumulation_watch_.note(g, t, x.data(), static_cast<int>(x.size()), ratio ? ratio(held_) : 0.0);
    if (!found && in_rounding_ >= 32) found = Accumulation{t, gap_, 0, in_rounding_, x};
    if (found && direction_ * (found->time - end_) < 0) {
      accumulating_guard_ = g;
      corner_.clear();
      if (found->ratio > 0) accumulation_watch_.agree(*found, t, x.data());
      // What else has jumped has no limit: from here on as the motion goes.
      const bool none_has = !is_alone(g, t, *found);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (none_has || (i < found->goes_on.size() && found->goes_on[i]))
          found->state[i] = x[i] + (found->time - t) * transitions_.rate()[i];
      }
      transitions_.put_on_manifold(found->time, found->state);
      if (is_passed(g, *found)) return {};  // what comes first happens first
      // Contacts, whose ratio is known, are settled onto zero.
      if (guards_[g].side == Side::unilateral && !ratio && !is_brought_back(g, *found)) {
        found->time = t;
        found->state = x;
      }
      const GuardInfo& info = guards_.info(g);
      if (info.at_accumulation || (model_.transition && info.role != GuardRole::guard)) {
        accumulation_ = found;
        return {};
      }
      corner_ = corner_of(g, *found);
      if (corner_.empty()) return end_at_accumulation(t, g, *found);
      accumulation_ = found;
      return {};
    }
    if (accumulation_watch_.is_chattering(g)) {
      if (guards_.info(g).at_accumulation) {  // what is declared for infinitely many serves for these
        accumulating_guard_ = g;
        corner_.clear();
        accumulation_ = Accumulation{t, gap_, 0, 16, x};
        return {};
      }
      return Verdict::failed(MessageCode::chattering, t, {{"guard", guards_.name(g)}});
    }
  }
  return {};
}

Verdict Layer::accumulate(const Accumulation& where, std::vector<double>& x, std::vector<Event>& events) {
  const int guard = accumulating_guard_;
  Cause cause;
  cause.is_corner = !corner_.empty();
  cause.guards = cause.is_corner ? std::exchange(corner_, {}) : std::vector{guard};
  cause.accumulating = guard;
  Event event;
  event.kind = EventKind::accumulation;
  event.uncertainty = where.uncertainty;
  arming_[guard].after = 0;  // a relation is zero there
  for (const int g : cause.guards) accumulation_watch_.forget(g);
  ++fired_;
  Verdict verdict = transitions_.apply(here(where.time, x), cause, std::move(event), events);
  if (verdict.goes_on()) verdict = reschedule(where.time);
  last_event_ = where.time;
  gap_ = gap_before_ = 0;
  is_after_event_ = true;
  if (verdict.goes_on())
    finder_->begin_piece(
        {where.time, x.data(), transitions_.rate().data(), scale_.data(), step_size_, direction_, {}, false});
  return verdict;
}

void Layer::carry(Memory& memory) {
  memory(held_, step_size_, end_, scale_, piece_scale_, initial_events_, last_event_, gap_, gap_before_,
         is_after_event_, is_in_cluster_, step_of_mode_, fired_, rhs_for_location_, recent_, in_rounding_,
         accumulation_watch_, accumulation_, accumulating_guard_, corner_);
  bool has_rate = rate_ == transitions_.rate().data();
  memory(has_rate);
  rate_ = has_rate ? transitions_.rate().data() : nullptr;
  if (schedule_) schedule_->carry(memory);
  sliding_.carry(memory);
  transitions_.carry(memory);
  micro_.carry(memory);
  if (guards_.declared() == 0) return;  // nobody is armed, asleep or seen
  guards_.carry(memory);
  arming_.carry(memory);
  finder_->carry(memory);
}

void Layer::report(std::vector<Event>& events) {
  if (initial_events_) {
    events.insert(events.end(), initial_events_->begin(), initial_events_->end());
    initial_events_.reset();
  }
  for (const Sighting& sighting : finder_->sightings()) {
    Event event;
    event.t = sighting.t;
    event.kind = sighting.kind == Sighting::Kind::touch        ? EventKind::touch
                 : sighting.kind == Sighting::Kind::near_touch ? EventKind::near_touch
                                                               : EventKind::departure;
    event.sources.push_back(guards_.source(sighting.guard));
    event.held_before = event.held_after = transitions_.snapshot();
    events.push_back(std::move(event));
  }
}

std::size_t Layer::mode_key(int method) const {
  std::size_t key = 1469598103934665603ULL;
  const auto mix = [&key](std::size_t value) { key = (key ^ value) * 1099511628211ULL; };
  mix(static_cast<std::size_t>(method));
  for (const int mode : held_.modes) mix(static_cast<std::size_t>(mode) + 3);
  for (const signed char truth : held_.truths) mix(static_cast<std::size_t>(truth) + 7);
  for (const RelaySide side : held_.sides) mix(static_cast<std::size_t>(static_cast<int>(side) + 11));
  return key;
}

void Layer::remember_step(double size, int method) {
  step_size_ = size;
  if (is_smooth_) return;
  if (step_of_mode_.size() > 4096) step_of_mode_.clear();
  step_of_mode_[mode_key(method)] = size;
}

double Layer::start_step() const {
  return options_.location.first_step > 0 ? options_.location.first_step : finder_->restart_size();
}

// The event says nothing about smoothness in the new mode: keep the step, or the last one of that mode; but do not go
// much beyond where the next event is to be expected.
double Layer::first_step(double wanted, int method) const {
  if (!finder_->is_paced_by_layer()) {
    const double own = finder_->restart_size();
    return own > 0 ? std::min(own, wanted) : 0;
  }
  const auto known = step_of_mode_.find(mode_key(method));
  double size = known != step_of_mode_.end() ? known->second : wanted;
  const double pace = 1.25 * std::max(gap_, gap_before_);
  if (pace > 0) size = std::min(size, pace);
  return std::max(size, 16 * eps * std::abs(last_event_));
}

EventStatistics Layer::statistics() const {
  EventStatistics all;
  all.events = fired_;
  all.guards = guards_.size();
  all.guard_ranges = guards_.work.ranges;
  all.guard_points = guards_.work.points;
  all.iterations = finder_->work().iterations;
  all.discarded = finder_->work().discarded;
  all.wrong_order = finder_->work().wrong_order;
  all.false_roots = finder_->work().false_roots;
  all.rhs_for_location = rhs_for_location_;
  all.micro_steps = micro_.work().accepted;
  if (options_.finder->kind == FinderInfo::Kind::none) return all;  // nothing is promised
  for (std::size_t d = 0; d < model_.guards.size(); ++d) {
    const GuardInfo& guard = model_.guards[d];
    const bool is_certified =
        options_.finder->kind == FinderInfo::Kind::certified;  // the others know no declarations and prove nothing
    const bool is_bounded = is_certified && (guard.min_width > 0 || guard.rate_bound > 0);
    const bool is_proved = is_certified && guard.is_generic() && !guards_.was_sampled(static_cast<int>(d));
    all.guarantees.push_back({guard.name, is_proved    ? Assurance::proved
                                          : is_bounded ? Assurance::bounded
                                                       : Assurance::sampled});
  }
  return all;
}

long long Layer::evaluations() const {
  return transitions_.evaluations + micro_.work().rhs + sliding_.extra_evaluations + arming_.extra_evaluations +
         guards_.rate_evaluations();
}

std::vector<Message> Layer::take_notes() {
  std::vector<Message> notes;
  if (!guards_.has_doubts()) return notes;
  for (const GuardSet::Doubt& doubt : guards_.take_doubts())
    notes.push_back(make_message(MessageCode::guard_undecided, doubt.t,
                                 {{"guard", guards_.name(doubt.guard)}, {"why", doubt.why}}));
  return notes;
}

Message Layer::describe(const GuardNotANumber& failure) const {
  return make_message(MessageCode::guard_not_a_number, failure.t, {{"guard", guards_.name(failure.guard)}});
}

}  // namespace pawl::event
