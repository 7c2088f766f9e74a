// Reference solution of the problem `servo`, computed without pawl: crank angle, current and sensor alone are the
// unknowns (the loop is closed by hand), every piece between events is extrapolated in 113-bit arithmetic, and each event
// is located by secants on the end of the last step. Prints the state at the end, and how often each event happened.
//
//   g++ -std=gnu++20 -O2 scripts/servo_reference.cpp -lquadmath -o /tmp/servo && /tmp/servo
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "extrapolation.hpp"

namespace {

const Number E = 24, L = 0.002Q, R = 1, k = 0.05Q, T = 0.001Q, Ts = 0.002Q;
const Number crank = 1e-4Q, rod = 1e-5Q, mass = 0.05Q, a = 0.03Q, l = 0.1Q;
const Number rubbing = 0.2Q, lag = 1e-5Q, e = 0.6Q, s_min = 0.08Q;
const Number target = 60, gain = 0.004Q, integral_gain = 0.2Q, end = 0.0503Q;

enum { current, angle, speed, sensor, drawn, heat, friction };
enum class Drive { source, diode, idle };

struct Geometry {
  Number s, ds, dds, dpsi, ddpsi;  // slider and rod angle by the crank angle
};

Geometry geometry(Number phi) {
  const Number sine = a * sinq(phi) / l, cosine = sqrtq(1 - sine * sine);
  const Number dpsi = a * cosq(phi) / (l * cosine);
  const Number ddpsi = (-a * sinq(phi) / l + sine * dpsi * dpsi) / cosine;
  return {a * cosq(phi) + l * cosine, -a * sinq(phi) - l * sine * dpsi,
          -a * cosq(phi) - l * (cosine * dpsi * dpsi + sine * ddpsi), dpsi, ddpsi};
}

struct Piece {
  Drive drive;
  int slides;  // sign of the slider's speed; 0: it sticks

  void operator()(Number, const State& x, State& rate) const {
    const Geometry g = geometry(x[angle]);
    const Number w = x[speed], i = drive == Drive::idle ? Number(0) : x[current];
    const Number inertia = crank + rod * g.dpsi * g.dpsi + mass * g.ds * g.ds;
    const Number slope = 2 * (rod * g.dpsi * g.ddpsi + mass * g.ds * g.dds);
    const Number voltage = drive == Drive::source ? E : Number(0);
    rate[current] = drive == Drive::idle ? Number(0) : (voltage - R * i - k * w) / L;
    rate[angle] = w;
    rate[speed] = slides == 0 ? Number(0) : (k * i - slides * rubbing * g.ds - slope * w * w / 2) / inertia;
    rate[sensor] = (w - x[sensor]) / lag;
    rate[drawn] = drive == Drive::source ? E * i : Number(0);
    rate[heat] = R * i * i;
    rate[friction] = rubbing * slides * g.ds * w;
  }
};

struct Run {
  State x;
  Number impacts = 0;
  std::map<std::string, int> events;
};

Run simulate(Number tolerance) {
  Run run{State(7)};
  State& x = run.x;
  x[angle] = 0.4Q;
  Number t = 0, H = 1e-6Q, duty = 0.5Q, integral = 0, begun = 0;
  bool closed = true;
  int periods = 0, samples = 0, slides = 0;
  Drive drive = Drive::source;
  while (t < end) {
    Number limit = end;
    const Number period = (periods + 1) * T, sample = (samples + 1) * Ts, pulse = begun + duty * T;
    for (const Number one : {period, sample})
      if (one < limit) limit = one;
    if (closed && pulse < limit) limit = pulse;
    const Piece piece{drive, slides};
    const auto guards = [&](const State& at) {
      const Geometry g = geometry(at[angle]);
      return std::array<Number, 4>{drive == Drive::diode ? at[current] : Number(1), g.s - s_min,
                                   slides == 0 ? rubbing * fabsq(g.ds) - k * at[current] : g.ds * at[speed] * slides,
                                   drive == Drive::idle ? at[speed] : Number(1)};
    };
    const bool at_limit = t + H >= limit;
    Number step = at_limit ? limit - t : H, error = 0;
    State next = extrapolate(piece, t, x, step, error);
    if (error > tolerance) {
      H = step * growth(error, tolerance);
      continue;
    }
    // What has just reached zero leaves it: looked for only beyond the first hundredth of the step.
    const auto before = guards(extrapolate(piece, t, x, step / 100, error)), after = guards(next);
    int first = -1;
    Number when = step;
    State there;
    for (int g = 0; g < 4; ++g) {
      if (!(before[g] > 0 && after[g] <= 0)) continue;
      Number low = step / 100, high = step, f_low = before[g], f_high = after[g], root = high;
      State at_root;
      for (int round = 0; round < 200; ++round) {
        root = round % 3 == 2 ? (low + high) / 2 : low + (high - low) * f_low / (f_low - f_high);
        Number unused = 0;
        at_root = extrapolate(piece, t, x, root, unused);
        const Number value = guards(at_root)[g];
        (value > 0 ? low : high) = root;
        (value > 0 ? f_low : f_high) = value;
        if (high - low < 1e-30Q || value == 0) break;
      }
      if (root < when || first < 0) {
        first = g;
        when = root;
        there = at_root;
      }
    }
    if (first < 0) {
      x = next;
      t = at_limit ? limit : t + step;
      if (!at_limit) H *= growth(error, tolerance);
    } else {
      x = there;
      t += when;
      H = 1e-7Q;
      if (first == 0) drive = Drive::idle, x[current] = 0, ++run.events["current ends"];
      if (first == 1) {
        const Geometry g = geometry(x[angle]);
        const Number inertia = crank + rod * g.dpsi * g.dpsi + mass * g.ds * g.ds, before_impact = x[speed];
        x[speed] *= -e;
        run.impacts += inertia * (before_impact * before_impact - x[speed] * x[speed]) / 2;
        slides = -slides;
        ++run.events["impact"];
      }
      if (first == 2) {
        const Geometry g = geometry(x[angle]);
        ++run.events[slides == 0 ? "slider begins" : "slider turns"];
        if (slides != 0 && k * x[current] < rubbing * fabsq(g.ds)) std::puts("it would stick: not foreseen");
        slides = -1;  // the crank turns forward, and the slider back
        x[speed] = 0;
      }
      if (first == 3) drive = Drive::diode, ++run.events["diode begins"];
      if (drive == Drive::idle && x[speed] < 0) drive = Drive::diode;
      continue;
    }
    if (!at_limit || t == end) continue;
    H = 1e-7Q;
    if (t == pulse && closed) {
      closed = false;
      drive = x[current] > 0 ? Drive::diode : Drive::idle;
      ++run.events["pulse ends"];
    }
    if (t == sample) {
      ++samples;
      const Number lack = target - x[sensor];
      integral += Ts * lack;
      duty = 0.5Q + gain * lack + integral_gain * integral;
      if (duty > 0.9Q) duty = 0.9Q;
      if (duty < 0.1Q) duty = 0.1Q;
      ++run.events["sample"];
    }
    if (t == period) {
      ++periods;
      begun = t;
      closed = true;
      drive = Drive::source;
      ++run.events["period"];
    }
  }
  return run;
}

}  // namespace

int main() {
  const Run coarse = simulate(1e-24Q), fine = simulate(1e-28Q);
  const char* names[] = {"current", "crank", "crank'", "sensor", "drawn", "heat", "friction work"};
  for (std::size_t i = 0; i < fine.x.size(); ++i) {
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.22Qg", fine.x[i]);
    std::printf("%-14s %s  (two tolerances differ by %.1e)\n", names[i], text,
                static_cast<double>(fabsq(fine.x[i] - coarse.x[i])));
  }
  const Geometry g = geometry(fine.x[angle]);
  char text[64];
  quadmath_snprintf(text, sizeof text, "%.22Qg", asinq(a * sinq(fine.x[angle]) / l));
  std::printf("rod            %s\n", text);
  quadmath_snprintf(text, sizeof text, "%.22Qg", g.dpsi * fine.x[speed]);
  std::printf("rod'           %s\n", text);
  quadmath_snprintf(text, sizeof text, "%.22Qg", g.s);
  std::printf("slider         %s\n", text);
  quadmath_snprintf(text, sizeof text, "%.22Qg", g.ds * fine.x[speed]);
  std::printf("slider'        %s\n", text);
  quadmath_snprintf(text, sizeof text, "%.22Qg", fine.impacts);
  std::printf("impact loss    %s\n", text);
  for (const auto& [name, count] : fine.events) std::printf("%-14s %d\n", name.c_str(), count);
}
