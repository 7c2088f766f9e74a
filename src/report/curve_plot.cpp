#include "report/curve_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "pawl/contact_family.hpp"
#include "pawl/report.hpp"
#include "pawl/system.hpp"
#include "report/raster.hpp"
#include "report/svg_plot.hpp"
#include "report/whole_file.hpp"

namespace pawl {

namespace {

constexpr double width = 860, height = 480, left = 100, right = 836, top = 44, bottom = 420;

/// What is drawn, with round numbers between its ends.
struct Scale {
  double low, high, step;

  explicit Scale(const std::vector<double>& values) {
    low = high = std::numeric_limits<double>::quiet_NaN();
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = value < low || std::isnan(low) ? value : low;
      high = value > high || std::isnan(high) ? value : high;
    }
    if (std::isnan(low)) low = 0, high = 1;
    const double size = high - low;
    const double air = size > 1e-15 * std::max(std::abs(low), std::abs(high)) ? 0.04 * size
                       : high != 0                                            ? 0.1 * std::abs(high)
                                                                              : 1;
    low -= air;
    high += air;
    const double raw = (high - low) / 6, power = std::pow(10, std::floor(std::log10(raw)));
    step = power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
  }
  std::vector<double> ticks() const {
    std::vector<double> all;
    for (double k = std::ceil(low / step); k * step <= high; ++k) all.push_back(k == 0 ? 0 : k * step);
    return all;
  }
  double share(double value) const { return (value - low) / (high - low); }
  /// Enough digits to tell neighbours apart, without an exponent where that is short.
  std::string label(double value) const {
    constexpr double small = 1e-4, large = 1e6;
    if (value == 0) return "0";
    const double size = std::max(std::abs(low), std::abs(high));
    if (size >= small && size < large)
      return fmt::format("{:.{}f}", value, std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 0, 16));
    return fmt::format("{:.{}g}", value, std::clamp(static_cast<int>(std::ceil(std::log10(size / step))) + 1, 1, 16));
  }
};

struct Frame {
  Scale x, y;
  double across(double value) const { return left + (right - left) * x.share(value); }
  double down(double value) const { return bottom - (bottom - top) * y.share(value); }
};

}  // namespace

PlotNames plot_names(const std::string& words) {
  const auto comma = words.find(',');
  if (comma == std::string::npos) return {"t", words};
  return {words.substr(0, comma), words.substr(comma + 1)};
}

namespace {

/// So many instants at equal distances, and of every step its end, and places between where there are few steps: what
/// takes some small steps would be seen by none of the former.
std::vector<double> instants_of(const Result& run, int points) {
  constexpr int most_places = 8;
  std::vector<double> times;
  for (int i = 0; i <= points; ++i)
    times.push_back(i == points ? run.t_end : run.t_start + (run.t_end - run.t_start) * i / points);
  const std::vector<double>&from = run.trajectory.t0, &to = run.trajectory.t1;
  const int places = std::clamp(points / static_cast<int>(std::max<std::size_t>(to.size(), 1)), 1, most_places);
  for (std::size_t k = 0; k < to.size(); ++k)
    for (int i = 1; i <= places; ++i) times.push_back(i == places ? to[k] : from[k] + (to[k] - from[k]) * i / places);
  const bool is_backward = run.t_end < run.t_start;
  std::sort(times.begin(), times.end(), [=](double a, double b) { return is_backward ? a > b : a < b; });
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Of many points those that show the same: of each of so many groups the first, the smallest and largest, and a gap.
CurvePlot thinned(CurvePlot plot, std::size_t groups) {
  constexpr std::size_t most_of_a_group = 6;
  if (plot.x.size() <= most_of_a_group * groups) return plot;
  CurvePlot out{plot.title, plot.x_name, plot.y_name, {}, {}};
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t first = plot.x.size() * g / groups, end = plot.x.size() * (g + 1) / groups;
    std::vector<std::size_t> kept{first};
    for (const std::vector<double>* values : {&plot.x, &plot.y}) {
      std::size_t low = first, high = first;
      for (std::size_t i = first; i < end; ++i) {
        if ((*values)[i] < (*values)[low] || std::isnan((*values)[low])) low = i;
        if ((*values)[i] > (*values)[high] || std::isnan((*values)[high])) high = i;
      }
      kept.insert(kept.end(), {low, high});
    }
    for (std::size_t i = first; i < end && kept.size() < most_of_a_group; ++i)
      if (!std::isfinite(plot.x[i]) || !std::isfinite(plot.y[i])) kept.push_back(i);
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t i : kept) {
      out.x.push_back(plot.x[i]);
      out.y.push_back(plot.y[i]);
    }
  }
  out.x.push_back(plot.x.back());
  out.y.push_back(plot.y.back());
  return out;
}

std::string title_of(const CurvePlot& plot) {
  return fmt::format("{}: {}{}", plot.title, plot.y_name, plot.x_name == "t" ? "" : " over " + plot.x_name);
}

}  // namespace

CurvePlot plot_of(const Result& run, const PlotNames& names, int points) {
  CurvePlot plot{run.model, names.horizontal, names.vertical, {}, {}};
  const auto add = [&](const Instant& at) {
    const auto value = [&](const std::string& name) { return name == "t" ? at.t : at[name]; };
    plot.x.push_back(value(names.horizontal));
    plot.y.push_back(value(names.vertical));
  };
  if (family_of(*run.declarations) >= 0) {  // has no polynomials between its samples
    for (int i = 0; i < run.sample_count(); ++i) add(run.sample(i));
    return plot;
  }
  const double direction = run.t_end < run.t_start ? -1 : 1;
  std::vector<double> times;
  std::size_t event = 0;
  const auto flush = [&] {
    const Table table = run.table(times, {names.horizontal, names.vertical});
    for (std::size_t i = 0; i < table.rows(); ++i) {
      plot.x.push_back(table(i, 0));
      plot.y.push_back(table(i, 1));
    }
    times.clear();
  };
  for (const double t : instants_of(run, points)) {
    for (; event < run.events.size() && direction * (run.events[event].t - t) <= 0; ++event) {
      flush();
      if (run.events[event].t != run.t_start) add(run.before(run.events[event].t));
      add(run.at(run.events[event].t));
    }
    times.push_back(t);
  }
  flush();
  return thinned(std::move(plot), static_cast<std::size_t>(points));
}

std::string to_svg(const CurvePlot& plot) {
  const Frame frame{Scale(plot.x), Scale(plot.y)};
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"14\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  const auto out = std::back_inserter(svg);
  for (const double value : frame.x.ticks()) {
    fmt::format_to(out,
                   "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#dddddd\"/>"
                   "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
                   frame.across(value), top, bottom, bottom + 20, frame.x.label(value));
  }
  for (const double value : frame.y.ticks()) {
    fmt::format_to(out,
                   "<line x1=\"{1}\" y1=\"{0:.1f}\" x2=\"{2}\" y2=\"{0:.1f}\" stroke=\"#dddddd\"/>"
                   "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                   frame.down(value), left, right, left - 6, frame.down(value) + 5, frame.y.label(value));
  }
  fmt::format_to(out,
                 "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>\n"
                 "<text x=\"{}\" y=\"26\" font-size=\"17\">{}</text>\n"
                 "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                 left, top, right - left, bottom - top, left, escaped_for_xml(title_of(plot)), (left + right) / 2,
                 height - 14, escaped_for_xml(plot.x_name));
  std::string points;
  const auto flush = [&] {
    if (!points.empty())
      fmt::format_to(out, "<polyline points=\"{}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.6\"/>\n", points);
    points.clear();
  };
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    if (std::isfinite(plot.x[i]) && std::isfinite(plot.y[i]))
      fmt::format_to(std::back_inserter(points), "{:.2f},{:.2f} ", frame.across(plot.x[i]), frame.down(plot.y[i]));
    else
      flush();
  }
  flush();
  return svg + "</svg>\n";
}

std::string to_png(const CurvePlot& plot) {
  const Frame frame{Scale(plot.x), Scale(plot.y)};
  Raster picture(static_cast<int>(width), static_cast<int>(height));
  constexpr Color light{221, 221, 221}, dark{68, 68, 68}, black{0, 0, 0}, blue{0, 114, 178};
  for (const double value : frame.x.ticks()) {
    picture.line(frame.across(value), top, frame.across(value), bottom, light);
    picture.text(frame.across(value), bottom + 22, frame.x.label(value), black, Raster::Align::middle);
  }
  for (const double value : frame.y.ticks()) {
    picture.line(left, frame.down(value), right, frame.down(value), light);
    picture.text(left - 6, frame.down(value) + 7, frame.y.label(value), black, Raster::Align::right);
  }
  picture.line(left, top, right, top, dark);
  picture.line(left, bottom, right, bottom, dark);
  picture.line(left, top, left, bottom, dark);
  picture.line(right, top, right, bottom, dark);
  picture.text(left, 28, title_of(plot), black);
  picture.text((left + right) / 2, height - 12, plot.x_name, black, Raster::Align::middle);
  for (std::size_t i = 1; i < plot.x.size(); ++i)
    picture.line(frame.across(plot.x[i - 1]), frame.down(plot.y[i - 1]), frame.across(plot.x[i]), frame.down(plot.y[i]),
                 blue, 1.6);
  return picture.to_png();
}

void plot(const Result& run, const std::string& words, const std::string& path, int points) {
  const bool is_svg = path.ends_with(".svg");
  if (!is_svg && !path.ends_with(".png")) throw Misuse(fmt::format("plot: {}: a picture ends in .svg or .png", path));
  if (points < 1) throw Misuse(fmt::format("plot: {} points: at least 1", points));
  const CurvePlot curve = plot_of(run, plot_names(words), points);
  write_whole_file(path, is_svg ? to_svg(curve) : to_png(curve));
}

}  // namespace pawl
