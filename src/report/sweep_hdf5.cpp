#include <algorithm>

#include "report/hdf5_handle.hpp"
#include "report/sweep_files.hpp"
#include "report/whole_file.hpp"

namespace pawl {

using hdf5::check;
using hdf5::Handle;

namespace {

void write_words(hid_t file, const char* name, const std::vector<std::string>& words) {
  const Handle text(H5Tcopy(H5T_C_S1), H5Tclose, "a type");
  check(H5Tset_size(text, H5T_VARIABLE), "a type");
  check(H5Tset_cset(text, H5T_CSET_UTF8), "a type");
  const hsize_t count = words.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "a space");
  const Handle data(H5Dcreate2(file, name, text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, name);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  if (!pointers.empty()) check(H5Dwrite(data, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), name);
}

template <class Number>
void write_numbers(hid_t file, const char* name, hid_t stored, hid_t own, const std::vector<Number>& numbers) {
  const hsize_t count = numbers.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "a space");
  const Handle data(H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, name);
  if (count > 0) check(H5Dwrite(data, own, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), name);
}

}  // namespace

void write_sweep_hdf5(const Sweep& sweep, const std::string& path) {
  WholeFile whole(path);
  {
    const Handle file(H5Fcreate(whole.place().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "the file");
    const std::vector<std::string> names = quantity_names(sweep);
    const auto runs = static_cast<hsize_t>(sweep.size());
    const hsize_t sizes[] = {runs, names.size()};
    {
      const Handle space(H5Screate_simple(2, sizes, nullptr), H5Sclose, "a space");
      const Handle data(H5Dcreate2(file, "table", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose, "the table");
      constexpr hsize_t most = 16384;
      std::vector<double> rows;
      for (hsize_t first = 0; first < runs; first += most) {
        const hsize_t count = std::min(most, runs - first);
        rows.assign(count * names.size(), 0.0);
        for (hsize_t i = 0; i < count; ++i) {
          const auto run = static_cast<long long>(first + i);
          double* row = rows.data() + i * names.size();
          sweep.design().values(run, row);
          std::copy_n(sweep.values(run), sweep.columns().size(), row + sweep.parameters().size());
        }
        const hsize_t from[] = {first, 0}, extent[] = {count, names.size()};
        const Handle memory(H5Screate_simple(2, extent, nullptr), H5Sclose, "a space");
        check(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, extent, nullptr), "a part of the table");
        check(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows.data()), "the table");
      }
    }
    write_words(file, "names", names);
    std::vector<unsigned char> outcomes;
    std::vector<long long> failed;
    std::vector<std::string> reasons, words{sweep.model()}, legend;
    for (long long run = 0; run < sweep.size(); ++run) {
      outcomes.push_back(static_cast<unsigned char>(sweep.state(run)));
      if (sweep.state(run) == RunState::missing || has_values(sweep.state(run))) continue;
      failed.push_back(run);
      reasons.push_back(sweep.reason(run));
    }
    for (int state = 0; state <= static_cast<int>(RunState::gave_up); ++state)
      legend.emplace_back(to_string(static_cast<RunState>(state)));
    write_numbers(file, "outcome", H5T_STD_U8LE, H5T_NATIVE_UCHAR, outcomes);
    write_words(file, "outcomes", legend);
    write_numbers(file, "failed", H5T_STD_I64LE, H5T_NATIVE_LLONG, failed);
    write_words(file, "reasons", reasons);
    write_words(file, "model", words);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "the file");
  }
  whole.finish();
}

}  // namespace pawl
