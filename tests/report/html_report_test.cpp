#include "pawl/report.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "misuse_of.hpp"
#include "pawl/contact_family.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "report/packing.hpp"
#include "report/sampled_path.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

using Json = nlohmann::json;

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char one : text) {
    if (one == '=') break;
    bits = bits << 6U | static_cast<unsigned>(digits.find(one));
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 255U);
  }
  return out;
}

std::string unpacked(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out, buffer(1 << 16, '\0');
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(state, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

/// The JSON head of a report.
Json head_of(const std::string& page) {
  const std::string begin = R"(<script type="application/octet-stream" id="data">)";
  const auto from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  const std::string bytes = unpacked(from_base64(page.substr(from, to - from)));
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return Json::parse(bytes.substr(sizeof length, length));
}

/// The numbers behind a place in it, which are stored byte plane by byte plane.
std::vector<float> array_of(const std::string& page, const Json& place) {
  const std::string begin = R"(<script type="application/octet-stream" id="data">)";
  const auto from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  const std::string bytes = unpacked(from_base64(page.substr(from, to - from)));
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto count = place["count"].get<std::size_t>(), at = sizeof length + length + place["at"].get<std::size_t>();
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, sizeof(float)> one;
    for (std::size_t plane = 0; plane < one.size(); ++plane) one[plane] = bytes[at + plane * count + i];
    std::memcpy(&out[i], one.data(), sizeof(float));
  }
  return out;
}

Result run_of(const std::string& name, Options options = {}) {
  const Problem& problem = find_problem(name);
  options.start = problem.start;
  options.end = problem.end;
  return simulate(problem.system, options);
}

TEST(Packing, EncodesAsRfc4648Says) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Packing, GivesBackWhatItTook) {
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>((i % 251) * (i % 251) % 251);
  EXPECT_EQ(unpacked(gzip(bytes)), bytes);
  EXPECT_EQ(from_base64(base64(bytes)), bytes);
}

// A flight is a parabola, which cubics through its samples are, too.
TEST(HtmlReport, DrawsSpheresOfAFamilyBetweenTheirSamples) {
  SphereMechanics sky("sky");
  const Spheres balls =
      sky.spheres("ball", {{0, 0, 1}}, {.radius = 0.1, .mass = 1, .gravity = {0, 0, -2}, .velocities = {{1, 0, 0.5}}});
  sky.contacts("contacts", balls, {.restitution = 1.0});
  const Result run = simulate(sky, {.end = 1, .samples = 4}), drawn = with_cubics_between_samples(run);
  const auto [x, y, z] = balls.centre(0);
  for (const double t : {0.0, 0.1, 0.25, 0.37, 0.9, 1.0}) {
    EXPECT_NEAR(drawn.at(t)[x], t, 1e-14);
    EXPECT_NEAR(drawn.at(t)[y], 0, 1e-14);
    EXPECT_NEAR(drawn.at(t)[z], 1 + 0.5 * t - t * t, 1e-14);
    EXPECT_NEAR(drawn.at(t)[dot(z)], 0.5 - 2 * t, 1e-13);
  }
  const Json head = head_of(to_html(run));
  EXPECT_EQ(head["remarks"],
            Json::array({"The spheres of a family of contacts have no common steps: between its 5 samples this file "
                         "draws cubics through positions and speeds. More samples show impacts sharper."}));
  EXPECT_EQ(head["counts"], "5 samples, 0 impacts of the family, counted, not listed");
  EXPECT_EQ(head["picture"]["shapes"][0]["kind"], "sphere");
  EXPECT_EQ(head["picture"]["channels"], Json::array({"ball1_x", "ball1_y", "ball1_z", 0.1}));
  EXPECT_EQ(head["curves"][0]["name"], "ball1_x");
  EXPECT_EQ(misuse_of([&] { to_html(simulate(sky, {.end = 1, .keep = Keep::end})); }),
            "a report draws the polynomials of the run: ask for Options::keep = Keep::everything");
}

TEST(HtmlReport, IsOnePageThatCanAskNobodyForAnything) {
  const std::string page = to_html(run_of("bouncing-ball"));
  EXPECT_NE(page.find("Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"),
            std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("href="), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);  // every place of the template is filled
}

TEST(HtmlReport, OfAMechanismInSpaceAloneHasTheScriptForIt) {
  const std::size_t flat = to_html(run_of("bouncing-ball")).size(), deep = to_html(run_of("quaternion-top")).size();
  EXPECT_GT(deep, flat + 50000);
}

TEST(HtmlReport, HasEveryEventWithItsNameKindAndModes) {
  const Result run = run_of("bouncing-ball");
  const Json head = head_of(to_html(run));
  ASSERT_EQ(head["events"]["t"].size(), run.events.size());
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    EXPECT_EQ(head["events"]["t"][i].get<double>(), run.events[i].t);
    EXPECT_EQ(head["words"][head["events"]["names"][i][0].get<std::size_t>()], run.names(run.events[i])[0]);
    EXPECT_EQ(head["words"][head["events"]["after"][i].get<std::size_t>()], run.mode(*run.events[i].held_after));
  }
}

TEST(HtmlReport, ReadsNoNameAsHtml) {
  System system("</script><b>\"&");
  const auto x = system.state("</title>", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = -at[x]; });
  const std::string page = to_html(simulate(system, {.end = 1}));
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;b&gt;\"&amp;</title>"), std::string::npos);
  EXPECT_EQ(head_of(page)["model"], "</script><b>\"&");
}

TEST(HtmlReport, OfARunWithoutPolynomialsIsRefused) {
  const Result run = run_of("bouncing-ball", {.keep = Keep::end});
  EXPECT_EQ(misuse_of([&] { to_html(run); }),
            "a report draws the polynomials of the run: ask for Options::keep = Keep::everything");
}

TEST(HtmlReport, OfARunThatFailedAtItsStartSaysWhy) {
  System system("broken");
  const auto x = system.state("x", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = log(-at[x]); });
  const Result run = simulate(system, {.end = 1});
  ASSERT_EQ(run.outcome, Outcome::failed);
  const Json head = head_of(to_html(run));
  EXPECT_EQ(head["outcome"], "failed");
  EXPECT_EQ(head["reason"], run.reason);
}

TEST(HtmlReport, OfAFewHundredStepsIsSmall) {
  const Result run = run_of("arenstorf", {.tolerance = 1e-9, .keeps_history = true});
  ASSERT_GT(run.statistics.steps_accepted, 100);
  EXPECT_LE(to_html(run).size(), 150'000u);
}

TEST(StepHistory, SaysHowEveryStepWasMade) {
  const Result run = run_of("vdpol", {.keeps_history = true});
  ASSERT_EQ(static_cast<long long>(run.trajectory.history.size()), run.statistics.steps_accepted);
  double smallest = INFINITY, worst = 0;
  for (const StepHistory& one : run.trajectory.history) {
    EXPECT_GE(one.order, 1);
    smallest = std::min(smallest, static_cast<double>(one.size));
    worst = std::max(worst, static_cast<double>(one.error));
  }
  EXPECT_FLOAT_EQ(static_cast<float>(smallest), static_cast<float>(run.statistics.min_step));
  EXPECT_FLOAT_EQ(static_cast<float>(worst), static_cast<float>(run.statistics.largest_error_estimate));
  for (const auto& [method, steps] : run.statistics.implicit->steps) {  // "tsitouras-5", "radau order 9"
    long long count = 0;
    for (const StepHistory& one : run.trajectory.history) {
      const std::string& name = run.methods_in_force.at(static_cast<std::size_t>(one.method));
      count += method == name || method == name + " order " + std::to_string(one.order) ? 1 : 0;
    }
    EXPECT_EQ(count, steps) << method;
  }
}

TEST(StepHistory, IsNotKeptUnasked) {
  EXPECT_TRUE(run_of("vdpol").trajectory.history.empty());
}

TEST(HtmlReport, HasADriftOfEveryLevelThatIsTheLargestOfTheStatistics) {
  const Problem& problem = find_problem("cartesian-pendulum");
  const Result run = simulate(problem.system, {.end = 2, .constraints = {.stabilization = "none"}});
  const Json head = head_of(to_html(run));
  ASSERT_EQ(head["drift"].size(), 2u);
  EXPECT_EQ(head["drift"][0]["name"], "positions");
  EXPECT_EQ(head["drift"][1]["name"], "speeds");
  EXPECT_EQ(head["drift"][0]["values"]["count"], run.trajectory.t1.size());
  EXPECT_EQ(head["energies"], Json::array({"energy"}));
}

TEST(HtmlReport, OfEquationsHasTheDistanceFromConsistentValuesAtTheEndOfEveryStep) {
  System pendulum("pendulum");  // index 3
  const auto x = pendulum.state("x", 1), y = pendulum.state("y", 0), u = pendulum.state("u", 0),
             v = pendulum.state("v", 0), force = pendulum.state("force", 0);
  pendulum.rates([=](const auto& at, auto& d) {
    d[x] = at[u];
    d[y] = at[v];
    d[u] = -at[force] * at[x];
    d[v] = -at[force] * at[y] - 9.81;
  });
  pendulum.equation("rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const Result run = simulate(pendulum, {.end = 2});
  const std::string page = to_html(run);
  const Json drift = head_of(page)["drift"];
  ASSERT_EQ(drift.size(), 1u);
  EXPECT_EQ(drift[0]["name"], "distance from consistent values, relative");
  const std::vector<float> values = array_of(page, drift[0]["values"]);
  ASSERT_EQ(values.size(), run.trajectory.t1.size());
  std::vector<double> sizes(5);
  for (std::size_t k = 0; k < values.size(); ++k)
    for (std::size_t i = 0; i < 5; ++i) sizes[i] = std::max(sizes[i], std::abs(run.trajectory.ends[5 * k + i]));
  const std::vector<double> settled = run.on_manifold(run.t_end).states(), last = run.final().states();
  double largest = 0;
  for (std::size_t i = 0; i < 5; ++i) largest = std::max(largest, std::abs(settled[i] - last[i]) / sizes[i]);
  EXPECT_EQ(values.back(), static_cast<float>(largest));
  for (const float value : values) EXPECT_LT(value, 1e-12F);  // hidden constraints hold to rounding
}

TEST(HtmlReport, LeavesCurvesOutAndSaysSoWhereItWouldBecomeTooLarge) {
  const Result run = run_of("pleiades");
  const std::size_t states = run.state_names().size();
  const double per_curve =
      0.8e-6 * static_cast<double>(run.trajectory.coefficients.size()) / static_cast<double>(states);
  const Json whole = head_of(to_html(run, {.plots = {"y3"}}));
  const Json thinned = head_of(to_html(run, {.plots = {"y3"}, .most_megabytes = 4.5 * per_curve}));
  EXPECT_EQ(whole["remarks"], Json::array());
  EXPECT_GE(whole["curves"].size(), states);
  ASSERT_EQ(thinned["curves"].size(), 4u);
  EXPECT_EQ(thinned["curves"][0]["name"], "y3");  // what is plotted comes first
  const std::string remark = thinned["remarks"][0];
  EXPECT_NE(remark.find("This file is thinned: 4 of 28 states are in it"), std::string::npos) << remark;
}

TEST(HtmlReport, ShowsSecondRunsOverTheFirst) {
  System decay("decay");
  const auto x = decay.state("x", 1), y = decay.state("y", 2);
  decay.rates([=](const auto& at, auto& d) {
    d[x] = -at[x];
    d[y] = -2 * at[y];
  });
  const Result run = simulate(decay, {.end = 1});
  Verification verification;
  SecondRun other;
  other.what = "another family";
  other.method = "bdf";
  other.times = {0, 0.5, 1};
  other.differences = {0, 0.25, 0, 0.25, 0, 0.25};  // of x none, of y always the same
  verification.runs = {other};
  const Json head = head_of(to_html(run, {.plots = {"y"}, .verification = &verification}));
  EXPECT_EQ(head["stacked"], Json::array({Json::array({"y", "y, another family (bdf)"}),
                                          Json::array({"y, another family (bdf) - this run"})}));
  std::map<std::string, Json> curves;
  for (const Json& one : head["curves"]) curves[one["name"]] = one;
  const auto range = [&](const std::string& name) {
    return std::pair{curves.at(name)["low"].get<double>(), curves.at(name)["high"].get<double>()};
  };
  EXPECT_NEAR(range("y, another family (bdf)").first, range("y").first + 0.25, 1e-12);
  EXPECT_NEAR(range("y, another family (bdf)").second, range("y").second + 0.25, 1e-12);
  EXPECT_NEAR(range("y, another family (bdf) - this run").first, 0.25, 1e-15);
  EXPECT_NEAR(range("x, another family (bdf)").second, range("x").second, 1e-12);
}

TEST(Picture, IsDeclaredByEveryMechanismOfTheCatalogue) {
  for (const Problem& problem : catalogue()) {
    if (!problem.system.declarations().mechanics) continue;
    EXPECT_NE(problem.system.declarations().picture, nullptr) << problem.name();
  }
  for (const char* other : {"flyball", "gear-wheels", "coulomb-oscillator", "friction", "bok-2", "sliding-control"})
    EXPECT_NE(find_problem(other).system.declarations().picture, nullptr) << other;
}

TEST(Picture, DefaultsToTheCoordinates) {
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const Json head = head_of(to_html(simulate(pendulum, {.end = 1})));
  EXPECT_EQ(head["picture"]["declared"], false);
  EXPECT_EQ(head["picture"]["space"], false);
  EXPECT_EQ(head["picture"]["channels"], Json::array({"x", "y", 0.0}));

  Mechanics flight("flight");
  for (const char* name : {"bob_x", "bob_y", "bob_z"}) flight.mass(flight.coordinate(name, 0, 1), 1.0);
  EXPECT_EQ(head_of(to_html(simulate(flight, {.end = 1})))["picture"]["channels"],
            Json::array({"bob_x", "bob_y", "bob_z", 0.0}));
}

}  // namespace
}  // namespace pawl
