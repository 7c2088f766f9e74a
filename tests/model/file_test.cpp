#include "pawl/model/file.hpp"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "model/hand.hpp"
#include "model/random_graph.hpp"
#include "pawl/model/expr.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;

std::string text_of(const Graph& graph, const std::vector<int>& outputs) {
  std::ostringstream out;
  write(out, graph, outputs);
  return out.str();
}
GraphFile read_text(const std::string& text) {
  std::istringstream in(text);
  return read(in);
}
std::string refusal_of(const std::string& text) {
  return misuse_of([&] { read_text(text); });
}

TEST(GraphFile, IsWrittenAsItsHeaderSays) {
  Graph graph;
  const Expr level = state(graph, 0, "level of tank");
  graph.from({"tank 1.mo", 14});
  const Expr root = sqrt(level), scaled = 1.5 * root, flow = scaled - rate(graph, 0);
  EXPECT_EQ(text_of(graph, {flow.node()}),
            "pawl graph 1\n"
            "nodes 6\n"
            "state 0\n"
            "sqrt 0\n"
            "constant 0x1.8p+0\n"
            "* 2 1\n"
            "rate 0 1\n"
            "- 3 4\n"
            "outputs 1\n"
            "5\n"
            "names 1\n"
            "state 0 level of tank\n"
            "places 5\n"
            "1 14 tank 1.mo\n"
            "2 14 tank 1.mo\n"
            "3 14 tank 1.mo\n"
            "4 14 tank 1.mo\n"
            "5 14 tank 1.mo\n"
            "end\n");
}

TEST(GraphFile, BringsBackEveryBit) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::RandomSource random(seed);
    const testing::RandomModel model = random.model(60);
    const std::string text = text_of(model.graph, model.outputs);
    const GraphFile back = read_text(text);
    EXPECT_EQ(text_of(back.graph, back.outputs), text);
    const auto at = random.instant<double>();
    const auto expected = testing::by_hand(model.graph, model.outputs, at),
               found = testing::by_hand(back.graph, back.outputs, at);
    for (std::size_t row = 0; row < expected.size(); ++row) ASSERT_TRUE(testing::same_bits(expected[row], found[row]));
  }
}

TEST(GraphFile, KeepsNamesPlacesAndNumbersThatAreNotFinite) {
  Graph graph;
  graph.from({"a.mo", 3});
  const Expr y = min(state(graph, 2, "x"), std::numeric_limits<double>::infinity()) + 0.1 * mode(graph, 1, "gear");
  const GraphFile back = read_text(text_of(graph, {y.node()}));
  EXPECT_EQ(back.graph.text(back.outputs[0]), graph.text(y.node()));
  EXPECT_EQ(back.graph.place_of(back.outputs[0]), (Place{"a.mo", 3}));
}

TEST(GraphFile, TravelsThroughAFile) {
  Graph graph;
  const int y = sin(state(graph, 0)).node();
  const std::string name = (std::filesystem::temp_directory_path() / "pawl-test-model.graph").string();
  write_file(name, graph, {y});
  EXPECT_EQ(text_of(read_file(name).graph, read_file(name).outputs), text_of(graph, {y}));
  std::filesystem::remove(name);
  EXPECT_EQ(misuse_of([&] { read_file("/nowhere/model.graph"); }), "'/nowhere/model.graph' cannot be read");
  EXPECT_EQ(misuse_of([&] { write_file("/nowhere/model.graph", graph, {y}); }),
            "'/nowhere/model.graph' cannot be written");
}

TEST(GraphFile, IsRefusedWhereItMeansNothing) {
  const std::string head = "pawl graph 1\n", two = head + "nodes 2\nstate 0\n",
                    tail = "outputs 0\nnames 0\nplaces 0\nend\n";
  EXPECT_EQ(refusal_of(""), "line 1: the file ends here, before its 'end'");
  EXPECT_EQ(refusal_of("{\"json\": 1}\n"), "line 1: this is no model.graph: it begins with 'pawl graph <version>'");
  EXPECT_EQ(refusal_of("pawl graph 2\n"), "line 1: version 2 is not known; this program reads version 1");
  EXPECT_EQ(refusal_of("pawl graph 1 x\n"), "line 1: 'x' is one word too many");
  EXPECT_EQ(refusal_of(head + "nodes -1\n"), "line 2: nodes -1: a count is 0 or more");
  EXPECT_EQ(refusal_of(head + "nodes 99999999999\n"), "line 2: expected a whole number, found '99999999999'");
  EXPECT_EQ(refusal_of(head + "nodes 2000000000\nstate 0\n"), "line 4: the file ends here, before its 'end'");
  EXPECT_EQ(refusal_of(two + "frobnicate 0\n"), "line 4: this operation is not known");
  EXPECT_EQ(refusal_of(two + "sin 1\n"), "line 4: node 1 is not there: 1 were read before this one");  // itself
  EXPECT_EQ(refusal_of(two + "sin 7\n"), "line 4: node 7 is not there: 1 were read before this one");
  EXPECT_EQ(refusal_of(two + "sin -1\n"), "line 4: node -1 is not there: 1 were read before this one");
  EXPECT_EQ(refusal_of(two + "sin\n"), "line 4: expected a whole number, found ''");
  EXPECT_EQ(refusal_of(two + "sin 0 0\n"), "line 4: '0' is one word too many");
  EXPECT_EQ(refusal_of(two + "state 0\n"), "line 4: node 1 is there already, as node 0");
  EXPECT_EQ(refusal_of(two + "state -3\n"), "line 4: an index is 0 or more, the order of a rate 1 or more");
  EXPECT_EQ(refusal_of(two + "rate 0 0\n"), "line 4: an index is 0 or more, the order of a rate 1 or more");
  EXPECT_EQ(refusal_of(two + "constant one\n"), "line 4: expected a number, found 'one'");
  EXPECT_EQ(refusal_of(two + "< 0 0\n"), "line 4: '<' takes held values, and node 0 moves");
  EXPECT_EQ(refusal_of(two + "choose 0 0 0\n"), "line 4: 'choose' takes held values, and node 0 moves");
  EXPECT_EQ(refusal_of(two + "sin 0\noutputs 1\n2\n"), "line 6: node 2 is not there: 2 were read before this one");
  EXPECT_EQ(refusal_of(two + "sin 0\nnames 0\n"), "line 5: expected 'outputs <count>'");
  EXPECT_EQ(refusal_of(two + "sin 0\noutputs 0\nnames 1\nsin 0 x\n"), "line 7: only inputs have names");
  EXPECT_EQ(refusal_of(two + "sin 0\noutputs 0\nnames 0\nplaces 1\n0 0 a.mo\n"),
            "line 8: a place is a node, a line from 1 on and the name of a file");
  EXPECT_EQ(refusal_of(two + "sin 0\noutputs 0\nnames 0\nplaces 0\nfin\n"), "line 8: expected 'end'");
  EXPECT_EQ(refusal_of(two + "sin 0\n" + tail), "no misuse");
}

// Cut anywhere, it is refused, never crashes, and never passes for a whole one.
TEST(GraphFile, IsRefusedWhereverItIsCut) {
  testing::RandomSource random(5);
  const testing::RandomModel model = random.model(40);
  const std::string text = text_of(model.graph, model.outputs);
  for (std::size_t length = 0; length + 5 < text.size(); ++length)
    EXPECT_NE(refusal_of(text.substr(0, length)), "no misuse") << length;
}

// Characters exchanged at random: refused, or a graph that can be evaluated.
TEST(GraphFile, SurvivesWhateverItIsGiven) {
  testing::RandomSource random(11);
  const testing::RandomModel model = random.model(40);
  const std::string text = text_of(model.graph, model.outputs);
  static constexpr char characters[] = "0123456789 -\nabcdx.p+*/<";
  for (int i = 0; i < 3000; ++i) {
    std::string other = text;
    for (int k = 0; k < 1 + random.below(3); ++k)
      other[static_cast<std::size_t>(random.below(static_cast<int>(other.size())))] =
          characters[random.below(static_cast<int>(sizeof(characters)) - 1)];
    try {
      const GraphFile back = read_text(other);
      static_cast<void>(back.graph.order(back.outputs));
    } catch (const Misuse&) {
      continue;
    }
  }
}

}  // namespace
}  // namespace pawl::model
