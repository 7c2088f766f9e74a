#pragma once

#include "pawl/tableau.hpp"

namespace pawl {

/// Bogacki and Shampine, Applied Mathematics Letters 2 (1989) 321.
inline constexpr Tableau<4, 0, 3> bogacki_shampine_3{
    .name = "bogacki-shampine-3",
    .title = "Bogacki-Shampine 3(2)",
    .source = "Bogacki, Shampine, Appl. Math. Lett. 2 (1989) 321",
    .order = 3,
    .embedded_order = 2,
    .dense_order = 3,
    .c = {0, 1. / 2, 3. / 4, 1},
    .a = {{{}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}}},
    .b = {2. / 9, 1. / 3, 4. / 9, 0},
    .e = {-5. / 72, 1. / 12, 1. / 9, -1. / 8},
    .dense = {{{1, -4. / 3, 5. / 9}, {0, 1, -2. / 3}, {0, 4. / 3, -8. / 9}, {0, -1, 1}}},
};

}  // namespace pawl
