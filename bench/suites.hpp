// Everything that pawl-bench can run: tables, gathered in suites. A table is a function that writes into a Report; a
// new one is a function here and a row in suites.cpp.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"

namespace pawl::bench {

/// What was asked for; a table reads what concerns it.
struct Wanted {
  std::string problem = "all";                    ///< of the catalogue
  std::vector<std::string> methods;               ///< empty: the table's own
  std::vector<double> tolerances;                 ///< empty: the table's own
  bool is_quick = false;                          ///< fewer tolerances, repetitions and shorter runs
  bool lists_all = false;                         ///< auto: every method that was tried
  std::string plots;                              ///< folder for pictures; empty: none
  std::string peers = "build/peers";              ///< folder that bench/build_contact_peers has filled
  std::string scipy = "build/scipy_events.json";  ///< what bench/scipy_events.py has written
  std::string before;                             ///< rows of an earlier run to compare counts with; empty: none
};

struct BenchTable {
  std::string suite, name, what;
  bool is_published;  ///< figures of a paper stand beside ours: part of the suite papers
  void (*run)(Report&, const Wanted&);
};
const std::vector<BenchTable>& tables();

/// Runs a table of a suite, or "all" of them; the suite papers is every published table. Throws Misuse for a name there
/// is none of.
void run_suite(const std::string& suite, const std::string& table, Report& report, const Wanted& wanted);

// models.cpp
void bench_model_evaluations(Report& report, const Wanted& wanted);
void bench_model_runs(Report& report, const Wanted& wanted);
void bench_model_loops(Report& report, const Wanted& wanted);
void bench_reports(Report& report, const Wanted& wanted);
void bench_model_latency(Report& report, const Wanted& wanted);
void bench_model_structure(Report& report, const Wanted& wanted);
void bench_model_guard(Report& report, const Wanted& wanted);

// catalogue.cpp, gauntlet.cpp, choice.cpp, spheres.cpp
void bench_catalogue(Report& report, const Wanted& wanted);
void bench_promise(Report& report, const Wanted& wanted);
void bench_gauntlet(Report& report, const Wanted& wanted);
void bench_gauntlet_black_boxes(Report& report, const Wanted& wanted);
void bench_random_guards(Report& report, const Wanted& wanted);
void bench_auto(Report& report, const Wanted& wanted);
void bench_spheres(Report& report, const Wanted& wanted);
// compound_pendulum.cpp, erased_route.cpp
void bench_compound_pendulum(Report& report, const Wanted& wanted);
void bench_erasure(Report& report, const Wanted& wanted);
// events_compere.cpp, events_mao_petzold.cpp
void bench_compere_events(Report& report, const Wanted& wanted);
void bench_marbles(Report& report, const Wanted& wanted);
void bench_marble_scaling(Report& report, const Wanted& wanted);
void bench_skipped_zeros(Report& report, const Wanted& wanted);
void bench_event_times(Report& report, const Wanted& wanted);
// events_smooth_solver.cpp, mao_petzold_conditions.cpp, koenders_figures.cpp
// second_opinion.cpp
void bench_false_alarms(Report& report, const Wanted& wanted);
void bench_planted_faults(Report& report, const Wanted& wanted);
void bench_state_conditions(Report& report, const Wanted& wanted);
void bench_smooth_balls(Report& report, const Wanted& wanted);
void bench_smooth_marbles(Report& report, const Wanted& wanted);
void bench_energy_of_marbles(Report& report, const Wanted& wanted);
void bench_number_of_marbles(Report& report, const Wanted& wanted);
void bench_flyball_figures(Report& report, const Wanted& wanted);
// constraints_compere.cpp
void bench_rod_pendulum(Report& report, const Wanted& wanted);
void bench_rolling_spheres(Report& report, const Wanted& wanted);
void bench_held_multipliers(Report& report, const Wanted& wanted);
void bench_reaching(Report& report, const Wanted& wanted);
// constraints_ascher.cpp
void bench_arm_drift(Report& report, const Wanted& wanted);
void bench_arm_ensemble(Report& report, const Wanted& wanted);
void bench_squeezer(Report& report, const Wanted& wanted);
// constraints_koenders.cpp
void bench_gear_wheels(Report& report, const Wanted& wanted);
void bench_flyball(Report& report, const Wanted& wanted);
// constraints_long.cpp
void bench_andrews(Report& report, const Wanted& wanted);
void bench_long_pendulum(Report& report, const Wanted& wanted);
void bench_period2(Report& report, const Wanted& wanted);
// constraints_cost.cpp
void bench_chain(Report& report, const Wanted& wanted);
void bench_share(Report& report, const Wanted& wanted);
// stiff_work.cpp, stiff_sparse.cpp, stiff_restart.cpp, stiff_papers.cpp, stiff_formulations.cpp
void bench_work(Report& report, const Wanted& wanted);
void bench_sparse(Report& report, const Wanted& wanted);
void bench_restart(Report& report, const Wanted& wanted);
void bench_diode_circuit(Report& report, const Wanted& wanted);
void bench_flyball_bdf(Report& report, const Wanted& wanted);
void bench_formulations(Report& report, const Wanted& wanted);
// contact.cpp
void bench_contact_peers(Report& report, const Wanted& wanted);
void bench_contact_routes(Report& report, const Wanted& wanted);
// sweep.cpp
void bench_sweep_ball(Report& report, const Wanted& wanted);
void bench_sweep_draws(Report& report, const Wanted& wanted);
void bench_sweep_layouts(Report& report, const Wanted& wanted);
void bench_sweep_sharing(Report& report, const Wanted& wanted);
void bench_sweep_million(Report& report, const Wanted& wanted);
#if PAWL_HAS_PEERS
// smooth_peers.cpp, event_peers.cpp, constraint_peers.cpp: Boost, GSL, SUNDIALS, scipy
void bench_smooth_peers(Report& report, const Wanted& wanted);
void bench_event_peers(Report& report, const Wanted& wanted);
void bench_constraint_peers(Report& report, const Wanted& wanted);
#endif

}  // namespace pawl::bench
