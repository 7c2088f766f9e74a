// What a suite writes: tables row by row, paragraphs between them, and what has to hold. Printed as Markdown while they
// come, or as one JSON object at the end, from which the same pages can be written later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pawl::bench {

/// A printed number and ours.
struct Comparison {
  enum class Kind { same_digits, last_digit, rounding, both_blow_up, only_ours, only_theirs, factor };
  Kind kind;
  double factor = 1;  ///< ours over theirs

  bool agrees() const { return kind <= Kind::both_blow_up; }
  /// Or differs by this factor at most, in either direction.
  bool agrees_within(double most) const;
  /// "same digits", "last digit", "rounding", "both blow up", "factor 1.7".
  std::string words() const;
};

/// Same digits where ours rounds to the printed one, last digit where it is one unit of the last digit off, rounding
/// where both are below `floor`. "*" is a blow-up in print, a number that is not finite one of ours.
Comparison compare(std::string_view printed, double ours, double floor = 0);

class Report {
 public:
  explicit Report(bool is_json) : is_json_(is_json) {}

  /// name: in JSON; title: the heading, empty for none; text: the paragraph above the table, empty for none.
  void begin(std::string name, std::string title, std::string text, std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  /// A paragraph of its own.
  void note(std::string text);

  /// What has to hold, of the table at hand. It is listed as a fault where it does not.
  void expect(bool holds, const std::string& what);
  /// The comparison in words; a fault where they differ, or differ by more than the factor.
  std::string same(const std::string& what, std::string_view printed, double ours, double floor = 0);
  std::string within(double factor, const std::string& what, std::string_view printed, double ours, double floor = 0);

  const std::vector<std::string>& faults() const { return faults_; }
  /// How many things had to hold.
  int expectations() const { return expectations_; }
  /// The faults, and in JSON everything.
  void finish();

 private:
  struct Part {  // a table, or a note where there are no columns
    std::string name, title, text;
    std::vector<std::string> columns = {};
    std::vector<std::vector<std::string>> rows = {};
  };
  bool is_json_;
  bool is_first_ = true;
  std::vector<Part> parts_;
  std::vector<std::string> faults_;
  int expectations_ = 0;
};

/// Markdown of what Report::finish printed as JSON.
std::string page_of(const nlohmann::ordered_json& report);

}  // namespace pawl::bench
