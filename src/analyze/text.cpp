// Advice as a page to read.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pawl/advise.hpp"

namespace pawl::analyze {

namespace {

constexpr std::size_t most_eigenvalues = 6;

void line(std::string& text, std::string_view label, const std::string& words) {
  text += fmt::format("  {:<14} {}\n", label, words);
}

std::string counted(int count, std::string_view what, std::string_view rest = "") {
  return fmt::format("{} {}{}{}", count, what, count == 1 ? "" : "s", rest);
}

/// Parts at rounding of the whole are zero to a reader.
std::string number(const std::complex<double>& value, double largest) {
  const double size = std::max(std::abs(value), 0.01 * largest);
  const double re = std::abs(value.real()) < 1e-12 * size ? 0 : value.real();
  const double im = std::abs(value.imag()) < 1e-12 * size ? 0 : value.imag();
  if (im == 0) return fmt::format("{:.6g}", re);
  return re == 0 ? fmt::format("±{:.6g}i", im) : fmt::format("{:.6g} ± {:.6g}i", re, im);
}

std::string eigenvalues_of(const Anatomy& anatomy) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& value : anatomy.eigenvalues) {
    if (value.imag() < 0) continue;  // with its conjugate
    if (++shown > most_eigenvalues) break;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number(value, std::abs(anatomy.eigenvalues.front())));
  }
  if (shown > most_eigenvalues) text += ", ...";
  if (anatomy.infinite > 0) text += fmt::format("{}{} infinite", text.empty() ? "" : "; ", anatomy.infinite);
  if (anatomy.undetermined > 0) text += fmt::format("; {} undetermined", anatomy.undetermined);
  return text;
}

void describe(std::string& text, const Anatomy& anatomy, double t) {
  if (!anatomy.failure.empty()) return line(text, anatomy.equations, "not taken apart: " + anatomy.failure);
  line(text, anatomy.equations,
       fmt::format("{} unknowns ({} differential, {} algebraic), index {}{}", anatomy.unknowns, anatomy.differential,
                   anatomy.algebraic, anatomy.index,
                   anatomy.has_eigenvalues ? fmt::format(" (smallest rank gap {:.0e}{})", anatomy.rank_gap,
                                                         anatomy.index_is_certain ? "" : ", uncertain")
                                           : " by structure"));
  std::string words = fmt::format("{}, {}", counted(anatomy.degrees_of_freedom, "degree", " of freedom"),
                                  counted(anatomy.dependent_states, "dependent state"));
  if (anatomy.has_eigenvalues)
    words += fmt::format(", {}, {} redundant", counted(anatomy.hidden_constraints, "hidden constraint"),
                         anatomy.redundant.size());
  line(text, "", words);
  if (anatomy.has_eigenvalues) {
    line(text, "eigenvalues",
         fmt::format("{} (frozen at t = {:.6g}{})", eigenvalues_of(anatomy), t,
                     anatomy.is_exact ? "" : ", by differences"));
  }
}

void describe(std::string& text, const Stiffness& stiffness, bool has_eigenvalues) {
  std::string words;
  if (has_eigenvalues) {
    words = stiffness.is_damped ? fmt::format("Lambert {:.6g}", stiffness.lambert)
                                : std::string("Lambert infinite, not meaningful: nothing decays or grows");
    if (stiffness.is_infinite) words += ", infinite with the algebraic unknowns";
    words += "; ";
  } else {
    words = "more than 100 states, not taken apart; ";
    words += stiffness.fastest_rate > 0
                 ? fmt::format("spectral radius {:.4g} by power iteration; ", stiffness.fastest_rate)
                 : std::string("no spectral radius found; ");
  }
  if (stiffness.is_too_costly)
    words += "accurate step not looked for: its implicit steps need full matrices, which may cost more than the run";
  else if (!has_eigenvalues && stiffness.fastest_rate == 0)
    words += fmt::format("accurate step {:.3g}", stiffness.accurate_step);
  else if (stiffness.accurate_step > 0) {
    words += fmt::format("van Dijk {:.3g} = accurate step {:.3g} x fastest rate {:.4g}", stiffness.van_dijk,
                         stiffness.accurate_step, stiffness.fastest_rate);
  } else {
    words += "van Dijk's not measured: no implicit step could be taken";
  }
  line(text, "stiffness", words);
}

void describe(std::string& text, const Recommendation& advice) {
  const auto add = [&text](const char* label, const Choice& choice) {
    if (!choice.value.empty())
      line(text, label,
           choice.why.empty() ? choice.value + ": asked for" : fmt::format("{}: {}", choice.value, choice.why));
  };
  add("method", advice.method);
  add("when stiff", advice.when_stiff);
  add("many events", advice.when_frequent);
  add("rates", advice.field);
  add("linear solver", advice.solver);
  add("formulation", advice.formulation);
  add("stabilization", advice.stabilization);
  add("tolerance", advice.tolerance);
  for (const Rejection& rejection : advice.rejected)
    line(text, "rejected", fmt::format("{}: {}", rejection.what, rejection.why));
}

}  // namespace

std::string to_text(const Advice& advice) {
  std::string text = fmt::format("{}: {}, {} state{}", advice.model, to_string(advice.kind), advice.states,
                                 advice.states == 1 ? "" : "s");
  if (advice.constraint_rows > 0)
    text += fmt::format(", {} constraint row{}", advice.constraint_rows, advice.constraint_rows == 1 ? "" : "s");
  if (advice.contacts > 0) text += fmt::format(", {} contact{}", advice.contacts, advice.contacts == 1 ? "" : "s");
  text += "\n";
  line(text, "pilot run",
       fmt::format("t = {:.6g} to {:.6g}, {} steps", advice.pilot_start, advice.pilot_end, advice.pilot_steps));
  if (!advice.pilot_failure.empty()) line(text, "", "it failed: " + advice.pilot_failure);
  if (advice.events.seen > 0) {
    line(
        text, "events",
        fmt::format("{} in the pilot run, {:.3g} per unit of time{}{}", advice.events.seen, advice.events.per_unit_time,
                    advice.events.accumulates ? ", accumulating" : "", advice.events.slides ? ", sliding" : ""));
  }
  const bool is_one = advice.modes.size() == 1;
  for (const ModeAdvice& mode : advice.modes) {
    if (!is_one || !mode.mode.empty())
      text += fmt::format("\nmode: {} (from t = {:.6g}, {:.3g} % of the time)\n",
                          mode.mode.empty() ? "the only one" : mode.mode, mode.entered, 100 * mode.share);
    describe(text, mode.declared, mode.frozen_at);
    if (mode.integrated) describe(text, *mode.integrated, mode.frozen_at);
    describe(text, mode.stiffness, mode.declared.has_eigenvalues);
    if (!is_one)
      line(text, "advice", fmt::format("{}: {}", mode.recommendation.method.value, mode.recommendation.method.why));
  }
  if (advice.modes_left_out > 0)
    text += fmt::format("\n{} more modes were visited and not looked at\n", advice.modes_left_out);
  text += "\nadvice\n";
  describe(text, advice.recommendation);
  for (const std::string& note : advice.notes) line(text, "note", note);
  return text;
}

}  // namespace pawl::analyze
