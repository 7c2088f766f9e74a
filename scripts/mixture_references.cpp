// Reference solutions of the mixtures of the catalogue, computed without pawl: loops are closed and joints resolved by
// hand, every piece between events is extrapolated in 113-bit arithmetic, and each event is located by secants on the
// end of the last step. Prints the states at the end, how far two tolerances agree, and how often each event happened.
//
//   g++ -std=gnu++20 -O2 scripts/mixture_references.cpp -lquadmath -o /tmp/mixtures && /tmp/mixtures [problem]
#include <cstdio>
#include <map>
#include <string>

#include "extrapolation.hpp"

namespace {

const Number far = 1e30Q, longest = 1e-3Q;  // a step: no event begins and ends within one

struct Model {
  virtual ~Model() = default;
  virtual std::vector<std::string> names() const = 0;
  virtual State start() const = 0;
  virtual Number end() const = 0;
  virtual void rates(Number t, const State& x, State& rate) const = 0;
  /// Above zero until they fire.
  virtual std::vector<Number> guards(Number t, const State& x) const = 0;
  virtual void fire(int guard, Number t, State& x) = 0;
  /// The next time that is known beforehand, and what happens then.
  virtual Number next_time() const { return far; }
  virtual void arrive(Number /*t*/, State& /*x*/) {}
  /// What follows from the state at the end.
  virtual std::vector<std::pair<std::string, Number>> derived(const State& /*x*/) const { return {}; }

  std::map<std::string, int> events;
};

State run(Model& model, Number tolerance) {
  State x = model.start();
  Number t = 0, H = 1e-6Q;
  bool is_fresh = true;  // at the start, or just after an event
  const Field field = [&model](Number time, const State& at, State& rate) { model.rates(time, at, rate); };
  while (t < model.end()) {
    Number limit = model.next_time();
    const bool is_known = limit < model.end();
    if (!is_known) limit = model.end();
    const bool at_limit = t + H >= limit;
    const Number step = at_limit ? limit - t : H;
    Number error = 0, unused = 0;
    State next = extrapolate(field, t, x, step, error);
    if (error > tolerance) {
      H = step * growth(error, tolerance);
      continue;
    }
    // What has just reached zero leaves it: after an event nothing is looked for in the first hundredth of the step.
    const Number from = is_fresh ? step / 100 : Number(0);
    const auto before = model.guards(t + from, is_fresh ? extrapolate(field, t, x, from, unused) : x),
               after = model.guards(t + step, next);
    int first = -1;
    Number when = step;
    State there;
    for (std::size_t g = 0; g < before.size(); ++g) {
      if (!(before[g] > 0 && after[g] <= 0)) continue;
      Number low = from, high = step, f_low = before[g], f_high = after[g], root = high;
      State at_root;
      for (int round = 0; round < 200; ++round) {
        root = round % 3 == 2 ? (low + high) / 2 : low + (high - low) * f_low / (f_low - f_high);
        at_root = extrapolate(field, t, x, root, unused);
        const Number value = model.guards(t + root, at_root)[g];
        (value > 0 ? low : high) = root;
        (value > 0 ? f_low : f_high) = value;
        if (high - low < 1e-30Q || value == 0) break;
      }
      if (first >= 0 && root >= when) continue;
      first = static_cast<int>(g);
      when = root;
      there = at_root;
    }
    if (first >= 0) {
      x = there;
      t += when;
      model.fire(first, t, x);
      H = 1e-7Q;
      is_fresh = true;
      continue;
    }
    is_fresh = false;
    x = next;
    t = at_limit ? limit : t + step;
    if (!at_limit) H *= growth(error, tolerance);
    if (H > longest) H = longest;
    if (at_limit && is_known) {
      model.arrive(t, x);
      H = 1e-7Q;
      is_fresh = true;
    }
  }
  return x;
}

// A motor behind a chopper turns a crank, whose rod pushes a slider with dry friction against an end stop.
class Servo final : public Model {
 public:
  std::vector<std::string> names() const override {
    return {"i", "crank", "crank'", "sensor", "drawn", "heat", "friction work"};
  }
  State start() const override { return {0, 0.4Q, 0, 0, 0, 0, 0}; }
  Number end() const override { return 0.0503Q; }
  void rates(Number, const State& x, State& rate) const override {
    const Geometry g = geometry(x[angle]);
    const Number w = x[speed], i = drive_ == Drive::idle ? Number(0) : x[current];
    const Number slope = 2 * (rod * g.dpsi * g.ddpsi + mass * g.ds * g.dds);
    rate[current] = drive_ == Drive::idle ? Number(0) : ((drive_ == Drive::source ? E : 0) - R * i - k * w) / L;
    rate[angle] = w;
    rate[speed] = slides_ == 0 ? Number(0) : (k * i - slides_ * rubbing * g.ds - slope * w * w / 2) / inertia(g);
    rate[sensor] = (w - x[sensor]) / lag;
    rate[drawn] = drive_ == Drive::source ? E * i : Number(0);
    rate[heat] = R * i * i;
    rate[friction] = rubbing * slides_ * g.ds * w;
  }
  std::vector<Number> guards(Number, const State& x) const override {
    const Geometry g = geometry(x[angle]);
    return {drive_ == Drive::diode ? x[current] : Number(1), g.s - stop,
            slides_ == 0 ? rubbing * fabsq(g.ds) - k * x[current] : g.ds * x[speed] * slides_,
            drive_ == Drive::idle ? x[speed] : Number(1)};
  }
  void fire(int guard, Number, State& x) override {
    const Geometry g = geometry(x[angle]);
    if (guard == 0) drive_ = Drive::idle, x[current] = 0, ++events["current ends"];
    if (guard == 1) {
      impacts_ += inertia(g) * x[speed] * x[speed] * (1 - e * e) / 2;
      x[speed] *= -e;
      slides_ = -slides_;
      ++events["impact"];
    }
    if (guard == 2) {
      ++events[slides_ == 0 ? "slider begins" : "slider turns"];
      if (slides_ != 0 && k * x[current] < rubbing * fabsq(g.ds)) std::puts("it would stick: not foreseen");
      slides_ = -1;  // the crank turns forward, and the slider back
      x[speed] = 0;
    }
    if (guard == 3) drive_ = Drive::diode, ++events["diode begins"];
    if (drive_ == Drive::idle && x[speed] < 0) drive_ = Drive::diode;
  }
  Number next_time() const override {
    Number first = (periods_ + 1) * T;
    if ((samples_ + 1) * Ts < first) first = (samples_ + 1) * Ts;
    return closed_ && pulse_end() < first ? pulse_end() : first;
  }
  void arrive(Number t, State& x) override {
    if (closed_ && t == pulse_end()) {
      closed_ = false;
      drive_ = x[current] > 0 ? Drive::diode : Drive::idle;
      ++events["pulse ends"];
    }
    if (t == (samples_ + 1) * Ts) {
      ++samples_;
      const Number lack = target - x[sensor];
      integral_ += Ts * lack;
      duty_ = 0.5Q + gain * lack + integral_gain * integral_;
      if (duty_ > 0.9Q) duty_ = 0.9Q;
      if (duty_ < 0.1Q) duty_ = 0.1Q;
      ++events["sample"];
    }
    if (t == (periods_ + 1) * T) {
      ++periods_;
      begun_ = t;
      closed_ = true;
      drive_ = Drive::source;
      ++events["period"];
    }
  }
  std::vector<std::pair<std::string, Number>> derived(const State& x) const override {
    const Geometry g = geometry(x[angle]);
    return {{"rod", asinq(a * sinq(x[angle]) / l)},
            {"rod'", g.dpsi * x[speed]},
            {"slider", g.s},
            {"slider'", g.ds * x[speed]},
            {"impact loss", impacts_}};
  }

 private:
  static constexpr Number E = 24, L = 0.002Q, R = 1, k = 0.05Q, T = 0.001Q, Ts = 0.002Q;
  static constexpr Number crank = 1e-4Q, rod = 1e-5Q, mass = 0.05Q, a = 0.03Q, l = 0.1Q;
  static constexpr Number rubbing = 0.2Q, lag = 1e-5Q, e = 0.6Q, stop = 0.08Q;
  static constexpr Number target = 60, gain = 0.004Q, integral_gain = 0.2Q;
  enum { current, angle, speed, sensor, drawn, heat, friction };
  enum class Drive { source, diode, idle };
  struct Geometry {
    Number s, ds, dds, dpsi, ddpsi;  // slider and rod angle by the crank angle
  };
  static Geometry geometry(Number phi) {
    const Number sine = a * sinq(phi) / l, cosine = sqrtq(1 - sine * sine);
    const Number dpsi = a * cosq(phi) / (l * cosine);
    const Number ddpsi = (-a * sinq(phi) / l + sine * dpsi * dpsi) / cosine;
    return {a * cosq(phi) + l * cosine, -a * sinq(phi) - l * sine * dpsi,
            -a * cosq(phi) - l * (cosine * dpsi * dpsi + sine * ddpsi), dpsi, ddpsi};
  }
  static Number inertia(const Geometry& g) { return crank + rod * g.dpsi * g.dpsi + mass * g.ds * g.ds; }
  Number pulse_end() const { return begun_ + duty_ * T; }

  Drive drive_ = Drive::source;
  int slides_ = 0;  // sign of the slider's speed; 0: it sticks
  Number impacts_ = 0, duty_ = 0.5Q, integral_ = 0, begun_ = 0;
  bool closed_ = true;
  int periods_ = 0, samples_ = 0;
};

// A motor whose voltage a relay switches drives a load through a gear with backlash, in which teeth meet without
// bounce.
class BacklashDrive final : public Model {
 public:
  std::vector<std::string> names() const override {
    return {"motor", "motor'", "load", "load'", "i", "sensor", "drawn", "heat"};
  }
  State start() const override { return {0, 0, 0, 0, 0, 0, 0, 0}; }
  Number end() const override { return 0.05Q; }
  void rates(Number, const State& x, State& rate) const override {
    const Number torque = k * x[current], brake = -drag * x[load_speed];
    rate[motor] = x[motor_speed];
    rate[load] = x[load_speed];
    rate[motor_speed] = side_ == 0 ? torque / Jm : (torque + brake) / (Jm + Jl);
    rate[load_speed] = side_ == 0 ? brake / Jl : (torque + brake) / (Jm + Jl);
    rate[current] = (level_ - R * x[current] - k * x[motor_speed]) / L;
    rate[sensor] = (x[current] - x[sensor]) / lag;
    rate[drawn] = level_ * x[current];
    rate[heat] = R * x[current] * x[current] + drag * x[load_speed] * x[load_speed];
  }
  std::vector<Number> guards(Number t, const State& x) const override {
    const Number twist = x[motor] - x[load], lack = wanted * sinq(omega * t) - x[sensor];
    // The motor pushes the load by what the load takes of the common acceleration.
    const Number push = Jl * (k * x[current] - drag * x[load_speed]) / (Jm + Jl) + drag * x[load_speed];
    return {side_ == 0 ? room - twist : Number(1), side_ == 0 ? room + twist : Number(1),
            side_ == 0 ? Number(1) : side_ * push, level_ > 0 ? lack + band / 2 : band / 2 - lack};
  }
  void fire(int guard, Number, State& x) override {
    if (guard <= 1) {
      side_ = guard == 0 ? 1 : -1;
      const Number apart = x[motor_speed] - x[load_speed];
      impacts_ += Jm * Jl / (Jm + Jl) * apart * apart / 2;
      x[motor_speed] = x[load_speed] = (Jm * x[motor_speed] + Jl * x[load_speed]) / (Jm + Jl);
      ++events["teeth meet"];
    }
    if (guard == 2) side_ = 0, ++events["teeth part"];
    if (guard == 3) level_ = -level_, ++events["relay"];
  }
  std::vector<std::pair<std::string, Number>> derived(const State&) const override {
    return {{"v", level_}, {"impact loss", impacts_}};
  }

 private:
  static constexpr Number L = 0.002Q, R = 1, k = 0.05Q, Jm = 2e-5Q, Jl = 1e-4Q, drag = 2e-3Q, room = 0.02Q, lag = 1e-4Q;
  static constexpr Number supply = 12, wanted = 2, band = 0.5Q, omega = 40;
  enum { motor, motor_speed, load, load_speed, current, sensor, drawn, heat };
  Number level_ = -supply;  // inside its band a relay begins below
  Number impacts_ = 0;
  int side_ = 0;  // of the gear whose teeth touch
};

// A pendulum on a rod is kicked by the current of a coil that a half-wave rectifier feeds.
class CoilPendulum final : public Model {
 public:
  std::vector<std::string> names() const override { return {"angle", "angle'", "i", "filter", "drawn", "heat"}; }
  State start() const override { return {0.3Q, 0, 0, 0, 0, 0}; }
  Number end() const override { return 1; }
  void rates(Number t, const State& x, State& rate) const override {
    const Number i = conducts_ ? x[current] : Number(0);
    rate[angle] = x[speed];
    rate[speed] = -gravity * sinq(x[angle]) + k * i;
    rate[current] = conducts_ ? (voltage(t) - R * i - k * x[speed]) / L : Number(0);
    rate[filter] = (k * i - x[filter]) / lag;
    rate[drawn] = voltage(t) * i;
    rate[heat] = R * i * i;
  }
  std::vector<Number> guards(Number t, const State& x) const override {
    return {conducts_ ? x[current] : k * x[speed] - voltage(t)};
  }
  void fire(int, Number, State& x) override {
    ++events[conducts_ ? "diode blocks" : "diode conducts"];
    conducts_ = !conducts_;
    if (!conducts_) x[current] = 0;
  }
  std::vector<std::pair<std::string, Number>> derived(const State& x) const override {
    return {{"x", sinq(x[angle])},
            {"x'", cosq(x[angle]) * x[speed]},
            {"y", -cosq(x[angle])},
            {"y'", sinq(x[angle]) * x[speed]},
            {"rod", x[speed] * x[speed] + gravity * cosq(x[angle])}};
  }

 private:
  static constexpr Number gravity = 9.81Q, k = 0.5Q, L = 0.01Q, R = 1, omega = 100, amplitude = 10, lag = 1e-5Q;
  static Number voltage(Number t) { return amplitude * sinq(omega * t); }
  enum { angle, speed, current, filter, drawn, heat };
  bool conducts_ = true;
};

template <class Kind>
void report(const std::string& name, const std::string& wanted) {
  if (!wanted.empty() && wanted != name) return;
  Kind coarse, fine;
  const State rough = run(coarse, 1e-23Q), x = run(fine, 1e-26Q);
  std::printf("%s, t = %.6g\n", name.c_str(), static_cast<double>(fine.end()));
  const auto print = [](const std::string& what, Number value) {
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.22Qg", value);
    std::printf("  %-14s %s\n", what.c_str(), text);
  };
  Number worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    print(fine.names()[i], x[i]);
    if (fabsq(x[i] - rough[i]) > worst) worst = fabsq(x[i] - rough[i]);
  }
  for (const auto& [what, value] : fine.derived(x)) print(what, value);
  std::printf("  two tolerances differ by %.1e\n", static_cast<double>(worst));
  for (const auto& [what, count] : fine.events) std::printf("  %-14s %d times\n", what.c_str(), count);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  report<Servo>("servo", wanted);
  report<BacklashDrive>("backlash-drive", wanted);
  report<CoilPendulum>("coil-pendulum", wanted);
}
