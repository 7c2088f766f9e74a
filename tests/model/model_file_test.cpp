// A whole model as text: what arrives is what was written, and what is no model is refused.
#include "pawl/model/model_file.hpp"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "ladder.hpp"
#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;

// Something of everything.
Model plant() {
  Model m("plant of everything");
  const Expr p = m.parameter("p", 0.1), level = m.state("level of the tank", 1.0 + p), flow = m.variable("flow", 0.3),
             speed = m.state("speed", 0.0), count = m.discrete("count", 3), is_open = m.discrete("is open", true),
             next = m.discrete("next", 0.7);
  m.nominal(level, 2.0);
  m.equation({"plant.mo", 3}, flow, choose(is_open, p * sqrt(level), 0.0));
  m.equation({"plant.mo", 4}, der(level), -flow);
  m.equation(der(speed), sin(m.time()) - speed);
  m.initial_equation({"plant.mo", 7}, der(speed), 0.25);
  const Expr low = m.relation("low", 1.05 - level);
  m.when(low && is_open, [&](When& when) {
    when.assign(is_open, 0.0);
    when.assign(count, pre(count) + 1);
  });
  m.when(m.at(next), [&](When& when) { when.reinit(speed, speed + 1.0); });
  m.when(m.every(0.4, 0.1) || m.is_initial(), [&](When& when) { when.assign(count, pre(count) + 10); });
  m.when(count > 100.0, [&](When& when) { when.terminate("counted enough"); });
  m.always(next, 0.7 + 0.0 * count);
  m.observable("twice", 2.0 * flow);
  return m;
}

std::string text_of(const Model& model) {
  std::ostringstream out;
  write(out, model);
  return out.str();
}
Model model_of(const std::string& text) {
  std::istringstream in(text);
  return read_model(in);
}

TEST(ModelFile, WhatIsReadIsWhatWasWritten) {
  const Model model = plant(), read = model_of(text_of(model));
  EXPECT_EQ(text_of(read), text_of(model));
  const Options options{.end = 2, .tolerance = 1e-9};
  const Result expected = simulate(model.build(), options), found = simulate(read.build(), options);
  ASSERT_TRUE(expected.finished()) << expected.reason;
  EXPECT_EQ(found.final().states(), expected.final().states());
  ASSERT_EQ(found.events.size(), expected.events.size());
  EXPECT_EQ(found.events.size(), 7U);  // low, one at 0.7, five every 0.4 from 0.1 on
  for (std::size_t i = 0; i < found.events.size(); ++i) EXPECT_EQ(found.events[i].t, expected.events[i].t);
  for (const char* name : {"flow", "twice"}) EXPECT_EQ(found.final()[name], expected.final()[name]);
  EXPECT_EQ(found.final()[Discrete<int>{0}], 3 + 1 + 10 * 6);
}

TEST(ModelFile, LargeModelsTravelToo) {
  const Model model = ladder(30);
  EXPECT_EQ(text_of(model_of(text_of(model))), text_of(model));
}

TEST(ModelFile, PlacesAndNamesArriveInMessages) {
  Model tank("tank");
  const Expr level = tank.state("level", 1.0);
  tank.equation({"tank.mo", 9}, sqr(level), 0.0);
  tank.equation({"tank.mo", 10}, der(level), 1.0);
  EXPECT_EQ(misuse_of([&] { model_of(text_of(tank)).build(); }), misuse_of([&] { tank.build(); }));
  EXPECT_NE(misuse_of([&] { tank.build(); }), "no misuse");
}

TEST(ModelFile, WhatIsNoModelIsRefused) {
  const auto refusal = [](const std::string& text) { return misuse_of([&] { model_of(text); }); };
  EXPECT_EQ(refusal(""), "line 1: the file ends here, before its 'end'");
  EXPECT_EQ(refusal("pawl graph 1\n"), "line 1: this is no model: it begins with 'pawl model <version>'");
  EXPECT_EQ(refusal("pawl model 9\n"), "line 1: version 9 is not known; this program reads version 1");
  EXPECT_EQ(refusal("pawl model 1\nname m\nunknowns 2000000000\n"), "line 4: the file ends here, before its 'end'");
  EXPECT_EQ(refusal("pawl model 1\nname m\nunknowns 1\nthing 0 0 x\n"),
            "line 4: expected 'state' or 'variable', found 'thing'");
  const auto with = [&](const std::string& unknowns, const std::string& whens, const std::string& graph) {
    return "pawl model 1\nname m\n" + unknowns +
           "parameters 0\nnumbers 0\nmodes 0\nevents 0\nrelations 0\nobservables 0\nequations 0\ninitial 0\nalways "
           "0\n" +
           whens + graph;
  };
  const std::string one = "unknowns 1\nstate 0 0 x\n", none = "whens 0\n";
  EXPECT_EQ(refusal(with(one, none, "pawl graph 1\nnodes 1\nconstant 0\noutputs 0\nnames 0\nplaces 0\nend\n")),
            "line 21: output 0 is used, and there are 0");
  EXPECT_EQ(refusal(with(one, none, "pawl graph 1\nnodes 1\nstate 1\noutputs 1\n0\nnames 0\nplaces 0\nend\n")),
            "line 22: node 0 reads state 1, which the model does not have");
  EXPECT_EQ(refusal(with(one, none, "pawl graph 1\nnodes 1\nstate 0\noutputs 1\n0\nnames 0\nplaces 0\nend\n")),
            "line 22: 'x' moves where only held values are allowed");
  EXPECT_EQ(
      refusal(with(one, none, "pawl graph 1\nnodes 1\nrate 0 2000000000\noutputs 1\n0\nnames 0\nplaces 0\nend\n")),
      "line 22: node 0 is derivative 2000000000; up to 32 are read");
  EXPECT_EQ(refusal(with(one, "whens 1\n0 1 0 -\nreinit 5 0 -\n", "")), "line 16: there is no number 5 to change");
  EXPECT_EQ(refusal(with("unknowns 2\nstate 0 0 x\nstate 0 0 x\n", none,
                         "pawl graph 1\nnodes 1\nconstant 0\noutputs 1\n0\nnames 0\nplaces 0\nend\n")),
            "model 'm': the name 'x' is taken");
}

// Whatever a file says, it is a model that can be built, or it is refused in words.
TEST(ModelFile, BrokenTextsNeverDoAnythingElse) {
  const std::string good = text_of(plant());
  std::mt19937 random(7);
  const std::string letters = "0123456789-. \nxabst";
  int refused = 0, built = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text = good;
    for (int k = 1 + static_cast<int>(random() % 3); k > 0; --k) {
      const std::size_t place = random() % text.size();
      if (random() % 4 == 0)
        text.erase(place, random() % 20);
      else
        text[place] = letters[random() % letters.size()];
    }
    try {
      model_of(text).build({Execution::interpreted});
      ++built;
    } catch (const Misuse&) {
      ++refused;
    }
  }
  EXPECT_EQ(built + refused, 20000);
  EXPECT_GT(refused, 5000);
  EXPECT_GT(built, 500);
}

}  // namespace
}  // namespace pawl::model
