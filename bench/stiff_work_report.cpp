#include "stiff_work.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "report/svg_plot.hpp"
#include "report/whole_file.hpp"

namespace pawl::bench {

namespace {

constexpr double loose = 1e-5, tight = 1e-8;
constexpr double targets[] = {1e-3, loose, tight, 1e-10};

/// The runs that no other one beats in both error and time, from loose to tight.
std::vector<Work> envelope(const std::vector<Work>& runs, bool with_set_up) {
  std::vector<Work> best;
  for (const Work& one : runs) {
    if (!std::isfinite(one.error)) continue;
    best.push_back(one);
    if (!with_set_up) best.back().seconds = std::max(one.seconds - one.set_up, 1e-7);
  }
  std::sort(best.begin(), best.end(), [](const Work& a, const Work& b) { return a.seconds < b.seconds; });
  double error = std::numeric_limits<double>::infinity();
  std::erase_if(best, [&](const Work& one) {
    if (one.error >= error) return true;
    error = one.error;
    return false;
  });
  return best;
}

/// Seconds to reach this error: straight lines between the runs of the envelope, in logarithms. Nothing: not reached.
std::optional<double> seconds_to(double error, const std::vector<Work>& runs, bool with_set_up = true) {
  const std::vector<Work> best = envelope(runs, with_set_up);
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].error > error) continue;
    if (i == 0) return best[0].seconds;
    const Work &before = best[i - 1], &here = best[i];
    const double share = std::log(before.error / error) / std::log(before.error / here.error);
    return before.seconds * std::pow(here.seconds / before.seconds, share);
  }
  return std::nullopt;
}

struct Fastest {
  std::string name = "-";
  double seconds = std::numeric_limits<double>::infinity();
};
Fastest fastest_to(double error, const Field& field, bool is_peer, bool with_set_up = true) {
  Fastest best;
  for (const Contestant& one : field.contestants) {
    if (one.is_peer != is_peer) continue;
    const auto seconds = seconds_to(error, one.runs, with_set_up);
    if (seconds && *seconds < best.seconds) best = {one.name, *seconds};
  }
  return best;
}

/// What failed: how many runs, the loosest of them, and why.
std::string note_on(const std::vector<Work>& runs) {
  const Work* first = nullptr;
  int failed = 0;
  for (const Work& one : runs) {
    if (one.failure.empty() || one.was_cut) continue;
    if (first == nullptr) first = &one;
    ++failed;
  }
  if (first == nullptr) return {};
  return fmt::format("{} of {} tolerances fail, the first at {:.2g}: {}", failed, runs.size(), first->tolerance,
                     first->failure);
}

bool was_cut(const std::vector<Work>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const Work& one) { return one.was_cut; });
}

std::string cell(double error, const std::vector<Work>& runs, double longest) {
  if (const auto seconds = seconds_to(error, runs)) return milliseconds(*seconds);
  return was_cut(runs) ? fmt::format("> {:g} s", longest) : "-";
}

std::string_view describe(Norm norm) {
  switch (norm) {
    case Norm::componentwise:
      return "largest relative error of a component";
    case Norm::largest:
      return "largest error of a component, relative to the largest component";
    default:
      return "largest error of a component, relative to its size or its nominal size";
  }
}

Fastest named(const std::string& name, double error, const Field& field) {
  for (const Contestant& one : field.contestants) {
    if (one.name == name) return {name, seconds_to(error, one.runs).value_or(std::numeric_limits<double>::infinity())};
  }
  return {};
}

bool has_peers(const Field& field) {
  return std::any_of(field.contestants.begin(), field.contestants.end(),
                     [](const Contestant& one) { return one.is_peer; });
}
/// Of peers that do not reach an error: whether time would have helped.
std::string peers_limit(const Field& field) {
  for (const Contestant& one : field.contestants) {
    if (one.is_peer && was_cut(one.runs)) return fmt::format("> {:g} s", field.effort.longest);
  }
  return "-";
}

std::string ratio_of(const Fastest& we, const Fastest& they) {
  const bool has_both = std::isfinite(we.seconds) && std::isfinite(they.seconds);
  return has_both ? fmt::format("{:.2f}", we.seconds / they.seconds) : "-";
}

}  // namespace

void print_summary(Report& report, const std::vector<Field>& fields) {
  report.begin(
      "work-summary", "Stiff methods: the best of ours and the best SUNDIALS run at equal error",
      fmt::format(
          "ms to reach an error of {:g} and {:g}, read off the lower envelopes of the tables below: processor "
          "time, best of several. Ours is all of simulate(): checks, structure and consistent start included; "
          "theirs begins when solver and vectors are made, with consistent values given. Net: both without "
          "that. The best of a dozen methods of ours is a choice made afterwards, among more curves than "
          "SUNDIALS has: the ratio of `auto` alone, which starts with an explicit method, is what a user gets. {}",
          loose, tight, peers_note()),
      {"problem", "error", "ours", "ms", "SUNDIALS", "ms", "ratio", "net ratio", "auto alone", "wanted", ""});
  for (const Field& field : fields) {
    for (const double error : {loose, tight}) {
      const Fastest we = fastest_to(error, field, false), they = fastest_to(error, field, true);
      const Fastest we_net = fastest_to(error, field, false, false), they_net = fastest_to(error, field, true, false);
      const double wanted = error == loose ? field.which->wanted_loose : field.which->wanted_tight;
      const bool has_us = std::isfinite(we.seconds), has_them = std::isfinite(they.seconds);
      std::string mark;
      if (!has_us)
        mark = "not reached";
      else if (!has_them && has_peers(field))
        mark = "only ours";
      else if (has_them && !(we.seconds <= wanted * they.seconds))
        mark = we_net.seconds <= wanted * they_net.seconds ? "missed by set-up" : "missed";
      report.row({field.problem->name(), fmt::format("{:g}", error), we.name, has_us ? milliseconds(we.seconds) : "-",
                  they.name, has_them ? milliseconds(they.seconds) : peers_limit(field), ratio_of(we, they),
                  ratio_of(we_net, they_net), ratio_of(named("auto", error, field), they),
                  has_peers(field) ? fmt::format("{:g}", wanted) : "-", mark});
    }
  }
}

void print_times(Report& report, const Field& field) {
  const Problem& problem = *field.problem;
  std::vector<std::string> columns{"method"};
  for (const double error : targets) columns.push_back(fmt::format("ms to {:g}", error));
  columns.insert(columns.end(), {"least error", "note"});
  report.begin("work-" + problem.name(), fmt::format("Work and precision: {}", problem.name()),
               fmt::format("{}, {} states, to t = {:g}. Error: {} at the end.", problem.kind, problem.system.size(),
                           problem.end, describe(field.which->norm)),
               columns);
  for (const Contestant& one : field.contestants) {
    std::vector<std::string> cells{one.name};
    for (const double error : targets) cells.push_back(cell(error, one.runs, field.effort.longest));
    double least = std::numeric_limits<double>::infinity();
    for (const Work& run : one.runs) least = std::min(least, run.error);
    cells.push_back(std::isfinite(least) ? number(least, 0) : "-");
    cells.push_back(note_on(one.runs));
    report.row(cells);
  }
}

void print_counts(Report& report, const Wanted& wanted, const Field& field) {
  report.begin("counts-" + field.problem->name(), fmt::format("Counts: {}", field.problem->name()),
               "Our methods; steps: accepted + rejected.",
               {"method", "tolerance", "error", "steps", "f", "Jacobians", "LU", "ms"});
  for (const Contestant& one : field.contestants) {
    if (one.is_peer) continue;
    for (const Work& run : one.runs) {
      const double decade = -std::log10(run.tolerance);
      const bool is_shown = wanted.is_quick || (std::abs(decade - std::round(decade)) < 1e-9 && run.tolerance < 2e-4 &&
                                                run.tolerance > 5e-13 && std::lround(decade) % 2 == 0);
      if (!is_shown) continue;
      std::vector<std::string> cells{one.name, fmt::format("{:.0e}", run.tolerance)};
      if (run.failure.empty()) {
        for (std::string text :
             {number(run.error, 1), fmt::format("{} + {}", run.steps, run.rejected), fmt::format("{}", run.rhs),
              fmt::format("{}", run.jacobians), fmt::format("{}", run.factorizations), milliseconds(run.seconds)})
          cells.push_back(std::move(text));
      } else {
        cells.insert(cells.end(),
                     {"-", "-", "-", "-", "-", run.was_cut ? fmt::format("> {:g} s", field.effort.longest) : "-"});
      }
      report.row(cells);
    }
  }
}

void write_plot(const std::string& folder, const Field& field) {
  LogLogPlot plot{.title = fmt::format("{}: {}", field.problem->name(), field.problem->kind),
                  .x_name = fmt::format("error ({})", describe(field.which->norm)),
                  .y_name = "time in ms",
                  .lines = {},
                  .is_x_reversed = true};
  for (const Contestant& one : field.contestants) {
    PlotLine line{.name = one.name, .x = {}, .y = {}, .is_dashed = one.is_peer};
    for (const Work& run : one.runs) {
      if (!(run.error < 1)) continue;  // no digit is right
      line.x.push_back(run.error);
      line.y.push_back(1e3 * run.seconds);
    }
    plot.lines.push_back(std::move(line));
  }
  write_whole_file(fmt::format("{}/{}.svg", folder, field.problem->name()), draw_svg(plot));
}

}  // namespace pawl::bench
