// The gauntlet with every adaptive method: everything is found, once, on the right side, in the right order.
#include "problems/gauntlet.hpp"

#include <set>

#include <gtest/gtest.h>

#include "integrate/methods.hpp"

namespace pawl {
namespace {

void run_all(GuardForm form) {
  for (const GauntletCase& one : gauntlet(form)) {
    for (const Method& method : methods()) {
      if (!method.is_adaptive || !one.is_for(method)) continue;
      SCOPED_TRACE(one.name + " by " + method.name);
      const GauntletReport report = run_case(one, method.name, form);
      for (std::size_t i = 0; i < report.faults.size() && i < 5; ++i) ADD_FAILURE() << report.faults[i];
      EXPECT_TRUE(report.is_right()) << report.faults.size() << " faults";
    }
  }
}

TEST(Gauntlet, HasManyCasesWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const GauntletCase& one : gauntlet(GuardForm::generic)) names.insert(one.name);
  EXPECT_EQ(names.size(), gauntlet(GuardForm::generic).size());
  EXPECT_GE(names.size(), 228u);
}

TEST(Gauntlet, ProvedGuardsMissNothing) {
  run_all(GuardForm::generic);
}

TEST(Gauntlet, BlackBoxesShowEveryCrossing) {
  run_all(GuardForm::black_box);
}

TEST(Gauntlet, OfTenThousandRandomGuardsNoRootIsMissedAndNoneInvented) {
  const RandomReport report = run_random_guards(500, 20, {"dormand-prince-5", "dop853"}, /*seed=*/20011115);
  for (std::size_t i = 0; i < report.faults.size() && i < 10; ++i) ADD_FAILURE() << report.faults[i];
  EXPECT_TRUE(report.faults.empty()) << report.faults.size() << " faults";
  EXPECT_EQ(report.guards, 2 * 10'000);
  EXPECT_EQ(report.found, report.roots);
}

}  // namespace
}  // namespace pawl
