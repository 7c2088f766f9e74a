#include "cli/pawl_command.hpp"

int main(int count, char** words) {
  return pawl::cli::pawl_command(count, words);
}
