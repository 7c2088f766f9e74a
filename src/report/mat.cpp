#include "report/mat.hpp"

#include <matio.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/whole_file.hpp"

namespace pawl {

namespace {

/// One matrix after the other into a file, column by column.
class Matrices {
 public:
  explicit Matrices(const std::string& place)
      : place_(place), file_(Mat_CreateVer(place.c_str(), nullptr, MAT_FT_MAT4)) {
    if (file_ == nullptr) fail();
  }
  Matrices(const Matrices&) = delete;
  Matrices& operator=(const Matrices&) = delete;
  ~Matrices() {
    if (file_ != nullptr) Mat_Close(file_);
  }
  /// It does not tell of a full disk: whether everything is there is looked at here.
  void finish() {
    const bool is_closed = Mat_Close(std::exchange(file_, nullptr)) == 0;
    std::error_code error;
    if (!is_closed || std::filesystem::file_size(place_, error) != bytes_ || error) fail();
  }

  void add(const char* name, std::size_t rows, std::size_t columns, const std::vector<double>& values) {
    write(name, MAT_C_DOUBLE, MAT_T_DOUBLE, rows, columns, values.data());
  }
  void add(const char* name, std::size_t rows, std::size_t columns, const std::vector<std::int32_t>& values) {
    write(name, MAT_C_INT32, MAT_T_INT32, rows, columns, values.data());
  }
  void add(const char* name, std::size_t rows, std::size_t columns, const std::vector<char>& values) {
    write(name, MAT_C_CHAR, MAT_T_UINT8, rows, columns, values.data());
  }
  /// Texts as columns of equal length.
  void add(const char* name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& one : texts) longest = std::max(longest, one.size());
    std::vector<char> all;
    for (const std::string& one : texts) {
      all.insert(all.end(), one.begin(), one.end());
      all.resize(all.size() + longest - one.size(), ' ');
    }
    add(name, longest, texts.size(), all);
  }

 private:
  void write(const char* name, matio_classes kind, matio_types type, std::size_t rows, std::size_t columns,
             const void* values) {
    std::size_t sizes[] = {rows, columns};
    // It asks for values that may be written, and does not.
    matvar_t* made = Mat_VarCreate(name, kind, type, 2, sizes, const_cast<void*>(values), MAT_F_DONT_COPY_DATA);
    const bool is_written = made != nullptr && Mat_VarWrite(file_, made, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(made);
    if (!is_written) fail();
    constexpr std::size_t head = 5 * sizeof(std::int32_t);  // type, rows, columns, is complex, length of the name
    bytes_ += head + std::strlen(name) + 1 + rows * columns * Mat_SizeOf(type);
  }
  [[noreturn]] void fail() const {
    throw std::runtime_error(fmt::format("matio has not written all of {}: is the disk full?", place_));
  }

  std::string place_;
  mat_t* file_;
  std::uintmax_t bytes_ = 0;
};

}  // namespace

void write_mat(const Table& table, const std::string& path) {
  WholeFile whole(path);
  {
    Matrices file(whole.place());
    // Here the texts are rows: "Atrajectory", "1.1", "", "binTrans", read across.
    const std::string rows[] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    std::vector<char> words;
    for (std::size_t k = 0; k < rows[0].size(); ++k)
      for (const std::string& row : rows) words.push_back(row[k]);
    file.add("Aclass", 4, rows[0].size(), words);

    std::vector<std::string> names = table.names;
    std::replace(names.begin(), names.end(), std::string("t"), std::string("time"));
    file.add("name", names);
    file.add("description", std::vector<std::string>(names.size()));
    std::vector<std::int32_t> places;  // matrix, row in it, linear interpolation, nothing beyond the ends
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::int32_t matrix = names[i] == "time" ? 0 : 2;
      for (const std::int32_t one : {matrix, static_cast<std::int32_t>(i + 1), 0, -1}) places.push_back(one);
    }
    file.add("dataInfo", 4, names.size(), places);
    // Constants: there are none, and the format wants the first and the last time.
    const auto time = std::find(table.names.begin(), table.names.end(), "t");
    std::vector<double> ends{0, 0};
    if (time != table.names.end() && table.rows() > 0) {
      const auto column = static_cast<std::size_t>(time - table.names.begin());
      ends = {table(0, column), table(table.rows() - 1, column)};
    }
    file.add("data_1", 1, 2, ends);
    file.add("data_2", table.columns(), table.rows(), table.values);
    file.finish();
  }
  whole.finish();
}

}  // namespace pawl
