// The processes that make one sweep together: this one alone, or, in pawl-mpi, the ranks that mpirun has started.
#pragma once

#include <string>

namespace pawl::cli {

class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// What rank 0 has, everybody gets.
  virtual void broadcast(std::string& /*bytes*/) {}
  /// Over all; everybody waits for everybody.
  virtual long long sum(long long own) { return own; }

  bool is_first() const { return rank() == 0; }
};

}  // namespace pawl::cli
