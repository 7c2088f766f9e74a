#include "integrate/rosenbrock_tables.hpp"

#include <cmath>
#include <cstddef>

namespace pawl {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Weight of u_j in θ (1 - θ) (p_1 + θ p_2 + θ² p_3).
double dense_value(const RosenbrockTable& table, double theta, int j) {
  double sum = 0;
  for (int m = table.dense_rows; m >= 1; --m) sum = (sum + table.dense_weight(m, j)) * theta;
  return sum * (1 - theta);
}

// 0 = t^k - z from t = 0 with h = 1 has u_i = c_i^k - Σ a_ij u_j: the first k that the dense output misses, where, and
// by which weights the stages (besides the rise) make up value and slope there.
RosenbrockTable::Inside find_inside(const RosenbrockTable& table) {
  constexpr int parts = 64;
  RosenbrockTable::Inside inside;
  double worst = 0;
  RosenbrockTable::Row u{};
  for (int k = 1; worst < 1e-6; ++k) {
    inside.order = k;
    for (int i = 0; i < table.stages; ++i) {
      u[at(i)] = std::pow(table.c[at(i)], k) + (k == 1 ? table.d[at(i)] : 0);
      for (int j = 0; j < i; ++j) u[at(i)] -= table.a[at(i)][at(j)] * u[at(j)];
    }
    for (int part = 1; part < parts; ++part) {
      const double theta = static_cast<double>(part) / parts;
      double value = theta;
      for (int j = 0; j < table.stages; ++j) value += dense_value(table, theta, j) * u[at(j)];
      const double gap = std::abs(value - std::pow(theta, k));
      if (gap <= worst) continue;
      worst = gap;
      inside.theta = theta;
    }
  }
  for (int j = 0; j < table.stages; ++j) {
    inside.value[at(j)] = dense_value(table, inside.theta, j);
    double power = 1;
    for (int m = 1; m <= table.dense_rows; ++m) {
      inside.slope[at(j)] += table.dense_weight(m, j) * power * (m - (m + 1) * inside.theta);
      power *= inside.theta;
    }
  }
  return inside;
}

/// Stages from `first` (counted from 0) on sit at the end of the step; all but the first of them add the stage before.
RosenbrockTable stiffly_accurate(RosenbrockTable table, std::size_t first) {
  for (std::size_t i = first; i < static_cast<std::size_t>(table.stages); ++i) {
    table.c[i] = 1;
    if (i == first) continue;
    table.a[i] = table.a[i - 1];
    table.a[i][i - 1] = 1;
  }
  table.inside = find_inside(table);
  return table;
}

const RosenbrockTable rodas4{
    .name = "rodas4",
    .title = "RODAS4, Rosenbrock 4(3)",
    .source = "Hairer, Wanner, Solving Ordinary Differential Equations II (1996), section VI.4",
    .order = 4,
    .embedded_order = 3,
    .dense_order = 3,
    .stages = 6,
    .dense_rows = 2,
    .gamma = 0.25,
    .c = {0, 0.386, 0.21, 0.63},
    .d = {0.25, -0.1043, 0.1035, -0.0362},
    .a = {{{},
           {1.544},
           {0.9466785280815826, 0.2557011698983284},
           {3.314825187068521, 2.896124015972201, 0.9986419139977817},
           {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950}}},
    .C = {{{},
           {-5.6688},
           {-2.430093356833875, -0.2063599157091915},
           {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
           {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
           {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}}},
    .dense = {{{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662},
               {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872}}},
};

const RosenbrockTable rodas5p{
    .name = "rodas5p",
    .title = "Rodas5P, Rosenbrock 5(4)",
    .source = "Steinebach, BIT Numer. Math. 63 (2023) 27",
    .order = 5,
    .embedded_order = 4,
    .dense_order = 4,
    .stages = 8,
    .dense_rows = 3,
    .gamma = 0.21193756319429014,
    .c = {0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664},
    .d = {0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069},
    .a = {{{},
           {3},
           {2.849394379747939, 0.45842242204463923},
           {-6.954028509809101, 2.489845061869568, -10.358996098473584},
           {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
           {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946}}},
    .C = {{{},
           {-14.155112264123755},
           {-17.97296035885952, -2.859693295451294},
           {147.12150275711716, -1.41221402718213, 71.68940251302358},
           {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
           {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
           {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
            -28.087943162872662},
           {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
            -54.66780262877968, -9.48861652309627}}},
    .dense = {{{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
                1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
               {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
                15.98066361424651, -6.789040303419874, -6.710236069923372},
               {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
                -59.78993625266729, -0.15582684282751913, 4.883087185713722}}},
};

}  // namespace

const std::vector<RosenbrockTable>& rosenbrock_tables() {
  static const std::vector<RosenbrockTable> tables{stiffly_accurate(rodas4, 4), stiffly_accurate(rodas5p, 5)};
  return tables;
}

}  // namespace pawl
