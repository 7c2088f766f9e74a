// The extension module behind the package: graph, system, run. What users see is made of it in Python.
#include <string>

#include <pybind11/pybind11.h>

#include "exit.hpp"
#include "functions.hpp"
#include "pawl/version.hpp"
#include "run.hpp"

PYBIND11_MODULE(_pawl, m) {
  m.doc() = "pawl's engine; use the package pawl";
  m.attr("version") = std::string(pawl::version);
  pybind11::register_exception<pawl::Misuse>(m, "Misuse", PyExc_ValueError);
  pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(&pawl::python::begin_exit));
  pawl::python::bind_functions(m);
  pawl::python::bind_graph(m);
  pawl::python::bind_system(m);
  pawl::python::bind_structured(m);
  pawl::python::bind_run(m);
  pawl::python::bind_sweep(m);
  pawl::python::bind_catalogue(m);
}
