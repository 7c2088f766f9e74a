// Look: the functions of a model evaluated for the sake of what they touch: with patterns, which take every branch, or
// with numbers, which take the one that a run would take here.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/system.hpp"

namespace pawl::detail {

/// What one function writes into a matrix or a vector: which entries it touches, which of them it assigns instead of
/// adding to them, and which more than once.
struct Writing {
  using Seen = std::vector<std::pair<int, int>>;
  Seen touched;
  std::set<std::pair<int, int>> assigned, assigned_again;
};

class Look {
 public:
  static constexpr int largest_full = 1000;  // states; beyond nobody writes entries by hand

  Look(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t)
      : model_(model), held_(held), start_(start), t_(t), patterns_(start.size()), numbers_{&held} {
    numbers_.multipliers = &multipliers_;
  }
  Look(const Look&) = delete;

  const System::Declarations& model() const { return model_; }
  Point<double> point() const { return point_at(start_); }
  Point<double> point_at(const std::vector<double>& x) const {
    return {t_, x.data(), held_.parameters.data(), &numbers_};
  }
  std::size_t size() const { return start_.size(); }

  /// What the function itself throws is met again by the run, and becomes an outcome there. Throws Misuse for handles
  /// of other systems, for rows that are not there, and for rates where there are none.
  template <class Call>
  void safely(const std::string& owner, const Call& call) const {
    try {
      call();
    } catch (...) {
      pass_on_misuse(owner);
    }
  }

  /// A generic function. assigns_all: every result has to be assigned, in this mode, too.
  void look(const Function& f, int results, const std::string& owner, bool assigns_all, bool may_read_rates = false,
            Pair member = {}) const;
  /// A function that does not take patterns. Rates and multipliers are zero to it.
  void look_with_numbers(const Function& f, int results, const std::string& owner, Pair member = {}) const;
  /// A number of a picture, or whatever else is asked with such a point.
  void ask(const Callback<double(const Point<double>&)>& read, const std::string& owner) const;

  Writing writing_of(const MassFunction& f, const EntryMap& map, const std::string& owner) const;
  Writing writing_of(const MatrixFunction& f, const EntryMap& map, const std::string& owner) const;
  Writing writing_of(const VectorFunction& f, const EntryMap& map, const std::string& owner) const;

  /// Of what was looked at last: multipliers follow from it, and it is evaluated where there are none.
  void refuse_multipliers(const std::string& owner) const;

 private:
  /// Multipliers that nobody needs to know, but whether they were asked for.
  class AnyMultiplier final : public MultiplierSource {
   public:
    double multiplier(const Point<double>&, int) const override {
      is_asked = true;
      return 0;
    }
    mutable bool is_asked = false;
  };

  void pass_on_misuse(const std::string& owner) const;
  void refuse_sliced_coordinate(int state, const std::string& owner) const;
  template <class F>
  Writing writing_into(const F& f, const EntryMap& map, const std::string& owner) const;

  const System::Declarations& model_;
  const Held& held_;
  const std::vector<double>& start_;
  double t_;
  std::vector<Pattern> patterns_;
  AnyMultiplier multipliers_;
  Surroundings<double> numbers_;
};

/// Where a function of matrices or of forces finds the rows of a mechanism, and those of all states.
EntryMap mechanics_map(const System::Declarations& model, bool is_symmetric);
EntryMap state_map(const System::Declarations& model);

std::string numbered(std::string_view what, std::size_t i, std::size_t count);

}  // namespace pawl::detail
