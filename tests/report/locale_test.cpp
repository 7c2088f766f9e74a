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
    std::locale::global(std::locale::classic());
    fs::remove_all(folder);
  }
  /// Everything that has numbers in it and is not measured.
  std::string all_texts() const {
    const Problem& problem = find_problem("cartesian-pendulum");
    const Result run =
        simulate(problem.system, {.end = 1, .samples = 3, .constraints = {.formulation = "baumgarte(12.5,70.25)"}});
    std::string texts = to_csv(run.table_of_samples(run.quantity_names()));
    texts += print(to_json(run.table_of_samples(run.quantity_names())));
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

TEST_F(HostLocale, OfCDoesNotMatter) {
  const std::string name = "de_DE.UTF-8";
  const std::string make = fmt::format("localedef -i de_DE -f UTF-8 '{}' > /dev/null 2>&1", (folder / name).string());
  const std::string plain = all_texts();
  if (std::setlocale(LC_ALL, name.c_str()) == nullptr) {
    static_cast<void>(std::system(make.c_str()));
    ::setenv("LOCPATH", folder.c_str(), 1);
    if (std::setlocale(LC_ALL, name.c_str()) == nullptr) GTEST_SKIP() << "no locale with a decimal comma here";
  }
  ASSERT_EQ(std::strtod("1,5", nullptr), 1.5);  // it is in force
  EXPECT_EQ(all_texts(), plain);
}

}  // namespace
}  // namespace pawl
