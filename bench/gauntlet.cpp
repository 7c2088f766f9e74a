// The gauntlet under every adaptive method, or those that are named: what was found, and every fault by name.
#include "problems/gauntlet.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

struct Fault {
  std::string method, which, what;
};

std::vector<const Method*> contestants(const Wanted& wanted) {
  std::vector<const Method*> all;
  for (const std::string& name : wanted.methods) all.push_back(&find_method(name));
  for (const Method& method : methods()) {
    if (wanted.methods.empty() && method.is_adaptive) all.push_back(&method);
  }
  return all;
}

/// All cases that a method of this order is asked to run.
GauntletReport sum_of(const Method& method, const std::vector<GauntletCase>& cases, GuardForm form, int& count,
                      std::vector<Fault>& faults) {
  GauntletReport sum;
  for (const GauntletCase& one : cases) {
    if (!one.is_for(method)) continue;
    const GauntletReport report = run_case(one, method.name, form);
    ++count;
    sum.expected += report.expected;
    sum.found += report.found;
    sum.missed += report.missed;
    sum.misplaced += report.misplaced;
    sum.wrong += report.wrong;
    sum.doubled += report.doubled;
    sum.wrong_side += report.wrong_side;
    sum.out_of_order += report.out_of_order;
    sum.rhs += report.rhs;
    sum.guard_evaluations += report.guard_evaluations;
    for (const std::string& fault : report.faults) {
      sum.faults.push_back(fault);
      faults.push_back({method.name, one.name, fault});
    }
  }
  return sum;
}

void run_gauntlet(Report& report, const Wanted& wanted, GuardForm form) {
  const std::vector<GauntletCase> cases = gauntlet(form);
  const std::string name = form == GuardForm::generic ? "generic functions" : "black boxes";
  report.begin("gauntlet-" + std::string(form == GuardForm::generic ? "generic" : "black-box"),
               fmt::format("The gauntlet, guards as {}", name),
               fmt::format("{} cases. Events that had to be found and were; faults are events missed, false, doubled, "
                           "on the wrong side, out of order or too far from their exact time, and runs that end "
                           "otherwise than they should.",
                           cases.size()),
               {"method", "cases", "found / expected", "faults", "missed", "misplaced", "false", "doubled",
                "wrong side", "out of order", "right-hand sides", "guard evaluations"});
  std::vector<Fault> faults;
  for (const Method* method : contestants(wanted)) {
    int count = 0;
    const GauntletReport sum = sum_of(*method, cases, form, count, faults);
    report.row({method->name, fmt::format("{}", count), fmt::format("{} / {}", sum.found, sum.expected),
                fmt::format("{}", sum.faults.size()), fmt::format("{}", sum.missed), fmt::format("{}", sum.misplaced),
                fmt::format("{}", sum.wrong), fmt::format("{}", sum.doubled), fmt::format("{}", sum.wrong_side),
                fmt::format("{}", sum.out_of_order), fmt::format("{}", sum.rhs),
                fmt::format("{}", sum.guard_evaluations)});
    report.expect(sum.faults.empty(), fmt::format("{}: {} faults", method->name, sum.faults.size()));
  }
  if (faults.empty()) return;
  report.begin("gauntlet-faults", fmt::format("Faults, guards as {}", name), {}, {"method", "case", "fault"});
  for (const Fault& fault : faults) {
    std::string what = fault.what;
    std::replace(what.begin(), what.end(), '|', '/');
    report.row({fault.method, fault.which, what});
  }
}

}  // namespace

void bench_gauntlet(Report& report, const Wanted& wanted) {
  run_gauntlet(report, wanted, GuardForm::generic);
}

void bench_gauntlet_black_boxes(Report& report, const Wanted& wanted) {
  run_gauntlet(report, wanted, GuardForm::black_box);
}

void bench_random_guards(Report& report, const Wanted& wanted) {
  const std::vector<std::string> with =
      wanted.methods.empty() ? std::vector<std::string>{"dormand-prince-5", "dop853"} : wanted.methods;
  report.begin("gauntlet-random", "Random guards with many zeros", {},
               {"guards", "zeros", "found", "missed", "false", "largest error of location"});
  const RandomReport random = run_random_guards(wanted.is_quick ? 20 : 200, 50, with, 20261115);
  report.row({fmt::format("{}", random.guards), fmt::format("{}", random.roots), fmt::format("{}", random.found),
              fmt::format("{}", random.missed), fmt::format("{}", random.wrong),
              fmt::format("{:.1e}", random.location_error)});
  report.expect(random.missed == 0 && random.wrong == 0,
                fmt::format("{} zeros missed, {} invented", random.missed, random.wrong));
}

}  // namespace pawl::bench
