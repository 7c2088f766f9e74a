// Lines of a file that is checked while it is read: words, numbers and sections, refused with the number of the line.
#pragma once

#include <istream>
#include <map>
#include <string>
#include <string_view>

#include "pawl/model/file.hpp"

namespace pawl::model {

class LineReader {
 public:
  explicit LineReader(std::istream& in) : in_(in) {}

  [[noreturn]] void refuse(const std::string& why) const;
  void next();
  std::string_view word();
  int integer();
  double number();
  /// Refuses whatever is left of the line.
  void close() const;
  /// The rest of the line as it stands, after one blank; refuses an empty one.
  std::string rest(const char* what);
  /// "name count", on the next line.
  int section(std::string_view name);

 private:
  std::istream& in_;
  std::string text_;
  std::string_view rest_;
  int line_ = 0;
};

/// From 'pawl graph <version>' to 'end'.
GraphFile read_graph(LineReader& lines);
void write_graph(std::string& text, const Graph& graph, const std::vector<int>& outputs);
/// Hexadecimal, so that every bit arrives.
std::string number_text(double value);
/// A name or a file with a line break would be read as something else.
std::string one_line(std::string text);

}  // namespace pawl::model
