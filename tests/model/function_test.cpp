// One generic function as a lambda, interpreted and as native code: whole runs agree in every state and event, by ==.
#include "pawl/model/function.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/model/trace.hpp"
#include "pawl/pawl.hpp"
#include "says.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;

enum class Way { lambda, interpreted, native };
constexpr Way data_ways[] = {Way::interpreted, Way::native};

Execution execution_of(Way way) {
  return way == Way::native ? Execution::automatic : Execution::interpreted;
}

template <class F>
void give_rates(System& system, Way way, F f) {
  if (way == Way::lambda)
    system.rates(f);
  else
    system.rates(trace_rates(system, f).function(execution_of(way)));
}

// Everything two runs can differ in.
void expect_same_run(const Result& expected, const Result& found) {
  EXPECT_TRUE(expected.finished());
  EXPECT_EQ(expected.outcome, found.outcome);
  EXPECT_EQ(expected.statistics.steps_accepted, found.statistics.steps_accepted);
  EXPECT_EQ(expected.final().states(), found.final().states());
  ASSERT_EQ(expected.sample_count(), found.sample_count());
  for (int i = 0; i < expected.sample_count(); ++i) {
    ASSERT_EQ(expected.sample(i).t, found.sample(i).t);
    ASSERT_EQ(expected.sample(i).states(), found.sample(i).states()) << "sample " << i;
  }
  ASSERT_EQ(expected.events.size(), found.events.size());
  for (std::size_t i = 0; i < expected.events.size(); ++i) {
    EXPECT_EQ(expected.events[i].t, found.events[i].t) << "event " << i;
    EXPECT_EQ(expected.events[i].zeros, found.events[i].zeros) << "event " << i;
    EXPECT_EQ(expected.events[i].uncertainty, found.events[i].uncertainty) << "event " << i;
  }
}

System lorenz(Way way) {
  System flow("lorenz");
  const auto x = flow.state("x", 1), y = flow.state("y", 1), z = flow.state("z", 1);
  const auto sigma = flow.parameter("sigma", 10), rho = flow.parameter("rho", 28),
             beta = flow.parameter("beta", 8.0 / 3);
  give_rates(flow, way, [=](const auto& at, auto& d) {
    d[x] = at[sigma] * (at[y] - at[x]);
    d[y] = at[x] * (at[rho] - at[z]) - at[y];
    d[z] = at[x] * at[y] - at[beta] * at[z];
  });
  return flow;
}

System hires(Way way) {
  System plant("hires");
  const auto y = plant.states("y", {1, 0, 0, 0, 0, 0, 0, 0.0057});
  give_rates(plant, way, [=](const auto& at, auto& d) {
    const auto bound = 280 * at[y[5]] * at[y[7]];
    d[y[0]] = -1.71 * at[y[0]] + 0.43 * at[y[1]] + 8.32 * at[y[2]] + 0.0007;
    d[y[1]] = 1.71 * at[y[0]] - 8.75 * at[y[1]];
    d[y[2]] = -10.03 * at[y[2]] + 0.43 * at[y[3]] + 0.035 * at[y[4]];
    d[y[3]] = 8.32 * at[y[1]] + 1.71 * at[y[2]] - 1.12 * at[y[3]];
    d[y[4]] = -1.745 * at[y[4]] + 0.43 * at[y[5]] + 0.43 * at[y[6]];
    d[y[5]] = -bound + 0.69 * at[y[3]] + 1.71 * at[y[4]] - 0.43 * at[y[5]] + 0.69 * at[y[6]];
    d[y[6]] = bound - 1.81 * at[y[6]];
    d[y[7]] = -bound + 1.81 * at[y[6]];
  });
  return plant;
}

System van_der_pol(Way way) {
  System oscillator("van-der-pol");
  const auto x = oscillator.state("x", 2), v = oscillator.state("v", 0);
  const auto mu = oscillator.parameter("mu", 1e3);
  give_rates(oscillator, way, [=](const auto& at, auto& d) {
    d[x] = at[v];
    d[v] = at[mu] * ((1 - sqr(at[x])) * at[v]) - at[x];
  });
  return oscillator;
}

// Bounces, then rests: a mode that rates read, a guard, a condition that switches a motor, an observable.
System bouncing_ball(Way way) {
  System ball("ball");
  const auto height = ball.state("height", 1), speed = ball.state("speed", 0), turn = ball.state("turn", 0);
  const auto gravity = ball.parameter("gravity", 9.81), e = ball.parameter("e", 0.8);
  const auto resting = ball.discrete("resting", false);
  const auto is_high = [=](const auto& at) { return at[height] - 0.3 + 0.05 * sin(20 * at.t); };
  const auto touches = [=](const auto& at) { return at[height]; };
  const auto energy = [=](const auto& at) { return at[gravity] * at[height] + 0.5 * sqr(at[speed]); };
  const auto high = way == Way::lambda ? ball.condition("high", is_high)
                                       : ball.condition("high", trace(ball, is_high).function(execution_of(way)));
  give_rates(ball, way, [=](const auto& at, auto& d) {
    using T = std::decay_t<decltype(at[height])>;
    d[height] = at[speed];
    d[speed] = choose(at[resting], T(0.0), T(-at[gravity]));
    d[turn] = choose(at[high], T(cos(at[turn]) + 2), T(-0.5 * at[turn]));
  });
  (way == Way::lambda ? ball.guard("ground", touches)
                      : ball.guard("ground", trace(ball, touches).function(execution_of(way))))
      .falling()
      .unilateral()
      .only_when(!resting)
      .then([=](Jump& jump) { jump[speed] = -jump[e] * jump.pre(speed); })
      .at_accumulation([=](Jump& jump) {
        jump[height] = jump[speed] = 0;
        jump[resting] = true;
      });
  if (way == Way::lambda)
    ball.observable("energy", energy);
  else
    ball.observable("energy", trace(ball, energy).function(execution_of(way)));
  return ball;
}

// 0 = F(t, x, x') with a block of equations, one of them algebraic.
System robertson(Way way) {
  System reactor("robertson");
  const auto a = reactor.state("a", 1), b = reactor.state("b", 0), c = reactor.state("c", 0);
  const auto rows = [=](const auto& at, auto& out) {
    out[0] = at[dot(a)] + 0.04 * at[a] - 1e4 * at[b] * at[c];
    out[1] = at[dot(b)] - 0.04 * at[a] + 1e4 * at[b] * at[c] + 3e7 * sqr(at[b]);
    out[2] = at[a] + at[b] + at[c] - 1;
  };
  if (way == Way::lambda)
    reactor.equations("rows", 3, rows);
  else
    reactor.equations("rows", 3, trace(reactor, 3, rows).function(execution_of(way)));
  return reactor;
}

void expect_same_runs(System (*model)(Way), const Options& options) {
  const Result expected = simulate(model(Way::lambda), options);
  for (const Way way : data_ways) {
    SCOPED_TRACE(way == Way::native ? "native" : "interpreted");
    expect_same_run(expected, simulate(model(way), options));
  }
}

TEST(GraphFunction, RunsLorenzAsTheLambdaDoes) {
  expect_same_runs(lorenz, {.end = 10, .tolerance = 1e-9});
}
TEST(GraphFunction, RunsHiresAsTheLambdaDoes) {
  expect_same_runs(hires, {.end = 321.8122, .tolerance = 1e-8});
}
TEST(GraphFunction, RunsVanDerPolAsTheLambdaDoes) {
  for (const char* method : {"auto", "radau", "bdf"})
    expect_same_runs(van_der_pol, {.end = 2000, .tolerance = 1e-7, .method = method});
}
TEST(GraphFunction, RunsABallWithModesAndEventsAsTheLambdaDoes) {
  const Options options{.end = 5, .tolerance = 1e-9};
  EXPECT_GT(simulate(bouncing_ball(Way::lambda), options).events.size(), 60u);
  expect_same_runs(bouncing_ball, options);
  const Result expected = simulate(bouncing_ball(Way::lambda), options);
  for (const Way way : data_ways)
    for (const double t : {0.1, 0.7, 4.5})
      EXPECT_EQ(simulate(bouncing_ball(way), options).at(t)["energy"], expected.at(t)["energy"]);
}
TEST(GraphFunction, RunsEquationsAsTheLambdaDoes) {
  expect_same_runs(robertson, {.end = 40, .tolerance = 1e-7});
}

TEST(GraphFunction, FollowsParametersThatDifferBetweenRuns) {
  const System data = lorenz(Way::native), lambda = lorenz(Way::lambda);
  const Options options{.end = 2, .tolerance = 1e-9};
  for (const double rho : {28.0, 14.0, 28.0}) {
    Values of_data(data), of_lambda(lambda);
    of_data.set("rho", rho);
    of_lambda.set("rho", rho);
    expect_same_run(simulate(lambda, of_lambda, options), simulate(data, of_data, options));
  }
}

// Large enough for loops.
TEST(GraphFunction, RunsALineOfCellsAsTheLambdaDoes) {
  const auto line = [](Way way) {
    System reactor("line");
    constexpr int points = 300;
    for (int i = 0; i < points; ++i) {
      reactor.state("u" + std::to_string(i), 1 + std::sin(0.02 * i));
      reactor.state("v" + std::to_string(i), 3);
    }
    const auto alpha = reactor.parameter("alpha", 0.02);
    give_rates(reactor, way, [=](const auto& at, auto& d) {
      using T = std::decay_t<decltype(at[State{0}])>;
      const auto diffusion = at[alpha] * (points + 1.0);
      for (int i = 0; i < points; ++i) {
        const T u = at[State{2 * i}], v = at[State{2 * i + 1}];
        const T u_left = i > 0 ? T(at[State{2 * i - 2}]) : T(1), v_left = i > 0 ? T(at[State{2 * i - 1}]) : T(3);
        const T u_right = i + 1 < points ? T(at[State{2 * i + 2}]) : T(1),
                v_right = i + 1 < points ? T(at[State{2 * i + 3}]) : T(3);
        const T reaction = sqr(u) * v;
        d[State{2 * i}] = 1 + reaction - 4 * u + diffusion * (u_left - 2 * u + u_right);
        d[State{2 * i + 1}] = 3 * u - reaction + diffusion * (v_left - 2 * v + v_right);
      }
    });
    return reactor;
  };
  EXPECT_TRUE(GraphFunction(trace_rates(line(Way::lambda),
                                        [](const auto& at, auto& d) {
                                          for (int i = 0; i < 600; ++i) {
                                            const Expr x = at[State{i}];
                                            d[State{i}] = sin(x) * (x + 1) - exp(x) / (2 + sqr(x)) + cos(x) * x;
                                          }
                                        })
                                .function())
                  .is_rolled());
  expect_same_runs(line, {.end = 1, .tolerance = 1e-6});
}

TEST(GraphFunction, IsSharedByThreads) {
  const System system = lorenz(Way::native);
  const Options options{.end = 5, .tolerance = 1e-9};
  const std::vector<double> expected = simulate(system, options).final().states();
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& states : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) states = simulate(system, options).final().states();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& states : found) EXPECT_EQ(states, expected);
}

// More functions than a thread keeps memory for, one inside the evaluation of another.
TEST(GraphFunction, NeedsNoMoreMemoryThanAThreadKeeps) {
  System system = lorenz(Way::interpreted);
  std::vector<Observable> watched;
  for (int i = 0; i < 200; ++i) {
    const auto sum = [=](const auto& at) { return i * at[State{0}] + at[dot(State{1})]; };
    watched.push_back(system.observable("sum" + std::to_string(i), trace(system, sum).function()));
  }
  const Instant start = simulate(system, {.end = 0.1}).start();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(start[watched[static_cast<std::size_t>(i)]], i * 1.0 + 26);
}

TEST(GraphFunction, SaysWhatIsNotFinite) {
  System tank("tank");
  const auto level = tank.state("level", 1);
  const auto flow = trace(tank, [=](const auto& at) { return 0.3 * sqrt(at[level] - 0.2); }).function();
  const double low = 0.1, high = 0.3;
  EXPECT_EQ(flow.first_not_finite(Point<double>(0.0, &low, nullptr))->text, "sqrt(level - 0.2) with level = 0.1");
  EXPECT_FALSE(flow.first_not_finite(Point<double>(0.0, &high, nullptr)));
}

TEST(GraphFunction, IsRefusedWhereItHasTheWrongSize) {
  System two("two");
  const auto x = two.state("x", 1);
  two.state("y", 1);
  const auto graph = std::make_shared<Graph>();
  const int node = state(*graph, x.index).node();
  two.rates(GraphFunction(graph, {node}));
  EXPECT_EQ(misuse_of([&] { simulate(two, {.end = 1}); }), "system 'two': the rates never assign d[y]");
  System one("one");
  one.state("x", 1);
  one.rates(GraphFunction(graph, {node, node}));
  EXPECT_EQ(misuse_of([&] { simulate(one, {.end = 1}); }), "system 'one': the rates have 2 rows, and there is 1 state");
  const GraphFunction pair(graph, {node, node});
  const std::string refused = "a graph with 2 outputs is used where 1 is wanted";
  EXPECT_EQ(misuse_of([&] { two.observable("pair", pair); }), refused);
  EXPECT_EQ(misuse_of([&] { two.guard("pair", pair); }), refused);
  EXPECT_EQ(misuse_of([&] { two.equation("pair", pair); }), refused);
  EXPECT_EQ(misuse_of([&] { two.invariant("pair", pair); }), refused);
  EXPECT_EQ(misuse_of([&] {
              two.conditions({"a", "b", "c"}, pair);
            }),
            "a graph with 2 outputs is used where 3 are wanted");
  EXPECT_EQ(misuse_of([&] { two.equations("pair", 3, pair); }), "a graph with 2 outputs is used where 3 are wanted");
}

TEST(Trace, RefusesTheStateOfAnotherSystem) {
  System own("own"), other("other");
  own.state("x", 1);
  const State foreign = other.state("y", 1);
  EXPECT_EQ(misuse_of([&] { trace_rates(own, [=](const auto&, auto& d) { d[foreign] = 1.0; }); }),
            "system 'own': the handle of state number 0 belongs to system 'other': use the one that 'own' has given");
}

}  // namespace
}  // namespace pawl::model
