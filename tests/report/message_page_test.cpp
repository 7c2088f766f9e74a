// docs/messages.md is the page that `pawl list --messages` writes.
#include "report/message_page.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(MessagePage, IsTheOneInTheDocs) {
  std::ifstream file(PAWL_DOCS "/messages.md");
  ASSERT_TRUE(file) << "docs/messages.md cannot be read";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), message_page()) << "write it anew: pawl list --messages > docs/messages.md";
}

}  // namespace
}  // namespace pawl
