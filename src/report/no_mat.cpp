// In place of mat.cpp where matio was not found.
#include "report/mat.hpp"

namespace pawl {

void write_mat(const Table&, const std::string&) {
  throw Misuse("this pawl was built without matio: install libmatio-dev and build again, or write .csv");
}

}  // namespace pawl
