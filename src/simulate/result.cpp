#include "pawl/result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"
#include "pawl/step.hpp"

namespace pawl {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::stopped:
      return "stopped";
    case Outcome::failed:
      return "failed";
  }
  return "unknown";
}

double Instant::operator[](Observable o) const {
  double value = 0;
  const std::size_t i = checked(o.index, model_->observables.size(), "observable", *model_);
  model_->observables[i](Point<double>(t, states_.data(), parameters_->data()), &value);
  return value;
}

double Instant::operator[](std::string_view name) const {
  if (name == "t") return t;
  const auto index_in = [name](const std::vector<std::string>& names) {
    const auto it = std::find(names.begin(), names.end(), name);
    return it == names.end() ? -1 : static_cast<int>(it - names.begin());
  };
  if (const int i = index_in(model_->state_names); i >= 0) return (*this)[State{i}];
  if (const int i = index_in(model_->observable_names); i >= 0) return (*this)[Observable{i}];
  if (const int i = index_in(model_->parameter_names); i >= 0) return (*this)[Parameter{i}];
  std::vector<std::string> known{"t"};
  for (const auto* names : {&model_->state_names, &model_->observable_names, &model_->parameter_names})
    known.insert(known.end(), names->begin(), names->end());
  throw Misuse(fmt::format("system '{}' has no quantity '{}'{}", model_->name, name, did_you_mean(name, known)));
}

Instant Result::instant(double t, std::vector<double> states) const {
  return {t, std::move(states), parameters, declarations};
}

Instant Result::start() const {
  return instant(t_start, start_state);
}

Instant Result::final() const {
  return instant(t_end, final_state);
}

Instant Result::sample(int i) const {
  const auto n = static_cast<std::ptrdiff_t>(trajectory.size);
  const auto first = trajectory.sample_states.begin() + i * n;
  return instant(trajectory.sample_times[static_cast<std::size_t>(i)], std::vector<double>(first, first + n));
}

Range Result::range(State x) const {
  const std::size_t i = checked(x.index, start_state.size(), "state", *declarations);
  const auto [low, high] = std::minmax(start_state[i], final_state[i]);
  Range range{low, high};
  for (std::size_t k = i; k < trajectory.sample_states.size(); k += static_cast<std::size_t>(trajectory.size)) {
    range.min = std::min(range.min, trajectory.sample_states[k]);
    range.max = std::max(range.max, trajectory.sample_states[k]);
  }
  return range;
}

Instant Result::at(double t) const {
  const double direction = t_end < t_start ? -1 : 1;
  if (!(direction * (t - t_start) >= 0 && direction * (t_end - t) >= 0))
    throw Misuse(fmt::format("t = {} is outside the run, which covers [{}, {}]", t, t_start, t_end));
  if (t == t_start) return start();
  if (t == t_end) return final();
  const Trajectory& path = trajectory;
  if (path.coefficients.empty())
    throw Misuse(
        "the run kept no polynomials: ask for Options::keep = Keep::everything, or for this time in Options::times");
  const auto after = std::lower_bound(path.t1.begin(), path.t1.end(), t,
                                      [direction](double end, double time) { return direction * (end - time) < 0; });
  const auto step = static_cast<std::size_t>(after - path.t1.begin());
  const auto n = static_cast<std::size_t>(path.size);
  std::vector<double> x(n);
  if (t == path.t1[step]) {
    std::copy_n(path.ends.begin() + static_cast<std::ptrdiff_t>(step * n), n, x.begin());
  } else {
    const double theta = (t - path.t0[step]) / (path.t1[step] - path.t0[step]);
    evaluate_polynomials(path.coefficients.data() + path.first[step], path.size, path.degree[step], theta, x.data());
  }
  return instant(t, std::move(x));
}

}  // namespace pawl
