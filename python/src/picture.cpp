// Pictures that are declared in Python: every shape as (kind, places, turn, numbers, sizes, what).
#include <pybind11/stl.h>

#include "functions.hpp"
#include "pawl/picture.hpp"

namespace pawl::python {

namespace {

using namespace shapes;

// A constant, a function of the motion, or (kind, index) of a state, an observable or a multiplier.
Number number(const py::handle& value) {
  if (py::isinstance<GraphFunction>(value))
    return [f = value.cast<GraphFunction>()](const Point<double>& at) { return rows_of(f, at)[0]; };
  if (!py::isinstance<py::tuple>(value)) return value.cast<double>();
  const auto [kind, index] = value.cast<std::pair<int, int>>();
  if (kind == static_cast<int>(Op::state)) return State{index};
  if (kind == kind_observable) return Observable{index};
  return Constraint{index};
}

Place place(const py::handle& value) {
  const auto made = value.cast<py::list>();
  return {number(made[0]), number(made[1]), number(made[2])};
}

Turn turn(const py::list& values) {
  Turn made;
  for (const py::handle& one : values) made.values.push_back(number(one));
  return made;
}

std::variant<Contact, Guard> touched(const std::vector<int>& what) {
  if (what.size() == 1) return Guard{what[0]};
  return Contact{{what[1]}, {what[2]}, {what[3]}, what[0]};
}

Shape shape(const py::tuple& row) {
  const auto kind = row[0].cast<std::string>();
  const auto places = row[1].cast<py::list>(), turns = row[2].cast<py::list>(), numbers = row[3].cast<py::list>();
  const auto sizes = row[4].cast<std::vector<double>>();
  const Place at = place(places[0]);
  if (kind == "rod") return Rod{at, place(places[1]), sizes[0]};
  if (kind == "disk") return Disk{at, number(numbers[0]), turn(turns)};
  if (kind == "sphere") return Sphere{at, number(numbers[0]), turn(turns)};
  if (kind == "box") return Box{at, {sizes[0], sizes[1], sizes[2]}, turn(turns)};
  if (kind == "spring") return Spring{at, place(places[1])};
  if (kind == "wall") return Wall{at, place(places[1])};
  if (kind == "ring") return Ring{at, number(numbers[0]), turn(turns)};
  if (kind == "floor") return Floor{at, sizes[0], turn(turns)};
  if (kind == "trace") return Trace{at, sizes[0]};
  if (kind == "arrow") return Arrow{at, place(places[1])};
  Touch touch{touched(row[5].cast<std::vector<int>>()), at};
  if (places.size() > 1) touch.direction = place(places[1]);
  return touch;
}

}  // namespace

Picture picture_of(const py::list& rows) {
  Picture made;
  for (const py::handle& row : rows) made.add(shape(row.cast<py::tuple>()));
  return made;
}

}  // namespace pawl::python
