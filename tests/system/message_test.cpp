// The catalogue of messages: a row for every code, texts made of data, nothing written twice.
#include "pawl/message.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(Message, EveryCodeHasOneRowInTheOrderOfTheCodes) {
  std::set<std::string_view> names;
  const auto& rows = message_catalogue();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(MessageCode::stopped_by_user) + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rows[i].code), i) << rows[i].name;
    EXPECT_EQ(&row_of(rows[i].code), &rows[i]);
    EXPECT_TRUE(names.insert(rows[i].name).second) << rows[i].name;
    EXPECT_FALSE(rows[i].meaning.empty() || rows[i].response.empty()) << rows[i].name;
    EXPECT_EQ(rows[i].response.find("s it says"), rows[i].response.npos) << rows[i].name << ": the page says it itself";
  }
}

TEST(Message, IsMadeOfItsRowAndItsData) {
  const Message message = make_message(MessageCode::accumulation, 1.25,
                                       {{"guard", "ball touches ground"},
                                        {"at", 1.5},
                                        {"how", "gaps shrink by 0.5 each"},
                                        {"events", 40LL},
                                        {"advice", "declare what happens there: .at_accumulation(...) on the guard"}});
  EXPECT_EQ(message.level, Message::Level::ending);
  EXPECT_EQ(message.text,
            "t = 1.25: the events of 'ball touches ground' accumulate at t = 1.5 (gaps shrink by 0.5 each; 40 so far, "
            "infinitely many follow).\n"
            "  try:    declare what happens there: .at_accumulation(...) on the guard");
  EXPECT_EQ(std::get<double>(message.data[1].value), 1.5);
}

/// What a text reads: names with a format are numbers, others words.
std::vector<Message::Datum> data_for(std::string_view text) {
  std::vector<Message::Datum> data;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::string inside(text.substr(at + 1, text.find('}', at) - at - 1));
    const std::string name = inside.substr(0, inside.find(':'));
    const bool is_known = std::any_of(data.begin(), data.end(), [&](const auto& one) { return one.name == name; });
    if (name == "t" || is_known) continue;
    data.push_back({name, inside.find(':') == std::string::npos ? Message::Value("words") : Message::Value(2.5)});
  }
  return data;
}

TEST(Message, EveryTextOfTheCatalogueCanBeMade) {
  for (const MessageRow& row : message_catalogue()) {
    SCOPED_TRACE(row.name);
    const std::string text = make_message(row.code, 1.5, data_for(row.text)).text;
    EXPECT_EQ(text.find('{'), text.npos) << text;
    EXPECT_EQ(text.find("words") != text.npos || text.find("2.5") != text.npos || data_for(row.text).empty(), true);
  }
}

TEST(Message, TextOfTheUserIsNotReadAsAFormat) {
  const Message message = make_message(MessageCode::terminated_by_model, 0, {{"why", "{t} and {0} are enough"}});
  EXPECT_EQ(message.text, "t = 0: {t} and {0} are enough");
}

}  // namespace
}  // namespace pawl
