// The sentences of Mechanics and PortHamiltonian.
#include <optional>
#include <variant>

#include <pybind11/stl.h>

#include "functions.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/port_hamiltonian.hpp"

namespace pawl::python {

namespace {

// A number, or the index of a parameter as a tuple of one.
Coefficient coefficient(const py::handle& value) {
  if (py::isinstance<py::tuple>(value)) return Parameter{value.cast<py::tuple>()[0].cast<int>()};
  return value.cast<double>();
}

ContactOptions contact_options(const py::dict& words) {
  ContactOptions made;
  for (const auto& [key, value] : words) {
    const auto word = key.cast<std::string>();
    if (word == "restitution") made.restitution = coefficient(value);
    if (word == "friction") made.friction = coefficient(value);
    if (word == "static_friction") made.static_friction = coefficient(value);
    if (word == "impact") made.impact = value.cast<std::string>() == "newton" ? ImpactLaw::newton : ImpactLaw::poisson;
    if (word == "sequential") made.sequential = value.cast<bool>();
    if (word == "slip_speed") made.slip_speed = value.cast<double>();
    if (word == "compliance") {
      const auto c = value.cast<std::array<double, 4>>();
      made.compliance = Compliance{c[0], c[1], c[2], c[3]};
    }
  }
  return made;
}
FrictionOptions friction_options(const py::dict& words) {
  const ContactOptions all = contact_options(words);
  return {all.friction, all.static_friction, all.slip_speed};
}

py::tuple indices(const Contact& contact) {
  return py::make_tuple(contact.index, contact.normal.index, contact.slip.index, contact.mode.index);
}

}  // namespace

void bind_structured(py::module_& m) {
  py::class_<Mechanics, System, std::shared_ptr<Mechanics>>(m, "Mechanics")
      .def(py::init<std::string>())
      .def("coordinate",
           [](Mechanics& self, std::string name, double position, double speed) {
             const Coordinate made = self.coordinate(std::move(name), position, speed);
             return py::make_tuple(made.index, made.speed);
           })
      .def("attitude",
           [](Mechanics& self, const std::string& name, std::array<double, 4> orientation,
              std::array<double, 3> angular_velocity) {
             const Attitude made = self.attitude(name, orientation, angular_velocity);
             return py::make_tuple(made.first, made.first_speed);
           })
      .def("mass", [](Mechanics& self, int x, const py::object& value) { self.mass(State{x}, coefficient(value)); })
      .def("masses",
           [](Mechanics& self, const GraphFunction& f, std::vector<std::pair<int, int>> places) {
             self.mass(GraphEntries{f, std::move(places)});
           })
      .def("kinetic_energy", [](Mechanics& self, const GraphFunction& f) { self.kinetic_energy(f); })
      .def("force",
           [](Mechanics& self, const GraphFunction& f, std::vector<int> states) {
             self.force(GraphTerms{f, std::move(states)});
           })
      .def("potential", [](Mechanics& self, const GraphFunction& f) { self.potential(f); })
      .def("constraint",
           [](Mechanics& self, std::string name, const GraphFunction& g, const Logic& only_when) {
             ConstraintDeclaration made = self.constraint(std::move(name), g);
             if (!only_when.is_always_true()) made.only_when(only_when);
             return Constraint(made).index;
           })
      .def("velocity_constraint",
           [](Mechanics& self, std::string name, const GraphFunction& h, const Logic& only_when) {
             ConstraintDeclaration made = self.velocity_constraint(std::move(name), h);
             if (!only_when.is_always_true()) made.only_when(only_when);
             return Constraint(made).index;
           })
      .def("contact",
           [](Mechanics& self, std::string name, const GraphFunction& gap, const std::optional<GraphFunction>& slip,
              const py::dict& words) {
             const ContactOptions options = contact_options(words);
             if (!slip) return indices(self.contact(std::move(name), gap, options));
             if (slip->rows() == 1) return indices(self.contact(std::move(name), gap, *slip, options));
             return indices(self.contact(std::move(name), gap, TwoRows{*slip}, options));
           })
      .def("dry_friction",
           [](Mechanics& self, std::string name, const GraphFunction& slip, const GraphFunction& force,
              const py::dict& words) {
             const FrictionOptions options = friction_options(words);
             if (slip.rows() == 1) return indices(self.dry_friction(std::move(name), slip, force, options));
             return indices(self.dry_friction(std::move(name), TwoRows{slip}, force, options));
           })
      .def("joint_friction",
           [](Mechanics& self, std::string name, int joint, const GraphFunction& slip, const py::dict& words) {
             return indices(self.joint_friction(std::move(name), Constraint{joint}, slip, friction_options(words)));
           })
      .def("friction_work", [](Mechanics& self, std::string name) { return self.friction_work(std::move(name)).index; })
      .def("impact_loss", [](Mechanics& self, std::string name) { return self.impact_loss(std::move(name)).index; })
      .def("energy",
           [](Mechanics& self, std::string name, bool kept) { return self.energy(std::move(name), kept).index; });

  py::class_<PortHamiltonian, System, std::shared_ptr<PortHamiltonian>>(m, "PortHamiltonian")
      .def(py::init<std::string>())
      .def("hamiltonian", [](PortHamiltonian& self, const GraphFunction& f) { self.hamiltonian(f); })
      .def("structure",
           [](PortHamiltonian& self, const GraphFunction& f, std::vector<std::pair<int, int>> places) {
             self.structure(GraphEntries{f, std::move(places)});
           })
      .def("dissipation",
           [](PortHamiltonian& self, const GraphFunction& f, std::vector<std::pair<int, int>> places) {
             self.dissipation(GraphEntries{f, std::move(places)});
           })
      .def("resistance",
           [](PortHamiltonian& self, const GraphFunction& f, std::vector<int> states) {
             self.resistance(GraphResistance{f, std::move(states)});
           })
      .def("drive",
           [](PortHamiltonian& self, const GraphFunction& f, std::vector<int> states) {
             self.input(GraphTerms{f, std::move(states)});
           })
      .def("constraint",
           [](PortHamiltonian& self, std::string name, const GraphFunction& f, std::vector<int> states) {
             return self.constraint(std::move(name), GraphTerms{f, std::move(states)}).index;
           })
      .def("energy",
           [](PortHamiltonian& self, std::string name, bool kept) { return self.energy(std::move(name), kept).index; })
      .def("check_structure", [](const PortHamiltonian& self) {
        const StructureReport report = self.check_structure(Values(self));
        return py::make_tuple(report.is_sound, report.text);
      });
}

}  // namespace pawl::python
