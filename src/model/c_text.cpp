#include "pawl/model/c_text.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "model/instruction.hpp"
#include "model/layout.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

namespace {

bool is_name_of_c(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name.front())) return false;
  for (const char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

// A comment ends where it should, whatever a model calls its parts.
std::string comment(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool breaks = text[i] == '\n' || text[i] == '\r' || text[i] == '\\';
    if (breaks || (text[i] == '/' && i > 0 && text[i - 1] == '*') || text.compare(i, 2, "/*") == 0) text[i] = ' ';
  }
  return fmt::format("/* {} */", text);
}

std::string literal(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return value < 0 || std::signbit(value) ? fmt::format("({:a})", value) : fmt::format("{:a}", value);
}

// Writes one function; a value is the variable of its node.
class Writer {
 public:
  Writer(const Graph& graph, const std::vector<int>& outputs) : graph_(graph) {
    const Layout layout(graph, outputs);
    for (const int node : layout.nodes)
      if (is_input(graph[node].op)) write_input(node);
    if (text_.empty()) line("(void)at;");
    const auto held = held_instructions(graph, outputs), moving = moving_instructions(graph, outputs, /*fuses=*/false);
    // Where there are choices, a value of one may be read by the next: variables are declared before.
    for (const auto* list : {&held, &moving})
      for (const Instruction& one : *list) has_choices_ = has_choices_ || one.shape == Shape::branch;
    if (has_choices_) {
      for (const auto* list : {&held, &moving}) declare(*list);
    }
    for (const auto* list : {&held, &moving})
      for (const Instruction& one : *list) write(one);
  }

  const std::string& text() const { return text_; }

 private:
  void line(const std::string& statement) { text_ += fmt::format("{:{}}{}\n", "", 2 * depth_, statement); }

  void write_input(int node) {
    const Node& n = graph_[node];
    const std::string from = n.op == Op::time ? "at->time" : fmt::format("at->{}[{}]", word_of(n.op), n.a);
    line(fmt::format("const double v{} = {}; {}", node, from, comment(graph_.name_of(n))));
  }
  void declare(const std::vector<Instruction>& list) {
    std::vector<char> is_declared(static_cast<std::size_t>(graph_.size()), 0);
    for (const Instruction& one : list) {
      if (one.shape != Shape::plain && one.shape != Shape::take) continue;
      char& known = is_declared[static_cast<std::size_t>(one.node)];
      if (known == 0) line(fmt::format("double v{} = 0;", one.node));
      known = 1;
    }
  }

  std::string value(int node) const {
    return graph_.is_constant(node) ? literal(graph_.value_of(node)) : fmt::format("v{}", node);
  }
  void assign(int node, const std::string& expression) {
    line(fmt::format("{}v{} = {};", has_choices_ ? "" : "const double ", node, expression));
  }

  void write(const Instruction& one) {
    switch (one.shape) {
      case Shape::branch:
        line(fmt::format("if ({} != 0) {{", value(one.node)));
        ++depth_;
        break;
      case Shape::otherwise:
        --depth_;
        line("} else {");
        ++depth_;
        break;
      case Shape::join:
        --depth_;
        line("}");
        break;
      case Shape::take:
        assign(one.node, value(one.operand[0]));
        break;
      case Shape::store:
        line(fmt::format("out[{}] = {};", one.node, value(one.operand[0])));
        break;
      default:
        assign(one.node, expression(graph_[one.node]));
    }
  }

  std::string expression(const Node& n) const {
    const std::string a = value(n.a), b = operand_count(n.op) > 1 ? value(n.b) : std::string(),
                      c = operand_count(n.op) > 2 ? value(n.c) : std::string();
    switch (n.op) {
      case Op::neg:
        return "-" + a;
      case Op::sqr:
        return fmt::format("{0} * {0}", a);
      case Op::abs:
        return fmt::format("fabs({})", a);
      case Op::negation:
        return fmt::format("{} == 0", a);
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::less:
      case Op::less_equal:
      case Op::equal:
        return fmt::format("{} {} {}", a, word_of(n.op), b);
      case Op::min:
        return fmt::format("{1} < {0} ? {1} : {0}", a, b);
      case Op::max:
        return fmt::format("{0} < {1} ? {1} : {0}", a, b);
      case Op::both:
        return fmt::format("{} != 0 && {} != 0", a, b);
      case Op::either:
        return fmt::format("{} != 0 || {} != 0", a, b);
      case Op::select:
        return fmt::format("{} > 0 ? {} : {}", a, b, c);
      default:  // of the library, under the same name
        return is_unary(n.op) ? fmt::format("{}({})", word_of(n.op), a)
                              : fmt::format("{}({}, {})", word_of(n.op), a, b);
    }
  }

  const Graph& graph_;
  std::string text_;
  int depth_ = 1;
  bool has_choices_ = false;
};

}  // namespace

std::string c_text(const Graph& graph, const std::vector<int>& outputs, const std::string& name) {
  if (!is_name_of_c(name)) throw Misuse(fmt::format("'{}' is no name of a function in C", name));
  return fmt::format(
      "/* {} output{}. Compile with -ffp-contract=off -fno-builtin for the bits that pawl computes. */\n"
      "#include <math.h>\n\n"
      "#ifndef PAWL_POINT\n"
      "#define PAWL_POINT\n"
      "struct pawl_point {{\n"
      "  double time;\n"
      "  const double *state, *rate, *parameter, *number, *mode, *truth, *relay, *input;\n"
      "}};\n"
      "#endif\n\n"
      "void {}(const struct pawl_point *at, double *out) {{\n{}}}\n",
      outputs.size(), outputs.size() == 1 ? "" : "s", name, Writer(graph, outputs).text());
}

}  // namespace pawl::model
