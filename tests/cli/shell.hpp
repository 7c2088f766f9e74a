// The command as a user of a shell meets it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

struct Answer {
  int code;
  std::string out;
};

/// Runs a bash line (without single quotes) in which PAWL is the command; standard error is part of the answer unless
/// sent elsewhere.
inline Answer shell(const std::string& line) {
  const std::string full = "PAWL='" PAWL_COMMAND "' exec bash -c '{ " + line + "; } 2>&1'";
  FILE* pipe = ::popen(full.c_str(), "r");
  Answer answer{-1, {}};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    answer.out.append(buffer.data(), count);
  answer.code = WEXITSTATUS(::pclose(pipe));
  return answer;
}
inline Answer pawl(const std::string& words) {
  return shell("$PAWL " + words);
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

inline std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("pawl-cli-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};
