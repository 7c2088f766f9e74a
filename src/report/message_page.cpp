#include "report/message_page.hpp"

#include <cctype>

#include <fmt/format.h>

#include "pawl/message.hpp"

namespace pawl {

std::string message_page() {
  std::string page =
      "# What a run says\n\n"
      "Every message of a run has a code, the time of the model it refers to, data, and a text made of them:\n"
      "`Result::messages` and `Result::ending` in C++, `messages` and `reason_code` in JSON. A *note* says what was\n"
      "chosen, a *warning* what may not be as wanted while the run goes on, an *ending* why it did not come to its "
      "end.\n"
      "Names in braces are the data; `t` is the time. This page is written by `pawl list --messages`.\n\n"
      "What is wrong before a run begins is no message: it is thrown as `pawl::Misuse` (`pawl.Misuse` in Python; the\n"
      "command ends with exit code 2), with a text that says what cannot be meant and what to try.\n";
  for (const auto level : {Message::Level::note, Message::Level::warning, Message::Level::ending}) {
    page += fmt::format("\n## {}s\n", to_string(level));
    for (const MessageRow& row : message_catalogue()) {
      if (row.level != level) continue;
      page += fmt::format("\n### {}\n\n{} What to do: {}{}\n\n```text\n{}\n```\n", row.name, row.meaning,
                          static_cast<char>(std::tolower(row.response.front())), row.response.substr(1), row.text);
    }
  }
  return page;
}

}  // namespace pawl
