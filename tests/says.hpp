// Whether a text has all these parts; the failure shows the one it lacks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace pawl::testing {

inline ::testing::AssertionResult says(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (text.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no '" << part << "' in: " << text;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace pawl::testing
