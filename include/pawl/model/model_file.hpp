// A whole model as text: model.graph with what the nodes mean before it, so that a model travels to other processes.
//
//   pawl model 1
//   name tank
//   unknowns 2
//   state 0 0x0p+0 level              the output that is its start, its nominal size (0: none), its name
//   variable 1 0x0p+0 flow
//   parameters 1
//   0x1p+1 area
//   ...
//   pawl graph 1                      as in file.hpp; its outputs are what the lines above count
//
// A file is checked when it is read: what does not mean a model is refused with the line and the reason. Names and
// texts with line breaks are written with blanks in their place.
#pragma once

#include <iosfwd>
#include <string>

#include "pawl/model/model.hpp"

namespace pawl::model {

inline constexpr int model_file_version = 1;

void write(std::ostream& out, const Model& model);
/// Throws Misuse with the number of the line and what is wrong there.
Model read_model(std::istream& in);

/// The same with a file; throws Misuse where it cannot be written or read, with its name.
void write_file(const std::string& name, const Model& model);
Model read_model_file(const std::string& name);

}  // namespace pawl::model
