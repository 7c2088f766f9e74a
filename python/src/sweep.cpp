// Sweeps as Python holds them: arrays of what was varied and kept.
#include <atomic>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "exit.hpp"
#include "pawl/sweep.hpp"
#include "report/sweep_files.hpp"
#include "run.hpp"

namespace pawl::python {

namespace {

/// (name, list of levels) or (name, distribution in words).
Design design_of(const py::list& given, const py::dict& words) {
  Design design;
  for (const py::handle& one : given) {
    const auto entry = one.cast<py::tuple>();
    const auto name = entry[0].cast<std::string>();
    if (py::isinstance<py::str>(entry[1]))
      design.random(name, Distribution::read(entry[1].cast<std::string>()));
    else
      design.vary(name, entry[1].cast<std::vector<double>>());
  }
  const auto sampling = words["design"].cast<std::string>();
  if (sampling != "random" && sampling != "sobol" && sampling != "latin")
    throw Misuse("design is 'random', 'sobol' or 'latin', not '" + sampling + "'");
  design.sampling = sampling == "sobol" ? Sampling::sobol : sampling == "latin" ? Sampling::latin : Sampling::random;
  design.draws = words["runs"].cast<long long>();
  design.seed = words["seed"].cast<std::uint64_t>();
  design.for_indices = words["indices"].cast<bool>();
  return design;
}

/// Columns that a Python function computes, called once per run: the first column calls it, the others read what it
/// gave.
std::vector<Column> called_columns(const py::list& names, const py::object& function) {
  std::vector<Column> columns;
  const Shared shared(function);
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back({names[i].cast<std::string>(), [shared, i](const Result& run) {
                         thread_local std::vector<double> row;
                         if (i == 0) {
                           const InsidePython inside;
                           const py::gil_scoped_acquire lock;
                           try {
                             row = (*shared)(std::make_shared<Result>(run)).cast<std::vector<double>>();
                           } catch (py::error_already_set& error) {
                             throw std::runtime_error(error.what());  // the lock is needed to read it: now
                           }
                         }
                         return row.at(i);
                       }});
  }
  return columns;
}

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

Sweep make(const System& system, const py::list& given, const py::dict& run_words, const py::list& varied,
           const py::dict& words, const py::object& function) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): its declarations as they are now, whatever is declared
  const System shared = system;  // meanwhile
  const Values values = values_of(shared, given);
  const Design design = design_of(varied, words);
  SweepOptions options;
  options.run = options_of(run_words);
  options.run.progress = nullptr;  // threads of the engine hear no signals
  options.keep = words["keep"].cast<std::vector<std::string>>();
  if (!function.is_none()) options.columns = called_columns(words["names"].cast<py::list>(), function);
  options.jobs = words["jobs"].cast<int>();
  const auto part = words["part"].cast<std::pair<int, int>>();
  options.part = {part.first, part.second};
  if (!words["max_steps"].is_none()) options.max_steps = words["max_steps"].cast<long long>();
  if (!words["max_seconds"].is_none()) options.max_seconds = words["max_seconds"].cast<double>();
  options.folder = words["out"].cast<std::string>();
  options.fingerprint = words["fingerprint"].cast<std::string>();
  std::atomic<bool> is_interrupted{false};
  options.goes_on = [&is_interrupted] { return !is_interrupted.load(std::memory_order_relaxed); };
  options.progress = [&is_interrupted](const SweepProgress&) {
    const InsidePython inside;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return;
    PyErr_Clear();  // raised again when the threads have ended
    is_interrupted = true;
  };
  std::optional<Sweep> made;
  {
    const WithoutLock without_lock;
    made.emplace(sweep(SweepModel(CompiledModel(shared, values, options.run.start), values), design, options));
  }
  if (is_interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  return std::move(*made);
}

}  // namespace

void bind_sweep(py::module_& m) {
  m.def("sweep", &make);
  m.def("read_sweep", &read_sweep);
  py::class_<Sweep>(m, "Sweep")
      .def("__len__", &Sweep::size)
      .def_property_readonly("model", &Sweep::model)
      .def_property_readonly("parameters", [](const Sweep& self) { return self.parameters(); })
      .def_property_readonly("columns", &Sweep::columns)
      .def("all", [](const Sweep& self, const std::string& name) { return array_of(self.all(name)); })
      .def("states",
           [](const Sweep& self) {
             py::array_t<unsigned char> states(self.size());
             for (long long run = 0; run < self.size(); ++run)
               states.mutable_at(run) = static_cast<unsigned char>(self.state(run));
             return states;
           })
      .def("reason", &Sweep::reason)
      .def("summary",
           [](const Sweep& self, const std::string& name) {
             const Summary s = summarize(self, name);
             return py::dict(py::arg("count") = s.count, py::arg("without") = s.without, py::arg("mean") = s.mean,
                             py::arg("deviation") = s.deviation, py::arg("min") = s.min, py::arg("max") = s.max,
                             py::arg("min_run") = s.min_run, py::arg("max_run") = s.max_run,
                             py::arg("quantiles") = s.quantiles);
           })
      .def("indices",
           [](const Sweep& self, const std::string& name) {
             py::dict all;
             for (const SobolIndex& one : sobol_indices(self, name))
               all[py::str(one.parameter)] = py::make_tuple(one.first, one.total);
             return all;
           })
      .def("write", [](const Sweep& self, const std::string& path) {
        const WithoutLock without_lock;
        if (path.ends_with(".csv"))
          write_sweep_csv(self, path);
        else if (path.ends_with(".npz"))
          write_sweep_npz(self, path);
        else
          throw Misuse("'" + path + "': the name must end in .csv or .npz");
      });
}

}  // namespace pawl::python
