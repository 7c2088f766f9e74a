// Numbers are read and written the same whatever the program that uses the library has said about its language.
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/signal_csv.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

/// 1.234,5 in streams.
struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class HostLocale : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / fmt::format("pawl-locale-{}", ::getpid());
    fs::create_directories(folder);
    std::ofstream(folder / "u.csv") << "t,u\n0,1.5\n2.25,-3.125\n";
  }
  void TearDown() override {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
    std::locale::global(std::locale::classic());
    fs::remove_all(folder);
  }
  /// Everything that has numbers in it and is not measured.
  std::string all_texts() const {
    const Problem& problem = find_problem("cartesian-pendulum");
    const Result run =
        simulate(problem.system, {.end = 1, .samples = 3, .constraints = {.formulation = "baumgarte(12.5,70.25)"}});
    std::string texts = to_csv(run.table_of_samples(run.quantity_names()));
    texts += print(nlohmann::ordered_json::object(), run.table_of_samples(run.quantity_names()));
    texts += print(to_json(run)["final"]);
    for (const Message& message : run.messages) texts += message.text + "\n";
    texts += run.statistics.constraints->formulation;
    const Signal signal = read_signal((folder / "u.csv").string());
    texts += print({value_of({std::make_shared<const Signal>(signal), 0}, 1.125)});
    return texts;
  }
  fs::path folder;
};

TEST_F(HostLocale, OfStreamsDoesNotMatter) {
  const std::string plain = all_texts();
  std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
  EXPECT_EQ(fmt::format(std::locale(), "{:L}", 1234.5), "1.234,5");  // it is in force
  EXPECT_EQ(all_texts(), plain);
}

// A locale of our own: none with a decimal comma need be installed, nor the texts it would be made of.
TEST_F(HostLocale, OfCDoesNotMatter) {
  std::ofstream(folder / "comma.locale") << "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                                            "thousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
  std::ofstream letters(folder / "comma.letters");
  letters << "<code_set_name> ANSI_X3.4-1968\n<comment_char> %\n<escape_char> /\nCHARMAP\n";
  for (int c = 32; c < 127; ++c) letters << fmt::format("<U{:04X}> /x{:02x}\n", c, c);
  letters << "END CHARMAP\n";
  letters.close();
  const std::string make =
      fmt::format("cd '{}' && localedef -c -i ./comma.locale -f ./comma.letters ./comma_XX 2> log", folder.string());
  static_cast<void>(std::system(make.c_str()));  // it warns of what is not defined
  const std::string plain = all_texts();
  ::setenv("LOCPATH", folder.c_str(), 1);
  ASSERT_NE(std::setlocale(LC_NUMERIC, "comma_XX"), nullptr);
  ASSERT_EQ(std::strtod("1,5", nullptr), 1.5);  // it is in force
  EXPECT_EQ(all_texts(), plain);
}

}  // namespace
}  // namespace pawl
