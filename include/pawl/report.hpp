// A run as one HTML file that opens from disk in any browser, without a network: plots, events, modes, steps, drift, a
// moving picture where the model has one, and everything that was said and decided (docs/report.md).
//
//   report(run, "ball.html");
//   report(run, "ball.html", {.command = "pawl run ball --rtol 1e-9", .run_options = &options});
//   plot(run, "height", "ball.svg");  // one curve as a picture
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pawl/options.hpp"
#include "pawl/result.hpp"
#include "pawl/verify.hpp"

namespace pawl {

struct ReportOptions {
  bool exact = false;                    ///< numbers as they were recorded, instead of to 1e-6 of each range
  std::string title = {};                ///< default: the name of the model
  std::string summary = {};              ///< one line below it
  std::string command = {};              ///< that makes the same run again
  std::vector<std::string> plots = {};   ///< "x" over time, "x,y" for y over x; default: the first states
  double most_megabytes = 40;            ///< curves that would make the file larger are left out, and it says so
  const Options* run_options = nullptr;  ///< of the run, where they are to be shown
  const Verification* verification = nullptr;
  std::vector<std::pair<std::string, std::string>> texts = {};  ///< headings and texts: advice, the model, ...
};

/// The whole file. The run must have kept its polynomials (Keep::everything); Misuse where it has not. Orders, methods
/// and error estimates are shown where Options::keeps_history has kept them.
std::string to_html(const Result& run, const ReportOptions& options = {});

/// Writes it; the file appears whole or not at all.
void report(const Result& run, const std::string& path, const ReportOptions& options = {});

/// Draws "x" over time, or "x,y" for y over x, into a file .svg or .png; Misuse for another ending or an unknown name.
/// So many instants, evenly spread, the ends of steps and both sides of every event. Needs Keep::everything, as above.
void plot(const Result& run, const std::string& words, const std::string& path, int points = 2000);

}  // namespace pawl
