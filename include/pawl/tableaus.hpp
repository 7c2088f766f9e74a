// Every Runge-Kutta table of the library. Adding one: a file in tableaus/, a line here and in
// src/integrate/methods.cpp.
#pragma once

#include "pawl/tableaus/bogacki_shampine_3.hpp"
#include "pawl/tableaus/cash_karp.hpp"
#include "pawl/tableaus/classical.hpp"
#include "pawl/tableaus/dop853.hpp"
#include "pawl/tableaus/dormand_prince_5.hpp"
#include "pawl/tableaus/fehlberg_45.hpp"
#include "pawl/tableaus/fehlberg_78.hpp"
#include "pawl/tableaus/tsitouras_5.hpp"
#include "pawl/tableaus/tsitouras_papakostas_8.hpp"
#include "pawl/tableaus/verner_6.hpp"
#include "pawl/tableaus/verner_7.hpp"
#include "pawl/tableaus/verner_9.hpp"

namespace pawl {

template <const auto&... table>
struct TableauList {};

/// In the order in which `pawl methods` shows them.
using Tableaus =
    TableauList<euler, midpoint, heun_2, kutta_3, bogacki_shampine_3, rk4, fehlberg_45, cash_karp, dormand_prince_5,
                tsitouras_5, verner_6, verner_7, fehlberg_78, dop853, tsitouras_papakostas_8, verner_9>;

}  // namespace pawl
