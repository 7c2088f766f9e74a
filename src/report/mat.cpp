#include "report/mat.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace pawl {

namespace {

static_assert(std::endian::native == std::endian::little, "the type of a matrix says: lowest byte first");

/// One matrix after the other: five integers (type, rows, columns, is complex, length of the name), the name, the
/// numbers column by column.
class Matrices {
 public:
  enum Type : std::int32_t { doubles = 0, integers = 20, text = 51 };

  template <class T>
  void add(const char* name, Type type, std::size_t rows, std::size_t columns, const std::vector<T>& values) {
    const auto length = static_cast<std::int32_t>(std::strlen(name) + 1);
    const std::int32_t head[] = {type, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns), 0, length};
    append(head, sizeof head);
    append(name, static_cast<std::size_t>(length));
    append(values.data(), values.size() * sizeof(T));
  }
  /// Texts as columns of equal length.
  void add(const char* name, const std::vector<std::string>& texts, std::size_t least = 1) {
    std::size_t longest = least;
    for (const std::string& one : texts) longest = std::max(longest, one.size());
    std::vector<char> all;
    for (const std::string& one : texts) {
      all.insert(all.end(), one.begin(), one.end());
      all.resize(all.size() + longest - one.size(), ' ');
    }
    add(name, text, longest, texts.size(), all);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }
  std::string bytes_;
};

}  // namespace

std::string to_mat(const Table& table) {
  Matrices file;
  // Here the texts are rows: "Atrajectory", "1.1", "", "binTrans", read across.
  const std::string rows[] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
  std::vector<char> words;
  for (std::size_t k = 0; k < rows[0].size(); ++k)
    for (const std::string& row : rows) words.push_back(row[k]);
  file.add("Aclass", Matrices::text, 4, rows[0].size(), words);

  std::vector<std::string> names = table.names;
  std::replace(names.begin(), names.end(), std::string("t"), std::string("time"));
  file.add("name", names);
  file.add("description", std::vector<std::string>(names.size()));
  std::vector<std::int32_t> places;  // matrix, row in it, linear interpolation, nothing beyond the ends
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::int32_t matrix = names[i] == "time" ? 0 : 2;
    for (const std::int32_t one : {matrix, static_cast<std::int32_t>(i + 1), 0, -1}) places.push_back(one);
  }
  file.add("dataInfo", Matrices::integers, 4, names.size(), places);
  // Constants: there are none, and the format wants the first and the last time.
  const auto time = std::find(table.names.begin(), table.names.end(), "t");
  std::vector<double> ends{0, 0};
  if (time != table.names.end() && table.rows() > 0) {
    const auto column = static_cast<std::size_t>(time - table.names.begin());
    ends = {table(0, column), table(table.rows() - 1, column)};
  }
  file.add("data_1", Matrices::doubles, 1, 2, ends);
  file.add("data_2", Matrices::doubles, table.columns(), table.rows(), table.values);
  return file.take();
}

}  // namespace pawl
