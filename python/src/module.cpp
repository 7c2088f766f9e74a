// The extension module behind the package: graph, system, run. What users see is made of it in Python.
#include <string>

#include <pybind11/pybind11.h>

#include "functions.hpp"
#include "pawl/version.hpp"

PYBIND11_MODULE(_pawl, m) {
  m.doc() = "pawl's engine; use the package pawl";
  m.attr("version") = std::string(pawl::version);
  pybind11::register_exception<pawl::Misuse>(m, "Misuse", PyExc_ValueError);
  pawl::python::bind_functions(m);
  pawl::python::bind_graph(m);
  pawl::python::bind_system(m);
  pawl::python::bind_structured(m);
  pawl::python::bind_run(m);
  pawl::python::bind_catalogue(m);
}
