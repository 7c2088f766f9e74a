// One object whose type only one source knows in full: a class that holds it can be used without the headers behind it.
// A copy owns a copy.
//
//   class PivotedLu { Own<Eigen::PartialPivLU<Eigen::MatrixXd>> lu_; };      // in a header
//   template class pawl::Own<Eigen::PartialPivLU<Eigen::MatrixXd>>;          // in its source, after own_bodies.hpp
#pragma once

#include <memory>

namespace pawl {

template <class T>
class Own {
 public:
  explicit Own(std::unique_ptr<T> value);
  Own(const Own& other);
  Own(Own&& other) noexcept;
  Own& operator=(const Own& other);
  Own& operator=(Own&& other) noexcept;
  ~Own();

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace pawl
