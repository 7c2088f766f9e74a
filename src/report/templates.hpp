// The pages of reports as web/ builds them (web/README.md), with places for the data of a run or sweep.
#pragma once

#include <string_view>

namespace pawl {

extern const std::string_view report_template, sweep_template;

}  // namespace pawl
