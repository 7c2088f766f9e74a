// The graph as Python holds it: node by node. Expressions, names and arrays are made of these in Python.
#include <sstream>

#include <pybind11/stl.h>

#include "functions.hpp"
#include "pawl/model/file.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::python {

using model::Graph;

void bind_graph(py::module_& m) {
  m.attr("op_words") = [] {
    py::list words;
    for (int i = 0; i < model::op_count; ++i) words.append(std::string(model::word_of(static_cast<Op>(i))));
    return py::tuple(words);
  }();

  py::class_<Graph, std::shared_ptr<Graph>>(m, "Graph")
      .def(py::init<>())
      .def("constant", &Graph::constant)
      .def("input", [](Graph& self, int kind, int index) { return self.input(static_cast<Op>(kind), index); })
      .def("unary", [](Graph& self, int op, int a) { return self.unary(static_cast<Op>(op), a); })
      .def("binary", [](Graph& self, int op, int a, int b) { return self.binary(static_cast<Op>(op), a, b); })
      .def("select", &Graph::select)
      .def("choose", &Graph::choose)
      .def("__len__", &Graph::size)
      .def("is_moving", &Graph::is_moving)
      .def("is_constant", &Graph::is_constant)
      .def("value_of", &Graph::value_of)
      .def("node",
           [](const Graph& self, int node) {
             const model::Node& one = self[node];
             return py::make_tuple(static_cast<int>(one.op), one.a, one.b, one.c);
           })
      .def("order", &Graph::order)
      .def("text", &Graph::text, py::arg("node"), py::arg("depth") = 6)
      .def("name", [](Graph& self, int kind, int index,
                      std::string name) { self.name(static_cast<Op>(kind), index, std::move(name)); })
      .def("place",
           [](Graph& self, std::string file, int line) {
             self.from({std::move(file), line});
           })
      .def("reads", [](const Graph& self, const std::vector<int>& outputs,
                       int kind) { return self.reads(outputs, static_cast<Op>(kind)); })
      .def("write",
           [](const Graph& self, const std::vector<int>& outputs) {
             std::ostringstream out;
             model::write(out, self, outputs);
             return out.str();
           })
      .def_static("read", [](const std::string& text) {
        std::istringstream in(text);
        model::GraphFile file = model::read(in);
        return py::make_tuple(std::make_shared<Graph>(std::move(file.graph)), file.outputs);
      });

  py::class_<GraphFunction>(m, "GraphFunction")
      .def(py::init([](std::shared_ptr<Graph> graph, std::vector<int> outputs, bool native) {
             return GraphFunction(std::move(graph), std::move(outputs),
                                  native ? model::Execution::automatic : model::Execution::interpreted);
           }),
           py::arg("graph"), py::arg("outputs"), py::arg("native") = true)
      .def_property_readonly("rows", &GraphFunction::rows)
      .def_property_readonly("is_native", &GraphFunction::is_native)
      .def("__call__",
           [](const GraphFunction& self, double t, const std::vector<double>& states,
              const std::vector<double>& parameters) {
             Held held;
             held.states = states.size();
             held.parameters = parameters;
             detail::Surroundings<double> around;
             around.held = &held;
             return rows_of(self, Point<double>(t, states.data(), parameters.data(), &around));
           })
      .def("with_rates", [](const GraphFunction& self, double t, const std::vector<double>& states,
                            const std::vector<double>& rates) {
        struct Source : detail::RateSource<double> {
          const std::vector<double>* values;
          double rate(const Point<double>&, int index) const override {
            return values->at(static_cast<std::size_t>(index));
          }
        } source;
        source.values = &rates;
        Held held;
        held.states = states.size();
        detail::Surroundings<double> around;
        around.held = &held;
        around.rates = &source;
        return rows_of(self, Point<double>(t, states.data(), nullptr, &around));
      });
}

}  // namespace pawl::python
