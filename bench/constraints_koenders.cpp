// Koenders (2002): Table 1, the gear wheels, and Tables 5 to 7, the flyball governor.
#include <cmath>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "problems/gear_wheels.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

using problems::GearWheels;

std::string in_words(const std::vector<std::complex<double>>& eigenvalues) {
  std::string text;
  for (const std::complex<double>& one : eigenvalues) {
    if (one.imag() < 0) continue;  // its conjugate says it
    text += text.empty() ? "" : ", ";
    if (std::isinf(one.real()))
      text += "-infinity";
    else
      text += one.imag() == 0 ? fmt::format("{:.8g}", one.real())
                              : fmt::format("{:.8g} +- {:.8g} i", one.real(), one.imag());
  }
  return text;
}

struct Violations {
  double position = std::numeric_limits<double>::quiet_NaN(), velocity = position;  // at the end
  double largest_velocity = position;                                               // over the run, of all constraints
  long long calls = 0;
};

/// The rod's length and Phi_1 = r ps/Ms - px1/Mx at the end, r = dq/ds along a constant rod: how fast the ball of the
/// first arm moves off what the collar asks for.
Violations flyball(const char* method, double step, double end, const char* stabilization) {
  constexpr double m = 0.49741883681838393, radius = 0.025, L1 = 0.2, L = 0.4, Ms = 1,
                   Mx = 2. / 5 * m * radius * radius + 0.4 * 0.4 * m;
  const Problem& problem = find_problem("flyball");
  Options options{.end = end, .method = method, .step = step};
  options.keep = Keep::end;
  options.constraints = {"acceleration", stabilization};
  const Result run = simulate(problem.system, options);
  Violations result;
  result.calls = run.statistics.rhs;
  if (!run.finished()) return result;
  const Instant at = run.final();
  const double q = at["qx1"], s = at["qs"], r = 1 / (L1 * std::sin(q)) - 1 / (std::tan(q) * (L - s));
  result.position = std::abs(at["rod"]);
  result.velocity = std::abs(r * at["ps"] / Ms - at["px1"] / Mx);
  result.largest_velocity = run.statistics.constraints->velocity_drift;
  return result;
}

struct Row {
  double step;
  const char *position, *velocity, *calls;
  double end = 30;
  bool fits = true;  // the line belongs to the run that it stands for
};

void table_5(Report& report, bool is_quick) {
  report.begin("5", "Table 5 of Koenders (2002): flyball governor, RK-4, not stabilized",
               "rk4, acceleration, none. Position: error of the rod's length at the end; velocity: |Phi_1| there. The "
               "printed row of step 0.1 belongs to his stabilized run.",
               {"step", "end", "position, printed", "ours", "velocity, printed", "ours", "calls, printed", "ours",
                "comparison"});
  for (const Row& row :
       {Row{0.2, "*", "*", "-"}, Row{0.15, "42e-3", "8e-3", "805"}, Row{0.1, "1e-4", "6e-3", "1201", 30, false},
        Row{0.065, "6e-4", "9e-5", "1849"}, Row{0.0496, "2e-4", "4e-5", "2421"}, Row{0.041, "1.2e-4", "2.1e-5", "2929"},
        Row{0.041, "2e-3", "2.1e-5", "48800", 500}, Row{0.027, "2.4e-5", "4.4e-6", "4449"},
        Row{0.021, "9.1e-6", "1.7e-6", "5717"}, Row{0.012, "1e-6", "1.9e-7", "10001"},
        Row{0.0031, "4.6e-9", "9e-10", "38713"}, Row{0.0001, "7.7e-14", "3.9e-14", "1.2e6"}}) {
    if (is_quick && row.step < 0.001) continue;
    const Violations ours = flyball("rk4", row.step, row.end, "none");
    report.row({fmt::format("{}", row.step), fmt::format("{:g}", row.end), row.position, number(ours.position),
                row.velocity, number(ours.velocity, 1), row.calls, fmt::format("{}", ours.calls),
                both(compare(row.position, ours.position, 1e-12).words(),
                     compare(row.velocity, ours.velocity, 1e-12).words())});
    if (!row.fits) continue;
    report.within(1.1, fmt::format("step {}, position", row.step), row.position, ours.position, 1e-12);
    report.within(1.1, fmt::format("step {}, velocity", row.step), row.velocity, ours.velocity, 1e-12);
  }
}

void table_6(Report& report, bool is_quick) {
  report.begin(
      "6", "Table 6 of Koenders (2002): flyball governor, RK-4, projected after each step",
      "rk4, acceleration; koenders is (4.58) as printed, koenders(momenta) moves momenta only and is nearest to "
      "his figures. The printed velocity violations are not those after the projection; ours are the "
      "largest of all rows over the run, after it.",
      {"step", "position, printed", "koenders", "koenders(momenta)", "projection", "velocity, printed",
       "koenders, largest", "koenders(momenta), largest", "comparison (momenta)"});
  for (const Row& row :
       {Row{0.24, "*", "*", "", 30, false}, Row{0.2, "-", "-", "", 30, false}, Row{0.1, "1e-4", "6e-3", "1201"},
        Row{0.065, "2.8e-5", "1.6e-4", "1849"}, Row{0.0496, "7.6e-6", "2e-7", "2421"},
        Row{0.041, "2.8e-6", "1.4e-6", "2929"}, Row{0.027, "3.8e-7", "4.3e-8", "4449"},
        Row{0.021, "6.1e-8", "5.7e-9", "5717"}, Row{0.012, "3.6e-10", "5e-11", "10001"},
        Row{0.0031, "3.2e-11", "2.9e-14", "38713"}, Row{0.0001, "4.8e-15", "1.2e-15", "1.2e6"}}) {
    if (is_quick && row.step < 0.001) continue;
    const Violations full = flyball("rk4", row.step, 30, "koenders"),
                     momenta = flyball("rk4", row.step, 30, "koenders(momenta)"),
                     exact = flyball("rk4", row.step, 30, "projection");
    report.row({fmt::format("{}", row.step), row.position, number(full.position, 1), number(momenta.position, 1),
                number(exact.position, 1), row.velocity, number(full.largest_velocity, 1),
                number(momenta.largest_velocity, 1),
                row.position == std::string_view("-") ? "not in the paper"
                                                      : compare(row.position, momenta.position, 1e-13).words()});
    if (row.fits) report.within(4, fmt::format("step {}, position", row.step), row.position, momenta.position, 1e-13);
  }
}

void table_7(Report& report, bool) {
  report.begin(
      "7", "Table 7 of Koenders (2002): flyball governor, RK-8, not stabilized",
      "dop853 with his mean step as a fixed step (his pair is not named). His lines of 0.0495 (velocity) and "
      "0.09 do not fit order 8 and the other lines.",
      {"step", "end", "position, printed", "dop853", "fehlberg-78", "velocity, printed", "dop853", "comparison"});
  for (const Row& row :
       {Row{0.0495, "5.3e-9", "1.1e-8", "7842", 30, false}, Row{0.09, "8.4e-8", "2.1e-8", "4371", 30, false},
        Row{0.041, "1.1e-9", "2.1e-10", "9532"}, Row{0.041, "1.8e-8", "2.1e-10", "0.16e6", 500},
        Row{0.027, "3.5e-11", "7.1e-12", "14500"}, Row{0.0031, "2.8e-14", "6.1e-15", "0.13e6"}}) {
    const Violations ours = flyball("dop853", row.step, row.end, "none"),
                     other = flyball("fehlberg-78", row.step, row.end, "none");
    report.row({fmt::format("{}", row.step), fmt::format("{:g}", row.end), row.position, number(ours.position, 1),
                number(other.position, 1), row.velocity, number(ours.velocity, 1),
                both(compare(row.position, ours.position, 1e-12).words(),
                     compare(row.velocity, ours.velocity, 1e-12).words())});
    if (!row.fits) continue;
    report.within(1.25, fmt::format("step {}, to {:g} s, position", row.step, row.end), row.position, ours.position,
                  1e-12);
    report.within(1.25, fmt::format("step {}, to {:g} s, velocity", row.step, row.end), row.velocity, ours.velocity,
                  1e-12);
  }
}

}  // namespace

void bench_gear_wheels(Report& report, const Wanted&) {
  report.begin("1", "Table 1 of Koenders (2002): eigenvalues of the gear wheels by formulation",
               "Eigenvalues of the pencil; the stiffness ratio is max |Re| / min |Re|.",
               {"formulation", "index", "printed", "ours", "ratio, printed", "ours", "comparison"});
  struct Line {
    const char* label;
    GearWheels formulation;
    const char *index, *printed, *ratio, *remark;
    std::vector<std::pair<const char*, const char*>> finite;  // |Re|, |Im| as printed, fastest first; empty: not there
  };
  for (const Line& line :
       {Line{"straightforward",
             GearWheels::index_1,
             "1",
             "-infinity, -0.0025 +- 1.118 i",
             "infinite",
             "",
             {{".0025", "1.118"}}},
        Line{"with its multiplier", GearWheels::index_2, "2", "-", "-", "not in the table", {}},
        Line{"spring and damper",
             GearWheels::spring_damper,
             "0",
             "-200 +- 0.5 i, -0.0025 +- 1.118 i",
             "80000",
             ", with the signs of (2.28) and (2.29) corrected",
             {{"200", "0.5"}, {".0025", "1.118"}}},
        Line{"symbolic reduction", GearWheels::reduced, "0", "-0.0025 +- 1.118 i", "1", "", {{".0025", "1.118"}}}}) {
    const problems::Spectrum spectrum = problems::spectrum_of(line.formulation);
    std::vector<std::complex<double>> finite;
    for (const std::complex<double>& one : spectrum.eigenvalues) {
      if (std::isfinite(one.real()) && one.imag() >= 0) finite.push_back(one);
    }
    std::string comparison;
    for (std::size_t i = 0; i < line.finite.size(); ++i) {
      const auto& [real, imaginary] = line.finite[i];
      report.expect(i < finite.size(), fmt::format("{}: an eigenvalue is missing", line.label));
      const std::string words =
          i < finite.size()
              ? both(report.same(fmt::format("{}, real part", line.label), real, std::abs(finite[i].real())),
                     report.same(fmt::format("{}, imaginary part", line.label), imaginary, finite[i].imag()))
              : "missing";
      if (words != comparison) comparison += (comparison.empty() ? "" : ", ") + words;
    }
    report.row({line.label, line.index, line.printed, in_words(spectrum.eigenvalues), line.ratio,
                std::isinf(spectrum.stiffness_ratio) ? "infinite" : fmt::format("{:.8g}", spectrum.stiffness_ratio),
                comparison + line.remark});
  }
}

void bench_flyball(Report& report, const Wanted& wanted) {
  table_5(report, wanted.is_quick);
  table_6(report, wanted.is_quick);
  table_7(report, wanted.is_quick);
}

}  // namespace pawl::bench
