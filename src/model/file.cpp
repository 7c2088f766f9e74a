#include "pawl/model/file.hpp"

#include <fstream>
#include <istream>
#include <map>
#include <ostream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "model/line_reader.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

namespace {

// In the file a negation and a difference have words of their own.
std::string file_word(Op op) {
  if (op == Op::neg) return "neg";
  return std::string(word_of(op));
}

class Reader {
 public:
  explicit Reader(LineReader& lines) : lines_(lines) {
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
  [[noreturn]] void refuse(const std::string& why) const { lines_.refuse(why); }
  void next() { lines_.next(); }
  std::string_view word() { return lines_.word(); }
  int integer() { return lines_.integer(); }
  double number() { return lines_.number(); }
  void close() const { lines_.close(); }
  int section(std::string_view name) { return lines_.section(name); }

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
      file_.graph.name(found->second, index, lines_.rest("the name"));
    }
  }
  void read_places() {
    const int count = section("places");
    for (int i = 0; i < count; ++i) {
      next();
      const int node = operand(), line = integer();
      if (line < 1) refuse("a place is a node, a line from 1 on and the name of a file");
      file_.graph.set_place(node, {lines_.rest("the name of the file"), line});
    }
  }

  LineReader& lines_;
  std::map<std::string, Op> words_;
  GraphFile file_;
};

}  // namespace

void write_graph(std::string& text, const Graph& graph, const std::vector<int>& outputs) {
  const std::vector<int> nodes = graph.order(outputs);
  std::vector<int> number(static_cast<std::size_t>(graph.size()), -1);
  const auto of = [&](int node) { return number[static_cast<std::size_t>(node)]; };
  text += fmt::format("pawl graph {}\nnodes {}\n", file_version, nodes.size());
  std::string places;
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
}

GraphFile read_graph(LineReader& lines) {
  return Reader(lines).read();
}

void write(std::ostream& out, const Graph& graph, const std::vector<int>& outputs) {
  std::string text;
  write_graph(text, graph, outputs);
  out << text;
}

GraphFile read(std::istream& in) {
  LineReader lines(in);
  return read_graph(lines);
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
