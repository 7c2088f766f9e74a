#include "report/reads.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

namespace pawl {

namespace {

constexpr int most_states = 300, most_words = 12;

/// Inputs are numbered: states, rates, relays, the time.
struct Numbering {
  int states, relays;
  int rate(int i) const { return states + i; }
  int relay(int i) const { return 2 * states + i; }
  int time() const { return 2 * states + relays; }
};

class NumberedRates final : public detail::RateSource<Pattern> {
 public:
  explicit NumberedRates(const Pattern* first) : first_(first) {}
  Pattern rate(const Point<Pattern>&, int i) const override { return first_[i]; }

 private:
  const Pattern* first_;
};

}  // namespace

std::vector<std::vector<int>> Reads::inputs_of(const Function& f, int results, Pair member,
                                               bool& reads_multipliers) const {
  const Numbering number{static_cast<int>(model_.state_names.size()), static_cast<int>(model_.relays.size())};
  if (!f || !f.supports<Pattern>() || number.states > most_states) return {};
  PatternTape tape;
  std::vector<Pattern> inputs;
  for (int i = 0; i <= number.time(); ++i) inputs.push_back(tape.variable(i));
  const NumberedRates rates(inputs.data() + number.rate(0));
  detail::Surroundings<Pattern> around{.held = &held_, .member = member, .rates = &rates};
  around.relays = inputs.data() + number.relay(0);
  std::vector<Pattern> out(static_cast<std::size_t>(results));
  try {
    f(Point<Pattern>(inputs.back(), inputs.data(), held_.parameters.data(), &around), out.data());
  } catch (const std::exception&) {
    return {};  // it threw in the run as well, which is said elsewhere
  }
  reads_multipliers = around.reads_multipliers;
  std::vector<std::vector<int>> all;
  for (const Pattern& one : out) all.push_back(tape.inputs_of(one));
  return all;
}

std::string Reads::words(const std::vector<int>& inputs, bool reads_multipliers) const {
  const Numbering number{static_cast<int>(model_.state_names.size()), static_cast<int>(model_.relays.size())};
  std::string text;
  int count = 0;
  const auto add = [&](const std::string& word) {
    if (++count <= most_words) text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
  };
  for (const int i : inputs) {
    if (i < number.rate(0))
      add(model_.state_names[static_cast<std::size_t>(i)]);
    else if (i < number.relay(0))
      add(fmt::format("dot({})", model_.state_names[static_cast<std::size_t>(i - number.rate(0))]));
    else if (i < number.time())
      add(model_.relays[static_cast<std::size_t>(i - number.relay(0))].name);
    else
      add(model_.inputs.empty() ? "t" : "t or an input");
  }
  if (reads_multipliers) add("multipliers");
  if (count == 0) return "constants";
  return count <= most_words ? text : fmt::format("{} and {} more", text, count - most_words);
}

std::vector<std::string> Reads::of_each(const Function& f, int results, Pair member) const {
  bool reads_multipliers = false;
  std::vector<std::string> all;
  for (const std::vector<int>& inputs : inputs_of(f, results, member, reads_multipliers))
    all.push_back(words(inputs, reads_multipliers));
  all.resize(static_cast<std::size_t>(results));
  return all;
}

std::string Reads::of(const Function& f, int results, Pair member) const {
  bool reads_multipliers = false;
  const std::vector<std::vector<int>> each = inputs_of(f, results, member, reads_multipliers);
  if (each.empty()) return {};
  std::vector<int> all;
  for (const std::vector<int>& one : each) all.insert(all.end(), one.begin(), one.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return words(all, reads_multipliers);
}

}  // namespace pawl
