// Every message a run can have, as a page in Markdown: docs/messages.md.
#pragma once

#include <string>

namespace pawl {

std::string message_page();

}  // namespace pawl
