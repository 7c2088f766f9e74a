#include "report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "pawl/step.hpp"
#include "simulate/quantity.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

/// Chebyshev nodes of the first kind, cos((j + 1/2) π / n), and the coefficients of the polynomial through values
/// there.
class Nodes {
 public:
  explicit Nodes(int n) : n_(n), cosines_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        cosines_[static_cast<std::size_t>(k * n + j)] = std::cos(k * (j + 0.5) * std::numbers::pi / n);
  }
  int count() const { return n_; }
  double at(int j) const { return n_ == 1 ? 0 : cosines_[static_cast<std::size_t>(n_ + j)]; }
  std::vector<double> coefficients(const double* values) const {
    std::vector<double> c(static_cast<std::size_t>(n_));
    for (int k = 0; k < n_; ++k) {
      double sum = 0;
      for (int j = 0; j < n_; ++j) sum += values[j] * cosines_[static_cast<std::size_t>(k * n_ + j)];
      c[static_cast<std::size_t>(k)] = sum * (k == 0 ? 1.0 : 2.0) / n_;
    }
    return c;
  }

 private:
  int n_;
  std::vector<double> cosines_;  // T_k at node j
};

const Nodes& nodes(int n) {
  thread_local std::map<int, Nodes> all;
  return all.try_emplace(n, n).first->second;
}

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Σ c_k T_k(s).
double value_of_series(const std::vector<double>& c, double s) {
  double one = 0, two = 0;
  for (std::size_t k = c.size() - 1; k > 0; --k) {
    const double next = 2 * s * one - two + c[k];
    two = one;
    one = next;
  }
  return s * one - two + c[0];
}

Range range_of(const std::vector<std::vector<double>>& pieces) {
  Range range = Range::empty();
  for (const std::vector<double>& c : pieces) {
    if (c.empty()) continue;
    for (const double s : {-1.0, -0.5, 0.0, 0.5, 1.0}) range.widen(value_of_series(c, s));
  }
  return range.min <= range.max ? range : Range{0, 0};
}

std::int32_t zigzag(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value << 1) ^ static_cast<std::uint32_t>(value >> 63));
}

/// Integers of quantum / n, all first coefficients (as differences to the piece before), then all second ones, ...
struct Quantized {
  std::vector<std::uint8_t> counts;
  std::vector<std::int32_t> numbers;
};

Quantized quantize(const std::vector<std::vector<double>>& pieces, double middle, double quantum) {
  Quantized out;
  std::size_t most = 0;
  for (const auto& c : pieces) {
    out.counts.push_back(static_cast<std::uint8_t>(c.size()));
    most = std::max(most, c.size());
  }
  double before = 0;
  for (std::size_t k = 0; k < most; ++k) {
    for (const auto& c : pieces) {
      if (c.size() <= k) continue;
      const double unit = quantum / static_cast<double>(c.size());
      auto value = static_cast<std::int64_t>(std::llround((k == 0 ? c[0] - middle : c[k]) / unit));
      if (k == 0) {
        const auto own = value;
        value -= static_cast<std::int64_t>(std::floor(before / unit + 0.5));
        before = static_cast<double>(own) * unit;
      }
      out.numbers.push_back(zigzag(value));
    }
  }
  return out;
}

/// What is above the first few coefficients is left out where all of it is small.
void shorten(std::vector<double>& c, double allowed) {
  double rest = 0;
  std::size_t keep = c.size();
  while (keep > 1 && rest + std::abs(c[keep - 1]) <= allowed) rest += std::abs(c[--keep]);
  c.resize(keep);
}

}  // namespace

Json pack_curve(Packing& packing, const std::string& name, const std::string& kind, PieceSeries values, bool is_exact) {
  const Range range = range_of(values);
  const double size = range.max - range.min, middle = (range.max + range.min) / 2;
  Json out{{"name", name}, {"kind", kind}, {"low", range.min}, {"high", range.max}};
  if (is_exact || !std::isfinite(size)) {
    std::vector<std::uint8_t> counts;
    std::vector<double> flat;
    for (const auto& c : values) {
      counts.push_back(static_cast<std::uint8_t>(c.size()));
      flat.insert(flat.end(), c.begin(), c.end());
    }
    out.update(
        {{"middle", 0.0}, {"quantum", 0.0}, {"counts", packing.add(counts)}, {"coefficients", packing.add(flat)}});
    return out;
  }
  double largest = 0;
  for (auto& c : values) {
    shorten(c, curve_accuracy * size / 4);
    for (std::size_t k = 0; k < c.size(); ++k)
      largest = std::max(largest, std::abs(k == 0 ? c[k] - middle : c[k]) * static_cast<double>(c.size()));
  }
  // A constant curve is the middle alone. No coefficient leaves 30 bits, whatever a polynomial does between its ends.
  const double quantum =
      std::max({1.5 * curve_accuracy * size, largest / (1 << 29), std::numeric_limits<double>::min()});
  const Quantized packed = quantize(values, middle, quantum);
  out.update({{"middle", middle},
              {"quantum", quantum},
              {"counts", packing.add(packed.counts)},
              {"coefficients", packing.add(packed.numbers)}});
  return out;
}

Curves::Curves(const Result& run, Packing& packing, bool is_exact)
    : run_(run), packing_(packing), is_exact_(is_exact), is_backward_(run.t_end < run.t_start) {}

Json Curves::pieces() {
  const Trajectory& path = run_.trajectory;
  std::vector<double> starts, ends, origins, spans;
  bool is_gapless = true;
  for (std::size_t i = 0; i < count(); ++i) {
    const std::size_t k = step(i);
    starts.push_back(std::min(path.t0[k], path.t1[k]));
    ends.push_back(std::max(path.t0[k], path.t1[k]));
    origins.push_back(path.t0[k]);
    spans.push_back(path.span[k]);
    is_gapless = is_gapless && starts[i] == (i == 0 ? std::min(run_.t_start, run_.t_end) : ends[i - 1]);
  }
  Json out{{"ends", packing_.add(ends)}};
  if (!is_gapless) out["starts"] = packing_.add(starts);
  if (is_exact_) {
    out["origins"] = packing_.add(origins);
    out["spans"] = packing_.add(spans);
  }
  return out;
}

PieceSeries Curves::state(std::size_t i) const {
  const Trajectory& path = run_.trajectory;
  PieceSeries all;
  all.reserve(count());
  std::vector<double> values;
  for (std::size_t piece = 0; piece < count(); ++piece) {
    const std::size_t k = step(piece);
    const auto size = static_cast<std::size_t>(path.degree[k] + 1);
    const double* c = path.coefficients.data() + path.first[k] + i * size;
    const Nodes& at = nodes(static_cast<int>(size));
    const double end = (path.t1[k] - path.t0[k]) / path.span[k];  // an event may have cut the step
    values.resize(size);
    for (int j = 0; j < at.count(); ++j) {
      const double s = is_backward_ ? -at.at(j) : at.at(j);
      evaluate_polynomials(c, 1, path.degree[k], (s + 1) / 2 * end, &values[static_cast<std::size_t>(j)]);
    }
    all.push_back(are_finite(values) ? at.coefficients(values.data()) : std::vector<double>{});
  }
  return all;
}

Json Curves::states(const std::vector<std::size_t>& which) {
  Json all = Json::array();
  const Trajectory& path = run_.trajectory;
  for (const std::size_t i : which) {
    if (!is_exact_) {
      all.push_back(pack_curve(packing_, run_.state_names()[i], "state", state(i), false));
      continue;
    }
    std::vector<std::uint8_t> counts;  // as recorded: powers of (t - t0) / span
    std::vector<double> flat;
    Range range = Range::empty();
    for (std::size_t piece = 0; piece < count(); ++piece) {
      const std::size_t k = step(piece);
      const auto size = static_cast<std::size_t>(path.degree[k] + 1);
      const double* c = path.coefficients.data() + path.first[k] + i * size;
      counts.push_back(static_cast<std::uint8_t>(size));
      flat.insert(flat.end(), c, c + size);
      range.widen(c[0]);
      range.widen(path.ends[k * static_cast<std::size_t>(path.size) + i]);
    }
    if (count() == 0) range = {0, 0};
    all.push_back({{"name", run_.state_names()[i]},
                   {"kind", "state"},
                   {"low", range.min},
                   {"high", range.max},
                   {"middle", 0.0},
                   {"quantum", 0.0},
                   {"power", true},
                   {"counts", packing_.add(counts)},
                   {"coefficients", packing_.add(flat)}});
  }
  return all;
}

std::shared_ptr<const Held> Curves::held_in(std::size_t step) {
  const double t0 = run_.trajectory.t0[step], direction = is_backward_ ? -1 : 1;
  while (era_ > 0 && direction * (run_.eras[era_].t - t0) > 0) --era_;
  while (era_ + 1 < run_.eras.size() && direction * (run_.eras[era_ + 1].t - t0) <= 0) ++era_;
  return run_.eras[era_].held;
}

Json Curves::followers(const std::vector<Follower>& all) {
  Json out = Json::array();
  if (all.empty() || count() == 0) return out;
  const Trajectory& path = run_.trajectory;
  const auto reader = detail::reader(run_.dynamics);
  std::vector<PieceSeries> curves(all.size(), PieceSeries(count()));
  std::vector<double> roughest(all.size(), 0.0);  // size of what the interpolation cannot see
  std::vector<double> values;
  std::vector<double> x(static_cast<std::size_t>(path.size));
  const auto sample = [&](std::size_t k, const Nodes& at, const std::shared_ptr<const Held>& held) {
    values.assign(all.size() * static_cast<std::size_t>(at.count()), 0.0);
    for (int j = 0; j < at.count(); ++j) {
      const double s = is_backward_ ? -at.at(j) : at.at(j);
      const double t = path.t0[k] + (path.t1[k] - path.t0[k]) * ((s + 1) / 2);
      evaluate_polynomials(path.coefficients.data() + path.first[k], path.size, path.degree[k],
                           (t - path.t0[k]) / path.span[k], x.data());
      const Instant instant(t, x, held, run_.dynamics);
      const event::Scene scene(*reader, *held, t, x.data());
      for (std::size_t i = 0; i < all.size(); ++i) {
        double& value = values[i * static_cast<std::size_t>(at.count()) + static_cast<std::size_t>(j)];
        try {
          value = all[i].read(scene, instant);
        } catch (const std::exception&) {  // a function of the model throws there: no curve in this piece
          value = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  };
  // Few nodes, and where their last coefficients are not small against the curve so far, nor rounding, many.
  constexpr int few = 8, many = 32;
  std::vector<Range> seen(all.size(), Range::empty());
  for (std::size_t piece = 0; piece < count(); ++piece) {
    const std::size_t k = step(piece);
    const auto held = held_in(k);
    bool is_rough = false;
    for (const int n : {few, many}) {
      if (n == many && !is_rough) break;
      const Nodes& at = nodes(n);
      sample(k, at, held);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double* own = values.data() + i * static_cast<std::size_t>(n);
        auto c = at.coefficients(own);
        if (!are_finite(c)) c.clear();
        if (!c.empty()) {
          for (int j = 0; j < n; ++j) seen[i].widen(own[j]);
          const double unseen = std::abs(c[c.size() - 1]) + std::abs(c[c.size() - 2]), noise = 1e-15 * std::abs(c[0]);
          is_rough = is_rough || (n == few && unseen > curve_accuracy / 10 * seen[i].variation() && unseen > noise);
          if (n == many) roughest[i] = std::max(roughest[i], unseen);
        }
        curves[i][piece] = std::move(c);
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Range range = range_of(curves[i]);
    if (range.min == range.max && all[i].kind == "picture") {
      constants.emplace_back(all[i].name, range.min);
      continue;
    }
    Json one = pack_curve(packing_, all[i].name, all[i].kind, std::move(curves[i]), is_exact_);
    if (roughest[i] > curve_accuracy * (range.max - range.min))
      one["note"] =
          fmt::format("interpolated inside steps, to {:.0e} of its range", roughest[i] / (range.max - range.min));
    out.push_back(std::move(one));
  }
  return out;
}

Json Curves::beside(const std::string& other, const std::vector<std::size_t>& states, const std::vector<double>& times,
                    const std::vector<double>& differences) {
  const Trajectory& path = run_.trajectory;
  const auto n = static_cast<std::size_t>(path.size);
  std::vector<std::size_t> order(times.size());  // in ascending order of time
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = is_backward_ ? order.size() - 1 - k : k;
  const auto off = [&](std::size_t i, double t) {
    const auto after =
        std::lower_bound(order.begin(), order.end(), t, [&](std::size_t k, double time) { return times[k] < time; });
    const auto value = [&](auto k) { return differences[*k * n + i]; };
    if (after == order.end()) return std::numeric_limits<double>::quiet_NaN();
    if (after == order.begin() || times[*after] == t) return value(after);
    const auto before = after - 1;
    return value(before) + (value(after) - value(before)) * (t - times[*before]) / (times[*after] - times[*before]);
  };
  Json all = Json::array();
  std::vector<double> values;
  for (const std::size_t i : states) {
    PieceSeries own = state(i), difference;
    for (std::size_t piece = 0; piece < count(); ++piece) {
      const std::size_t k = step(piece);
      const double low = std::min(path.t0[k], path.t1[k]), high = std::max(path.t0[k], path.t1[k]);
      const Nodes& at = nodes(8);
      values.resize(8);
      for (int j = 0; j < at.count(); ++j)
        values[static_cast<std::size_t>(j)] = off(i, low + (at.at(j) + 1) / 2 * (high - low));
      std::vector<double> c = are_finite(values) ? at.coefficients(values.data()) : std::vector<double>{};
      if (c.empty()) own[piece].clear();
      if (!own[piece].empty()) {
        if (own[piece].size() < c.size()) own[piece].resize(c.size());
        for (std::size_t m = 0; m < c.size(); ++m) own[piece][m] += c[m];
      }
      difference.push_back(std::move(c));
    }
    const std::string& name = run_.state_names()[i];
    all.push_back(pack_curve(packing_, fmt::format("{}, {}", name, other), "second run", std::move(own), false));
    all.push_back(pack_curve(packing_, fmt::format("{}, {} - this run", name, other), "difference",
                             std::move(difference), false));
  }
  return all;
}

Json Curves::distance() {
  if (!run_.dynamics->settles() || count() == 0) return {};
  constexpr std::size_t most = 20'000;
  const Trajectory& path = run_.trajectory;
  const auto n = static_cast<std::size_t>(path.size);
  const auto reader = detail::reader(run_.dynamics);
  std::vector<double> sizes(n);
  for (std::size_t k = 0; k < count(); ++k)
    for (std::size_t i = 0; i < n; ++i) sizes[i] = std::max(sizes[i], std::abs(path.ends[k * n + i]));
  const std::size_t every = (count() + most - 1) / most;
  std::vector<float> distance(count());
  float last = 0;
  for (std::size_t k = 0; k < count(); ++k) {
    if (k % every == 0 || k + 1 == count()) {
      const double* end = path.ends.data() + k * n;
      std::vector<double> x(end, end + n);
      if (!reader->settle(path.t1[k], x.data(), *held_in(k), Settle::drawn).empty()) return {};
      double largest = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (sizes[i] > 0) largest = std::max(largest, std::abs(x[i] - end[i]) / sizes[i]);
      last = static_cast<float>(largest);
    }
    distance[is_backward_ ? count() - 1 - k : k] = last;
  }
  return Json::array({{{"name", "distance from consistent values, relative"}, {"values", packing_.add(distance)}}});
}

Json Curves::drift() {
  const Trajectory& path = run_.trajectory;
  const auto reader = detail::reader(run_.dynamics);
  std::vector<float> position(count()), velocity(count()), invariant(count());
  std::size_t event = 0;
  for (std::size_t k = 0; k < count(); ++k) {  // in the order of the run: what is conserved starts anew at events
    const auto held = held_in(k);
    std::vector<double> x(static_cast<std::size_t>(path.size));
    bool is_new = k == 0;
    while (event < run_.events.size() &&
           (is_backward_ ? run_.events[event].t >= path.t0[k] : run_.events[event].t <= path.t0[k])) {
      is_new = is_new || run_.events[event].t == path.t0[k];
      ++event;
    }
    LevelDrift off;
    if (is_new) {
      evaluate_polynomials(path.coefficients.data() + path.first[k], path.size, path.degree[k], 0, x.data());
      LevelDrift at_start;
      if (!reader->measure(path.t0[k], x.data(), *held, true, at_start)) return distance();
    }
    const double* end = path.ends.data() + k * static_cast<std::size_t>(path.size);
    if (!reader->measure(path.t1[k], end, *held, false, off)) return {};
    const std::size_t piece = is_backward_ ? count() - 1 - k : k;
    position[piece] = static_cast<float>(off.position);
    velocity[piece] = static_cast<float>(off.velocity);
    invariant[piece] = static_cast<float>(off.invariant);
  }
  Json out = Json::array();
  const auto add = [&](const char* name, const std::vector<float>& values) {
    if (std::any_of(values.begin(), values.end(), [](float value) { return value != 0; }))
      out.push_back({{"name", name}, {"values", packing_.add(values)}});
  };
  add("positions", position);
  add("speeds", velocity);
  add("invariants", invariant);
  return out;
}

Json Curves::history() {
  const std::vector<StepHistory>& all = run_.trajectory.history;
  if (all.size() != count() || all.empty()) return {};
  std::vector<float> size, error;
  std::vector<std::uint8_t> order, method;
  for (std::size_t i = 0; i < count(); ++i) {
    const StepHistory& one = all[step(i)];
    size.push_back(one.size);
    error.push_back(one.error);
    order.push_back(static_cast<std::uint8_t>(one.order));
    method.push_back(static_cast<std::uint8_t>(one.method));
  }
  return {{"size", packing_.add(size)},
          {"error", packing_.add(error)},
          {"order", packing_.add(order)},
          {"method", packing_.add(method)},
          {"methods", run_.methods_in_force}};
}

}  // namespace pawl
