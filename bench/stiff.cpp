#include "stiff.hpp"

#include "stiff_peers.hpp"

namespace pawl::bench {

TimedRun time_run(const System& system, const Values& values, Options options, double seconds, double longest) {
  options.keep = Keep::end;
  TimedRun out;
  double began = 0;
  long long steps = 0;  // the clock is not read in every one of them
  options.progress = [&](const Progress&) { return ++steps % 64 != 0 || processor_seconds() - began < longest; };
  for (double spent = 0; out.seconds == 0 || spent < seconds;) {
    began = processor_seconds();
    Result run = simulate(system, values, options);
    const double now = processor_seconds() - began;
    spent += now;
    if (out.seconds == 0 || now < out.seconds) {
      out.seconds = now;
      out.run = std::move(run);
    }
    if (out.run.finished()) continue;
    out.was_cut = out.run.outcome == Outcome::stopped;
    break;
  }
  return out;
}

double set_up_seconds(const System& system, const Values& values, Options options) {
  options.end = options.start;
  return time_run(system, values, options, 2e-3).seconds;
}

bool peers_are_optimized() {
  return PAWL_HAS_OPTIMIZED_SUNDIALS != 0;
}

std::string peers_note() {
  return peers_are_optimized()
             ? "CVODE and IDA: SUNDIALS 6.4.1 built with -O3 from Debian's source package."
             : "CVODE and IDA are the packaged library, which is compiled without optimization: ratios "
               "to it prove nothing (`make bench` builds an optimized one).";
}

}  // namespace pawl::bench
