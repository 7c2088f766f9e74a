#include "pawl/model/file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <istream>
#include <map>
#include <ostream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "pawl/system.hpp"

namespace pawl::model {

namespace {

// In the file a negation and a difference have words of their own.
std::string file_word(Op op) {
  if (op == Op::neg) return "neg";
  return std::string(word_of(op));
}

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:a}", value) : fmt::format("{}", value);
}

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {
    for (int op = 0; op < op_count; ++op) words_[file_word(static_cast<Op>(op))] = static_cast<Op>(op);
  }

  GraphFile read() {
    next();
    if (word() != "pawl" || word() != "graph") refuse("this is no model.graph: it begins with 'pawl graph <version>'");
    if (const int version = integer(); version != file_version)
      refuse(fmt::format("version {} is not known; this program reads version {}", version, file_version));
    close();
    read_nodes();
    read_outputs();
    read_names();
    read_places();
    next();
    if (word() != "end") refuse("expected 'end'");
    close();
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Misuse(fmt::format("line {}: {}", line_, why)); }

  void next() {
    ++line_;
    if (!std::getline(in_, text_)) refuse("the file ends here, before its 'end'");
    rest_ = text_;
  }
  std::string_view word() {
    const auto begin = std::min(rest_.find_first_not_of(' '), rest_.size());
    const auto end = std::min(rest_.find(' ', begin), rest_.size());
    const std::string_view found = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return found;
  }
  int integer() {
    const std::string_view digits = word();
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      refuse(fmt::format("expected a whole number, found '{}'", digits));
    return value;
  }
  double number() {
    std::string_view digits = word(), all = digits;
    const bool is_negative = digits.starts_with('-');
    if (is_negative) digits.remove_prefix(1);
    const bool is_hexadecimal = digits.starts_with("0x");
    if (is_hexadecimal) digits.remove_prefix(2);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                              is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with('-'))
      refuse(fmt::format("expected a number, found '{}'", all));
    return is_negative ? -value : value;
  }
  void close() const {
    if (rest_.find_first_not_of(' ') != std::string_view::npos)
      refuse(fmt::format("'{}' is one word too many", rest_.substr(rest_.find_first_not_of(' '))));
  }
  int section(std::string_view name) {
    next();
    if (word() != name) refuse(fmt::format("expected '{} <count>'", name));
    const int count = integer();
    if (count < 0) refuse(fmt::format("{} {}: a count is 0 or more", name, count));
    close();
    return count;
  }

  void read_nodes() {
    const int count = section("nodes");
    for (int node = 0; node < count; ++node) {
      next();
      const auto found = words_.find(std::string(word()));
      if (found == words_.end()) refuse("this operation is not known");
      const int made = add(found->second);
      if (made != node) refuse(fmt::format("node {} is there already, as node {}", node, made));
      close();
    }
  }
  int add(Op op) {
    Graph& graph = file_.graph;
    if (op == Op::constant) return graph.constant(number());
    if (is_input(op)) {
      const int index = integer(), order = op == Op::rate ? integer() : 1;
      if (index < 0 || order < 1) refuse("an index is 0 or more, the order of a rate 1 or more");
      return graph.input(op, index, order);
    }
    int operands[3] = {-1, -1, -1};
    for (int i = 0; i < operand_count(op); ++i) operands[i] = operand();
    const bool reads_held = is_logic(op) || op == Op::choose;
    for (int i = 0; i < (op == Op::choose ? 1 : operand_count(op)) && reads_held; ++i) {
      if (graph.is_moving(operands[i]))
        refuse(fmt::format("'{}' takes held values, and node {} moves", word_of(op), operands[i]));
    }
    return graph.append({op, operands[0], operands[1], operands[2]});
  }
  // Nodes come before those that read them, so that there are no cycles.
  int operand() {
    const int node = integer();
    if (node < 0 || node >= file_.graph.size())
      refuse(fmt::format("node {} is not there: {} were read before this one", node, file_.graph.size()));
    return node;
  }
  void read_outputs() {
    const int count = section("outputs");
    for (int i = 0; i < count; ++i) {
      next();
      file_.outputs.push_back(operand());
      close();
    }
  }
  void read_names() {
    const int count = section("names");
    for (int i = 0; i < count; ++i) {
      next();
      const auto found = words_.find(std::string(word()));
      if (found == words_.end() || !is_input(found->second)) refuse("only inputs have names");
      const int index = integer();
      if (rest_.size() < 2) refuse("the name is missing");
      file_.graph.name(found->second, index, std::string(rest_.substr(1)));
    }
  }
  void read_places() {
    const int count = section("places");
    for (int i = 0; i < count; ++i) {
      next();
      const int node = operand(), line = integer();
      if (line < 1 || rest_.size() < 2) refuse("a place is a node, a line from 1 on and the name of a file");
      file_.graph.set_place(node, {std::string(rest_.substr(1)), line});
    }
  }

  std::istream& in_;
  std::map<std::string, Op> words_;
  std::string text_;
  std::string_view rest_;
  int line_ = 0;
  GraphFile file_;
};

// A name or a file with a line break would be read as something else.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

void write(std::ostream& out, const Graph& graph, const std::vector<int>& outputs) {
  const std::vector<int> nodes = graph.order(outputs);
  std::vector<int> number(static_cast<std::size_t>(graph.size()), -1);
  const auto of = [&](int node) { return number[static_cast<std::size_t>(node)]; };
  std::string text = fmt::format("pawl graph {}\nnodes {}\n", file_version, nodes.size()), places;
  std::map<std::pair<Op, int>, std::string> names;
  int next = 0, place_count = 0;
  for (const int node : nodes) {
    const Node& n = graph[node];
    number[static_cast<std::size_t>(node)] = next;
    text += file_word(n.op);
    if (n.op == Op::constant) {
      text += fmt::format(" {}", number_text(graph.value_of(node)));
    } else if (is_input(n.op)) {
      text += n.op == Op::rate ? fmt::format(" {} {}", n.a, n.b) : fmt::format(" {}", n.a);
      const std::pair<Op, int> named{n.op == Op::rate ? Op::state : n.op, n.a};
      if (const auto found = graph.names().find(named); found != graph.names().end()) names.insert(*found);
    } else {
      const int operands[] = {n.a, n.b, n.c};
      for (int i = 0; i < operand_count(n.op); ++i) text += fmt::format(" {}", of(operands[i]));
    }
    text += '\n';
    if (const Place place = graph.place_of(node); place.line > 0) {
      places += fmt::format("{} {} {}\n", next, place.line, one_line(place.file));
      ++place_count;
    }
    ++next;
  }
  text += fmt::format("outputs {}\n", outputs.size());
  for (const int output : outputs) text += fmt::format("{}\n", of(output));
  text += fmt::format("names {}\n", names.size());
  for (const auto& [input, name] : names)
    text += fmt::format("{} {} {}\n", word_of(input.first), input.second, one_line(name));
  text += fmt::format("places {}\n{}end\n", place_count, places);
  out << text;
}

GraphFile read(std::istream& in) {
  return Reader(in).read();
}

void write_file(const std::string& name, const Graph& graph, const std::vector<int>& outputs) {
  std::ofstream out(name);
  write(out, graph, outputs);
  out.close();
  if (!out) throw Misuse(fmt::format("'{}' cannot be written", name));
}

GraphFile read_file(const std::string& name) {
  std::ifstream in(name);
  if (!in) throw Misuse(fmt::format("'{}' cannot be read", name));
  try {
    return read(in);
  } catch (const Misuse& fault) {
    throw Misuse(fmt::format("'{}', {}", name, fault.what()));
  }
}

}  // namespace pawl::model
