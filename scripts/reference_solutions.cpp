// Reference solutions of the catalogue, computed without pawl: extrapolation in 113-bit arithmetic
// (extrapolation.hpp) at two tolerances. Prints the digits on which both agree.
//
//   g++ -std=gnu++20 -O2 scripts/reference_solutions.cpp -lquadmath -o /tmp/reference && /tmp/reference
#include <cstdio>
#include <string>

#include "extrapolation.hpp"

void report_at(const char* name, const Field& f, const State& start, Number end) {
  const State coarse = solve(f, start, end, 1e-27Q), fine = solve(f, start, end, 1e-30Q);
  Number worst = 0;
  std::printf("%s, t = %.6g\n", name, static_cast<double>(end));
  for (std::size_t i = 0; i < start.size(); ++i) {
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.22Qg", fine[i]);
    std::printf("  %s\n", text);
    const Number gap = fabsq(fine[i] - coarse[i]) / (fabsq(fine[i]) > 1e-3Q ? fabsq(fine[i]) : 1e-3Q);
    if (gap > worst) worst = gap;
  }
  std::printf("  two tolerances agree to %.1e\n", static_cast<double>(worst));
}

/// At the end time of the catalogue, and at a short time that low-order methods reach in few steps.
void report(const char* name, const Field& f, const State& start, Number end) {
  report_at(name, f, start, end);
  report_at(name, f, start, 0.25Q);
}

int main() {
  report(
      "lorenz",
      [](Number, const State& x, State& d) {
        d[0] = 10 * (x[1] - x[0]);
        d[1] = x[0] * (28 - x[2]) - x[1];
        d[2] = x[0] * x[1] - Number(8) / 3 * x[2];
      },
      {1, 1, 1}, 10);

  report(
      "brusselator",
      [](Number, const State& y, State& d) {
        d[0] = 1 + y[0] * y[0] * y[1] - 4 * y[0];
        d[1] = 3 * y[0] - y[0] * y[0] * y[1];
      },
      {Number(3) / 2, 3}, 20);

  report(
      "rigid-body",
      [](Number, const State& y, State& d) {
        const Number I1 = 0.5Q, I2 = 2, I3 = 3;
        d[0] = (I2 - I3) / I1 * y[1] * y[2];
        d[1] = (I3 - I1) / I2 * y[2] * y[0];
        d[2] = (I1 - I2) / I3 * y[0] * y[1];
      },
      {1, 0, 0.9Q}, 20);

  report(
      "arenstorf",
      [](Number, const State& y, State& d) {
        const Number mu = 0.012277471Q, nu = 1 - mu;
        const Number a = (y[0] + mu) * (y[0] + mu) + y[1] * y[1], b = (y[0] - nu) * (y[0] - nu) + y[1] * y[1];
        const Number A = a * sqrtq(a), B = b * sqrtq(b);
        d[0] = y[2];
        d[1] = y[3];
        d[2] = y[0] + 2 * y[3] - nu * (y[0] + mu) / A - mu * (y[0] - nu) / B;
        d[3] = y[1] - 2 * y[2] - nu * y[1] / A - mu * y[1] / B;
      },
      {0.994Q, 0, 0, -2.00158510637908252240537862224Q}, 17.0652165601579625588917206249Q);

  report(
      "pleiades",
      [](Number, const State& s, State& d) {
        for (int i = 0; i < 7; ++i) {
          d[i] = s[14 + i];
          d[7 + i] = s[21 + i];
          d[14 + i] = d[21 + i] = 0;
        }
        for (int i = 0; i < 7; ++i) {
          for (int j = 0; j < 7; ++j) {
            if (j == i) continue;
            const Number dx = s[j] - s[i], dy = s[7 + j] - s[7 + i], r2 = dx * dx + dy * dy, r3 = r2 * sqrtq(r2);
            d[14 + i] += (j + 1) * dx / r3;
            d[21 + i] += (j + 1) * dy / r3;
          }
        }
      },
      {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75Q, -1.5Q, 0, 0, 0, -1.25Q, 1, 0, 0}, 3);
}
