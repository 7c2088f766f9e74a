// The interpreter: runs the instructions of a program with any scalar.
#pragma once

#include <cstdint>

namespace pawl::model {

/// Requires files as large as the program says. What is held was computed before, by the held part of the program: that
/// runs with numbers, and its m is the file h.
template <class T>
void interpret(const std::uint32_t* code, T* m, const double* h, const T* x, T* out);

}  // namespace pawl::model
