#include "suites.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numerics/nearest_name.hpp"
#include "pawl/system.hpp"

namespace pawl::bench {

const std::vector<BenchTable>& tables() {
  static const std::vector<BenchTable> list {
    {"catalogue", "runs", "problem x method x tolerance: steps, counts, error, time", false, bench_catalogue},
        {"gauntlet", "generic", "adversarial guards with exactly known events, by method", false, bench_gauntlet},
        {"gauntlet", "black-box", "the same guards as black boxes", false, bench_gauntlet_black_boxes},
        {"gauntlet", "random", "random guards with many zeros", false, bench_random_guards},
        {"smooth", "3.1", "Compere, Table 3.1: energy of the compound pendulum", true, bench_compound_pendulum},
        {"smooth", "erasure", "what type erasure costs", false, bench_erasure},
#if PAWL_HAS_PEERS
        {"smooth", "peers", "smooth problems beside Boost.odeint and GSL", false, bench_smooth_peers},
        {"events", "peers", "events found by pawl, SUNDIALS and scipy", false, bench_event_peers},
#endif
        {"events", "5.3-5.5", "Compere, Tables 5.3 to 5.5: events and what they cost", true, bench_compere_events},
        {"events", "5.6", "Compere, Table 5.6: marble jar", false, bench_marbles},
        {"events", "5.5-smooth", "Compere, Table 5.5: 100 balls without events", true, bench_smooth_balls},
        {"events", "5.6-smooth", "Compere, Table 5.6: marble jar without events", true, bench_smooth_marbles},
        {"events", "fig-5.11", "Compere, Fig. 5.11: energy of the marble jar", true, bench_energy_of_marbles},
        {"events", "fig-5.12", "Compere, Fig. 5.12: marble jar by the number of balls", true, bench_number_of_marbles},
        {"events", "scaling", "marble jar from 10 to 400 balls", false, bench_marble_scaling},
        {"events", "mao-petzold-1", "Mao and Petzold, Table 1: zeros that are skipped", true, bench_skipped_zeros},
        {"events", "mao-petzold-2", "Mao and Petzold, Table 2: event times", true, bench_event_times},
#if PAWL_HAS_PEERS
        {"constraints", "peers", "constrained mechanics beside CVODE with projection and IDA", false,
         bench_constraint_peers},
#endif
        {"constraints", "3.2", "Compere, Table 3.2: rod pendulum", true, bench_rod_pendulum},
        {"constraints", "3.3", "Compere, Table 3.3: rolling spheres", true, bench_rolling_spheres},
        {"constraints", "fig-3.8", "Compere, Fig. 3.8: multipliers held over the stages", true, bench_held_multipliers},
        {"constraints", "reaching", "Compere, 3.6: the reaching phase", true, bench_reaching},
        {"constraints", "6.1-6.2", "Ascher et al., Tables 6.1 and 6.2: drift of an arm", true, bench_arm_drift},
        {"constraints", "6.3", "Ascher et al., Table 6.3: a chaotic arm", true, bench_arm_ensemble},
        {"constraints", "6.4", "Ascher et al., Table 6.4: seven-body mechanism", true, bench_squeezer},
        {"constraints", "gear-wheels", "Koenders, Table 1: eigenvalues", true, bench_gear_wheels},
        {"constraints", "flyball", "Koenders, Tables 5 to 7: flyball governor", true, bench_flyball},
        {"constraints", "figures", "Koenders, Figs. 13 to 15: flyball governor", true, bench_flyball_figures},
        {"constraints", "andrews", "right-hand sides for an error", false, bench_andrews},
        {"constraints", "pendulum", "1000 s of a pendulum", false, bench_long_pendulum},
        {"constraints", "period2", "10 000 periods of a pendulum", false, bench_period2},
        {"constraints", "chain", "time per step of N links", false, bench_chain},
        {"constraints", "share", "what projection costs", false, bench_share},
        {"stiff", "work", "work and precision of every stiff method, beside CVODE and IDA", false, bench_work},
        {"stiff", "sparse", "large sparse systems", false, bench_sparse},
        {"stiff", "restart", "what a restart after an event costs", false, bench_restart},
        {"stiff", "mao-petzold-3", "Mao and Petzold, Table 3: diode circuit", true, bench_diode_circuit},
        {"stiff", "mao-petzold-3-conditions", "Mao and Petzold, Example 4 as propositions", true,
         bench_state_conditions},
        {"stiff", "koenders-4", "Koenders, Table 4: flyball governor by BDF", true, bench_flyball_bdf},
        {"stiff", "formulations", "constraints with implicit methods, by formulation", false, bench_formulations},
        {"spheres", "spheres", "many rigid contacts: time per impact, promises, rest", false, bench_spheres},
        {"contact", "peers", "impact and friction beside Siconos and MuJoCo", false, bench_contact_peers},
        {"contact", "routes", "explicit and implicit routes through the same contacts", false, bench_contact_routes},
        {"models", "evaluations", "models as data: one evaluation beside that of a lambda", false,
         bench_model_evaluations},
        {"models", "runs", "models as data: whole runs beside those with lambdas", false, bench_model_runs},
        {"models", "loops", "models as data: repeated rows in loops", false, bench_model_loops},
        {"reports", "sizes", "sizes of reports, and how long they take to write", false, bench_reports},
        {"models", "latency", "models as data: from a graph to what runs; sparse Jacobians", false,
         bench_model_latency},
        {"models", "structure", "models as data: from flat equations to a System", false, bench_model_structure},
        {"models", "guard", "models as data: the call of a small guard", false, bench_model_guard},
        {"sweep", "ball", "a run of a sweep beside CVODE", false, bench_sweep_ball},
        {"sweep", "draws", "errors of means by design", false, bench_sweep_draws},
        {"sweep", "layouts", "threads, parts and ranks", false, bench_sweep_layouts},
        {"sweep", "sharing", "a sweep beside a loop over simulate()", false, bench_sweep_sharing},
        {"sweep", "million", "a million runs: time, memory, exports", false, bench_sweep_million},
        {"verify", "catalogue", "second opinions over the catalogue: false alarms", false, bench_false_alarms},
        {"verify", "planted", "second opinions: planted faults", false, bench_planted_faults},
        {"auto", "auto", "the choice of auto beside the best choice by hand", false, bench_auto},
        {"promise", "promise", "the catalogue by method and tolerance: right, or a reason", false, bench_promise},
  };
  return list;
}

void run_suite(const std::string& suite, const std::string& table, Report& report, const Wanted& wanted) {
  const bool is_papers = suite == "papers";
  std::vector<std::string> suites{"papers"}, names{"all"};
  bool has_run = false;
  for (const BenchTable& one : tables()) {
    if (suites.back() != one.suite) suites.push_back(one.suite);
    if (is_papers ? !one.is_published : one.suite != suite) continue;
    names.push_back(one.name);
    if (table != "all" && table != one.name) continue;
    one.run(report, wanted);
    has_run = true;
  }
  if (names.size() == 1)
    throw Misuse(
        fmt::format("unknown suite '{}'{}: there are {}", suite, did_you_mean(suite, suites), fmt::join(suites, ", ")));
  if (!has_run)
    throw Misuse(fmt::format("unknown table '{}' of {}: there are {}", table, suite, fmt::join(names, ", ")));
}

}  // namespace pawl::bench
