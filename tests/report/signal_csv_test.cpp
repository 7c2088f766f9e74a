#include "report/signal_csv.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "misuse_of.hpp"
#include "pawl/held.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

class SignalCsv : public ::testing::Test {
 protected:
  std::string write(const std::string& text) const {
    std::ofstream(path) << text;
    return path;
  }
  std::string fault(const std::string& text) const {
    std::string words = misuse_of([&] { read_signal(write(text)); });
    return words.starts_with(path) ? words.substr(path.size()) : words;
  }
  void TearDown() override { std::filesystem::remove(path); }

  const std::string path = (std::filesystem::temp_directory_path() / "pawl_signal_test.csv").string();
};

double at(const Signal& signal, double t) {
  return value_of({std::make_shared<const Signal>(signal), signal.piece_at(t, 1)}, t);
}

TEST_F(SignalCsv, ReadsTimesAndValuesWithAHeadingAndRemarks) {
  const std::string file = write("t, u\n# measured\n0, 1\r\n\n2 ,5\n 3,5\n");
  EXPECT_EQ(at(read_signal(file), 1), 3);
  EXPECT_EQ(at(read_signal(file), 2.5), 5);
  EXPECT_EQ(at(read_signal(file), 10), 5);
  EXPECT_EQ(at(read_signal(file, Course::steps), 1.5), 1);
  EXPECT_EQ(at(read_signal(file, Course::spline), 2), 5);
}

TEST_F(SignalCsv, BeginsBehindAByteOrderMark) {
  EXPECT_EQ(at(read_signal(write("\xEF\xBB\xBF"
                                 "0, 1\n2, 5\n")),
               0),
            1);
  EXPECT_EQ(at(read_signal(write("\xEF\xBB\xBF"
                                 "t, u\n0, 1\n2, 5\n")),
               0),
            1);
}

TEST_F(SignalCsv, ReadsQuotedFieldsAsTablesAreWritten) {
  const std::string file = write("t,\"u, \"\"left\"\"\"\n\"0\",1\n2, \"5\" \n");
  EXPECT_EQ(at(read_signal(file), 1), 3);
  EXPECT_EQ(fault("0,\"1,5\"\n1,2\n3,\"1,5\"\n"),
            ", line 3: '3,\"1,5\"' is not a time and a value, separated by a comma");
}

TEST_F(SignalCsv, NamesTheFileAndTheLineOfWhatIsWrong) {
  EXPECT_EQ(fault("0,1\n1;2\n"), ", line 2: '1;2' is not a time and a value, separated by a comma");
  EXPECT_EQ(fault("0,1\n1,2,3\n"), ", line 2: '1,2,3' is not a time and a value, separated by a comma");
  EXPECT_EQ(fault("t,u\n0,1\nx,2\n"), ", line 3: 'x,2' is not a time and a value, separated by a comma");
  EXPECT_EQ(fault("0,1\n0,2\n"), ", line 2: the time 0 is not after 0, the one before");
  EXPECT_EQ(fault("0,inf\n"), ", line 1: '0,inf': both numbers must be finite");
  EXPECT_EQ(fault("t,u\n"), ": there is no point in this file");
  EXPECT_EQ(misuse_of([] { read_signal("no_such_file.csv"); }), "no_such_file.csv: this file cannot be read");
}

}  // namespace
}  // namespace pawl
