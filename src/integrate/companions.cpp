#include "integrate/companions.hpp"

#include <algorithm>

namespace pawl {

Companions::Companions(int size, int count)
    : states(size), start(static_cast<std::size_t>(size + count)), start_rate(start.size()), whole(size + count) {}

void Companions::show(Step& out) const {
  out.t0 = whole.t0;
  out.t1 = whole.t1;
  out.h = whole.h;
  out.span = whole.span;
  out.error = whole.error;
  std::copy_n(whole.start(), states, out.start());
  std::copy_n(whole.end(), states, out.end());
  out.forget_polynomial();
  if (whole.degree() > 0) show_polynomial(out);
}

void Companions::show_polynomial(Step& out) const {
  std::copy_n(whole.coefficients(), static_cast<std::ptrdiff_t>(states) * (whole.degree() + 1),
              out.make_polynomial(whole.degree()));
}

}  // namespace pawl
