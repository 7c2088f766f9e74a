// Aliases: unknowns that are another one, with a sign, or a held value, because an equation says nothing else. Found by
// union-find with signs over the rows that are sums of unknowns; a row that has become short enough by what others have
// said is looked at again, so that the order of rows does not matter.
#pragma once

#include <utility>
#include <vector>

#include "model/incidence.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::model {

class Aliases {
 public:
  /// rank: of two unknowns the one with the higher rank stands for both; of equal ones, the first.
  /// has_rate: unknowns whose rates are read; they are continuous at events, so that no discrete value stands for them.
  Aliases(Graph& graph, const std::vector<int>& rows, const std::vector<int>& rank, std::vector<char> has_rate);

  /// What stands for an unknown: another (or itself) times a sign, or a held node.
  struct Standing {
    int unknown = -1, sign = 1;
    int held = -1;  ///< where it is not -1, its value
  };
  Standing of(int unknown);
  /// Rows that say nothing else; they are used up.
  bool is_used(int row) const { return is_used_[static_cast<std::size_t>(row)] != 0; }
  int count() const { return count_; }

 private:
  struct Term {
    int unknown, sign;
  };
  struct Sum {
    std::vector<Term> terms;
    int rest = -1;  // held; -1: none
  };
  bool collect(int row, Sum& sum);
  void look(int row);
  std::pair<int, int> find(int unknown);  // root, sign
  void join(int a, int b, int sign);
  void wake(int root);
  bool is_discrete_value(int held);

  Graph& graph_;
  const std::vector<int>& rank_;
  Walk walk_;
  std::vector<int> parent_, sign_, held_;
  std::vector<char> has_rate_;             // per root
  std::vector<std::vector<int>> rows_of_;  // per root: the sums that read it
  std::vector<Sum> sums_;
  std::vector<char> is_used_, is_waiting_;
  std::vector<int> waiting_;
  std::vector<std::pair<int, int>> open_;  // nodes with their signs
  int count_ = 0;
};

}  // namespace pawl::model
