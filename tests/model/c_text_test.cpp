// The C text of a graph, compiled by the C compiler, gives the bits of the interpreter. PAWL_FUZZ_C=20000 compares that
// many random graphs instead of a few.
#include "pawl/model/c_text.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "model/hand.hpp"
#include "model/random_graph.hpp"
#include "pawl/model/expr.hpp"

namespace pawl::model {
namespace {

using pawl::testing::misuse_of;
using testing::Instant;
using testing::interpreted;
using testing::same_bits;

// As c_text declares it.
struct CPoint {
  double time;
  const double *state, *rate, *parameter, *number, *mode, *truth, *relay, *input;
};
using CFunction = void (*)(const CPoint*, double*);

// Text compiled into a library that is loaded as long as this lives.
class Compiled {
 public:
  explicit Compiled(const std::string& text)
      : folder_(std::filesystem::temp_directory_path() / fmt::format("pawl_c_text_{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    const std::string source = folder_ / "model.c", library = folder_ / "model.so";
    std::ofstream(source) << text;
    const std::string command = fmt::format(
        "cc -std=c99 -Wall -Wextra -Werror -O1 -ffp-contract=off -fno-builtin -shared -fPIC '{}' -o '{}' -lm", source,
        library);
    if (std::system(command.c_str()) == 0) library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Compiled() {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  CFunction function(const std::string& name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<CFunction>(dlsym(library_, name.c_str()));
  }

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
};

std::vector<double> by_c(CFunction f, const Instant<double>& at, std::size_t rows) {
  std::vector<double> out(rows);
  const CPoint point{at.time,         at.states.data(), at.rates.data(),  at.parameters.data(), at.numbers.data(),
                     at.modes.data(), at.truths.data(), at.relays.data(), at.inputs.data()};
  f(&point, out.data());
  return out;
}

TEST(CText, ReadsLikeTheModel) {
  Graph graph;
  const Expr level = state(graph, 0, "level"), area = parameter(graph, 0, "area */"), open = truth(graph, 0, "open");
  const Expr flow = choose(open, 0.5 * sqrt(level), 0.0);
  const Expr square = area * area;  // operations are numbered in the order in which they are made
  EXPECT_EQ(c_text(graph, {(-flow / square).node()}, "tank"),
            R"(/* 1 output. Compile with -ffp-contract=off -fno-builtin for the bits that pawl computes. */
#include <math.h>

#ifndef PAWL_POINT
#define PAWL_POINT
struct pawl_point {
  double time;
  const double *state, *rate, *parameter, *number, *mode, *truth, *relay, *input;
};
#endif

void tank(const struct pawl_point *at, double *out) {
  const double v0 = at->state[0]; /* level */
  const double v1 = at->parameter[0]; /* area *  */
  const double v2 = at->truth[0]; /* open */
  double v8 = 0;
  double v3 = 0;
  double v5 = 0;
  double v7 = 0;
  double v10 = 0;
  double v11 = 0;
  v8 = v1 * v1;
  if (v2 != 0) {
    v3 = sqrt(v0);
    v5 = 0x1p-1 * v3;
    v7 = v5;
  } else {
    v7 = 0x0p+0;
  }
  v10 = v7 / v8;
  v11 = -v10;
  out[0] = v11;
}
)");
}

TEST(CText, OfRandomGraphsGivesTheBitsOfTheInterpreter) {
  const char* wanted = std::getenv("PAWL_FUZZ_C");
  const int count = wanted != nullptr ? std::atoi(wanted) : 200, together = 200;
  for (int first = 1; first <= count; first += together) {
    std::vector<testing::RandomModel> models;
    std::string text;
    for (int seed = first; seed < first + together; ++seed) {
      models.push_back(testing::RandomSource(static_cast<std::uint64_t>(seed) * 104729).model(80));
      text += c_text(models.back().graph, models.back().outputs, fmt::format("f{}", seed));
    }
    const Compiled compiled(text);
    for (std::size_t i = 0; i < models.size(); ++i) {
      const int seed = first + static_cast<int>(i);
      const auto& [graph, outputs] = models[i];
      const CFunction f = compiled.function(fmt::format("f{}", seed));
      ASSERT_NE(f, nullptr) << "seed " << seed;
      testing::RandomSource random(static_cast<std::uint64_t>(seed));
      for (int k = 0; k < 3; ++k) {
        const auto at = random.instant<double>();
        const auto expected = interpreted(Program(graph, outputs), at), found = by_c(f, at, outputs.size());
        for (std::size_t row = 0; row < outputs.size(); ++row)
          ASSERT_TRUE(same_bits(expected[row], found[row])) << "seed " << seed << ": " << graph.text(outputs[row], 40);
      }
    }
  }
}

TEST(CText, IsRefusedWhereThereIsNoFunctionToWrite) {
  Graph graph;
  EXPECT_EQ(misuse_of([&] { c_text(graph, {}, "2nd"); }), "'2nd' is no name of a function in C");
  const int second = graph.input(Op::rate, 0, 2);
  graph.name(Op::state, 0, "angle");
  EXPECT_EQ(misuse_of([&] { c_text(graph, {second}, "f"); }),
            "'der(angle, 2)' cannot be read by a function: it is given rates of first order");
}

}  // namespace
}  // namespace pawl::model
