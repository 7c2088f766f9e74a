#include "report/hdf5.hpp"

#include "report/hdf5_handle.hpp"

namespace pawl {

using hdf5::check;
using hdf5::Handle;

std::string to_hdf5(const Table& table, const std::vector<std::pair<std::string, std::string>>& attributes) {
  // In memory: the file is written whole by whoever asks for it.
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "a property");
  check(H5Pset_fapl_core(access, 1U << 20U, false), "in memory");
  const Handle file(H5Fcreate("pawl", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "a file");
  const Handle text(H5Tcopy(H5T_C_S1), H5Tclose, "a type");
  check(H5Tset_size(text, H5T_VARIABLE), "a type");
  check(H5Tset_cset(text, H5T_CSET_UTF8), "a type");
  {
    const hsize_t sizes[] = {table.rows(), table.columns()};
    const Handle space(H5Screate_simple(2, sizes, nullptr), H5Sclose, "a space");
    const Handle data(H5Dcreate2(file, "table", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                      "the table");
    if (!table.values.empty())
      check(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values.data()), "the table");
  }
  {
    const hsize_t count = table.columns();
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "a space");
    const Handle data(H5Dcreate2(file, "names", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                      "the names");
    std::vector<const char*> names;
    for (const std::string& one : table.names) names.push_back(one.c_str());
    if (!names.empty()) check(H5Dwrite(data, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()), "the names");
  }
  for (const auto& [name, value] : attributes) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "a space");
    const Handle attribute(H5Acreate2(file, name.c_str(), text, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                           "an attribute");
    const char* words = value.c_str();
    check(H5Awrite(attribute, text, &words), "an attribute");
  }
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "the file");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) throw std::runtime_error("HDF5 cannot give the file back");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file, bytes.data(), bytes.size()) < 0)
    throw std::runtime_error("HDF5 cannot give the file back");
  return bytes;
}

}  // namespace pawl
