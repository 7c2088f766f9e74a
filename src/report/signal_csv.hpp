// The course of an input from a file: two columns, time and value, separated by a comma; one heading line is allowed,
// and lines that are empty or begin with # are left out.
#pragma once

#include <string>

#include "pawl/signal.hpp"

namespace pawl {

/// How the points of a file are joined.
enum class Course { polyline, steps, spline };

/// Throws Misuse, with the file and the line, for whatever is not a course.
Signal read_signal(const std::string& path, Course course = Course::polyline);

}  // namespace pawl
