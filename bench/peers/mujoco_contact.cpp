// Three contact problems by MuJoCo, for comparison: mujoco_contact CASE STEP, CASE one of ball, belt, rocking.
// Prints one JSON object; the problems and their exact answers are those of siconos_contact.py.
//
// MuJoCo's contacts are soft and it has no coefficient of restitution. A spring and damper of the contact whose time
// scale follows the step stand in: solref = (-stiffness, -damping) with the damping that gives e in free flight for the
// ball, the stiffest critically damped one that is stable for the block, and a softer one for the belt: with the
// stiffest one the mass hops along it and does not converge. It has no moving surfaces either: the belt is a body of
// 1e6 kg.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

namespace {

constexpr double gravity = 9.81, pi = 3.14159265358979323846;

struct Worst {
  double penetration = 0, cone = -std::numeric_limits<double>::infinity();
};

/// Loads the model from text, by way of a file: this version reads nothing else.
mjModel* load(const std::string& text) {
  char name[] = "/tmp/mujoco_contact_XXXXXX.xml";
  const int file = mkstemps(name, 4);
  if (file < 0) return nullptr;
  std::ofstream(name) << text;
  char error[1000] = "";
  mjModel* model = mj_loadXML(name, nullptr, error, sizeof error);
  std::remove(name);
  if (model == nullptr) std::fprintf(stderr, "%s\n", error);
  return model;
}

void look(const mjModel* model, const mjData* data, Worst& worst) {
  for (int i = 0; i < data->ncon; ++i) {
    worst.penetration = std::max(worst.penetration, -data->contact[i].dist);
    mjtNum force[6];
    mj_contactForce(model, data, i, force);
    worst.cone = std::max(worst.cone, std::hypot(force[1], force[2]) - data->contact[i].friction[0] * force[0]);
  }
}

struct Run {
  double seconds;
  long steps;
};
Run advance(mjModel* model, mjData* data, double end, Worst& worst, const std::function<void()>& after_step) {
  const std::clock_t began = std::clock();
  long steps = 0;
  while (data->time < end - model->opt.timestep / 2) {
    mj_step(model, data);
    ++steps;
    look(model, data, worst);
    after_step();
  }
  return {static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, steps};
}

std::string head(double step, double g, const std::string& solref) {
  char text[600];
  std::snprintf(
      text, sizeof text,
      "<mujoco><option timestep='%.17g' gravity='0 0 %.17g' cone='elliptic' solver='Newton' tolerance='1e-14' "
      "iterations='100' impratio='1000' integrator='Euler'/><default><geom solref='%s' "
      "solimp='0.9999 0.9999 0.001 0.5 2' condim='3'/></default><worldbody>",
      step, -g, solref.c_str());
  return text;
}
std::string spring(double stiffness, double damping) {
  char text[100];
  std::snprintf(text, sizeof text, "-%.17g -%.17g", stiffness, damping);
  return text;
}

void print(const char* name, double step, const Run& run, const std::string& errors, const Worst& worst) {
  std::printf(
      "{\"case\": \"%s\", \"peer\": \"mujoco\", \"h\": %g, \"cpu_seconds\": %g, \"steps\": %ld, \"errors\": {%s}, "
      "\"worst_penetration\": %g, \"worst_cone_violation\": %g}\n",
      name, step, run.seconds, run.steps, errors.c_str(), worst.penetration, worst.cone);
}
std::string error_text(const char* name, double value) {
  char text[100];
  std::snprintf(text, sizeof text, std::isfinite(value) ? "\"%s\": %.6g" : "\"%s\": null", name, value);
  return text;
}

int ball(double step) {
  const double e = 0.5, z = -std::log(e) / std::hypot(pi, std::log(e)), frequency = 0.2 / step;
  mjModel* model = load(head(step, gravity, spring(frequency * frequency, 2 * z * frequency)) +
                        "<geom type='plane' size='5 5 1'/><body pos='0 0 1.1'><joint type='slide' axis='0 0 1'/><geom "
                        "type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>");
  if (model == nullptr) return 1;
  mjData* data = mj_makeData(model);
  Worst worst;
  double last_motion = 0;
  const Run run = advance(model, data, 2, worst, [&] {
    if (std::abs(data->qvel[0]) > 1e-6) last_motion = data->time;
  });
  const double rest = std::sqrt(2 / gravity) * (1 + e) / (1 - e);
  worst.cone = 0;
  print("ball", step, run,
        error_text("time of rest", last_motion < 2 - step ? last_motion - rest : std::nan("")) + ", " +
            error_text("height at rest", data->qpos[0] + 1) + ", " + error_text("speed at rest", data->qvel[0]),
        worst);
  return 0;
}

/// Arcs around +mu (slower than the belt) and -mu (faster), until it sticks.
void exact_belt(double end, double& x, double& v) {
  const double mu = 0.3, speed = 0.5;
  double t = 0;
  x = 2, v = 0;
  for (;;) {
    const double centre = v < speed || (v == speed && x > mu) ? mu : -mu;
    const double size = std::hypot(x - centre, v), phase = std::atan2(-v, x - centre);
    double next = std::numeric_limits<double>::infinity();
    if (size > speed) {
      const double root = std::asin(-speed / size);
      for (const double angle : {root, pi - root}) {
        const double s = angle - phase - 2 * pi * std::floor((angle - phase) / (2 * pi));
        if (s > 1e-9 && s < 2 * pi - 1e-9) next = std::min(next, s);
      }
    }
    const double s = std::min(next, end - t);
    t += s;
    v = -size * std::sin(phase + s);
    x = centre + size * std::cos(phase + s);
    if (t >= end) return;
    v = speed;
    if (std::abs(x) > mu) continue;
    const double stuck = (mu - x) / speed;
    const double free = end - t - stuck;
    x = free < 0 ? x + speed * (end - t) : mu + speed * std::sin(free);
    v = free < 0 ? speed : speed * std::cos(free);
    return;
  }
}

int belt(double step) {
  const double frequency = 0.1 / step;
  mjModel* model =
      load(head(step, 1, spring(frequency * frequency, 2 * frequency)) +
           "<body><joint type='slide' axis='1 0 0'/><geom type='box' size='100 1 0.1' pos='0 0 -0.1' mass='1e6' "
           "friction='0.3 0 0'/></body><body pos='0 0 0.1'><joint type='slide' axis='1 0 0' stiffness='1'/>"
           "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1' mass='1' friction='0.3 0 "
           "0'/></body></worldbody></mujoco>");
  if (model == nullptr) return 1;
  mjData* data = mj_makeData(model);
  data->qpos[1] = 2;
  data->qvel[0] = 0.5;
  Worst worst;
  const Run run = advance(model, data, 20, worst, [] {});
  double x, v;
  exact_belt(data->time, x, v);
  print("belt", step, run, error_text("position", data->qpos[1] - x) + ", " + error_text("velocity", data->qvel[1] - v),
        worst);
  return 0;
}

int rocking(double step) {
  const double width = 0.25, height = 1, alpha = std::atan2(width, height), radius = std::hypot(width, height) / 2;
  const double start = alpha / 2, frequency = 0.5 / step;
  mjModel* model = load(
      head(step, gravity, spring(frequency * frequency, 2 * frequency)) +
      "<geom type='plane' size='5 5 1' friction='0.8 0 0'/><body><joint type='slide' axis='1 0 0'/><joint type='slide' "
      "axis='0 0 1'/><joint type='hinge' axis='0 1 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 " +
      std::to_string((width * width + height * height) / 12) +
      " 1'/><geom type='box' size='0.125 0.1 0.5' friction='0.8 0 0'/></body></worldbody></mujoco>");
  if (model == nullptr) return 1;
  mjData* data = mj_makeData(model);
  data->qpos[0] = -radius * std::sin(alpha - start);
  data->qpos[1] = radius * std::cos(alpha - start);
  data->qpos[2] = start;
  // 2/3 R θ'² = g (cos(α - θ0) - cos(α - θ)), as in siconos_contact.py; θ = θ0 (1 - w²) makes the integrand smooth. Two
  // points of Gauss in each of 2000 intervals.
  double first = 0;
  const int intervals = 2000;
  for (int i = 0; i < 2 * intervals; ++i) {
    const double w = (i / 2 + 0.5 + (i % 2 == 0 ? -0.5 : 0.5) / std::sqrt(3.0)) / intervals;
    const double fall = 2 * std::sin(start * w * w / 2) * std::sin(alpha - start * (1 - w * w / 2));
    first += start * w / intervals / std::sqrt(1.5 * gravity / radius * fall);
  }
  const double before_exact = std::sqrt(1.5 * gravity / radius * (std::cos(alpha - start) - std::cos(alpha)));
  const double ratio = 1 - 1.5 * std::sin(alpha) * std::sin(alpha);
  Worst worst;
  double fastest = 0, impact = std::nan(""), after = std::nan("");
  bool is_over = false;
  const Run run = advance(model, data, 1, worst, [&] {
    const double rate = -data->qvel[2];
    if (is_over) return;
    if (rate > fastest) {
      fastest = rate, impact = data->time;
    } else if (data->time > impact + std::max(40 * step, 0.02)) {
      // The soft impact and the hops after it are over; back to upright by the energy.
      const double lifted = std::cos(alpha - std::abs(data->qpos[2])) - std::cos(alpha);
      after = std::sqrt(rate * rate + 1.5 * gravity / radius * lifted), is_over = true;
    }
  });
  print("rocking", step, run,
        error_text("time of impact", impact - first) + ", " + error_text("rate before", fastest - before_exact) + ", " +
            error_text("rate after", after - ratio * before_exact) + ", " +
            error_text("ratio of rates", after / fastest - ratio),
        worst);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count == 3 ? words[1] : "";
  const double step = count == 3 ? std::atof(words[2]) : 0;
  if (step > 0 && name == "ball") return ball(step);
  if (step > 0 && name == "belt") return belt(step);
  if (step > 0 && name == "rocking") return rocking(step);
  std::fprintf(stderr, "usage: mujoco_contact ball|belt|rocking STEP\n");
  return 2;
}
