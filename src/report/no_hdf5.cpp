// In place of hdf5.cpp where the HDF5 library was not found.
#include "report/hdf5.hpp"
#include "report/sweep_files.hpp"

namespace pawl {

std::string to_hdf5(const Table&, const std::vector<std::pair<std::string, std::string>>&) {
  throw Misuse("this pawl was built without the HDF5 library: install libhdf5-dev and build again, or write .mat");
}

void write_sweep_hdf5(const Sweep&, const std::string&) {
  throw Misuse("this pawl was built without the HDF5 library: install libhdf5-dev and build again, or write .npz");
}

}  // namespace pawl
