// The classical rules without an error estimate (Heun's carries Euler's): fixed steps, and the cubic Hermite polynomial
// through both ends as dense output.
#pragma once

#include "pawl/tableau.hpp"

namespace pawl {

inline constexpr auto euler = with_hermite(Tableau<1, 0, 0>{
    .name = "euler",
    .title = "Euler",
    .source = "Euler, Institutionum calculi integralis I (1768)",
    .order = 1,
    .embedded_order = 0,
    .dense_order = 0,
    .b = {1},
});

inline constexpr auto midpoint = with_hermite(Tableau<2, 0, 0>{
    .name = "midpoint",
    .title = "Explicit midpoint",
    .source = "Runge, Math. Ann. 46 (1895) 167",
    .order = 2,
    .embedded_order = 0,
    .dense_order = 0,
    .c = {0, 1. / 2},
    .a = {{{}, {1. / 2}}},
    .b = {0, 1},
});

inline constexpr auto heun_2 = with_hermite(Tableau<2, 0, 0>{
    .name = "heun-2",
    .title = "Heun 2(1)",
    .source = "Heun, Z. Math. Phys. 45 (1900) 23; Euler's rule as the embedded one",
    .order = 2,
    .embedded_order = 1,
    .dense_order = 0,
    .c = {0, 1},
    .a = {{{}, {1}}},
    .b = {1. / 2, 1. / 2},
    .e = {-1. / 2, 1. / 2},
});

/// RK-3 of Compere's Table 3.1.
inline constexpr auto kutta_3 = with_hermite(Tableau<3, 0, 0>{
    .name = "kutta-3",
    .title = "Kutta 3",
    .source = "Kutta, Z. Math. Phys. 46 (1901) 435",
    .order = 3,
    .embedded_order = 0,
    .dense_order = 0,
    .c = {0, 1. / 2, 1},
    .a = {{{}, {1. / 2}, {-1, 2}}},
    .b = {1. / 6, 4. / 6, 1. / 6},
});

inline constexpr auto rk4 = with_hermite(Tableau<4, 0, 0>{
    .name = "rk4",
    .title = "Classical Runge-Kutta 4",
    .source = "Kutta, Z. Math. Phys. 46 (1901) 435",
    .order = 4,
    .embedded_order = 0,
    .dense_order = 0,
    .c = {0, 1. / 2, 1. / 2, 1},
    .a = {{{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}},
    .b = {1. / 6, 1. / 3, 1. / 3, 1. / 6},
});

}  // namespace pawl
