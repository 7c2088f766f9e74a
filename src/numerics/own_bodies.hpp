// What Own does, for the one source that knows T.
#pragma once

#include <utility>

#include "numerics/own.hpp"

namespace pawl {

template <class T>
Own<T>::Own(std::unique_ptr<T> value) : value_(std::move(value)) {}
template <class T>
Own<T>::Own(const Own& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
template <class T>
Own<T>::Own(Own&& other) noexcept = default;
template <class T>
Own<T>& Own<T>::operator=(const Own& other) {
  if (this == &other) return *this;
  if (value_ && other.value_)
    *value_ = *other.value_;
  else
    *this = Own(other);
  return *this;
}
template <class T>
Own<T>& Own<T>::operator=(Own&& other) noexcept = default;
template <class T>
Own<T>::~Own() = default;

}  // namespace pawl
