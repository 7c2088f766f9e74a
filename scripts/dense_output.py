#!/usr/bin/env python3
"""Derives the dense outputs that the literature does not give: Fehlberg 4(5), Cash-Karp, Fehlberg 7(8) and
Tsitouras-Papakostas 8(6).

For weights b_i(theta) = sum_k w_ik theta^(k+1) the order conditions are linear in w: for every rooted tree of order r,
    sum_i w_ik Phi_i(tree) = 1/gamma(tree) if k + 1 = r, else 0.
Added are continuity of value and rate at both ends. Among the solutions the one with the least residual in the
conditions of the next order is taken. Where the stages at hand do not reach the wanted order, stages evaluated on the
interpolant of the order below are appended ("bootstrapping": Enright, Jackson, Norsett, Thomsen, ACM TOMS 12 (1986) 193).

Needs mpmath. Prints rows for include/pawl/tableaus/; tests/integrate/tableau_test.cpp verifies them independently.
"""
from fractions import Fraction
from functools import lru_cache

import mpmath
from mpmath import mpf

mpmath.mp.dps = 40
TINY = mpf("1e-20")


@lru_cache(maxsize=None)
def trees(order):
    """All rooted trees of that order, each as the sorted tuple of its branches."""
    found = set()

    def branch(left, parts, largest):
        if left == 0:
            found.add(tuple(sorted(parts)))
        for size in range(min(left, largest), 0, -1):
            for tree in trees(size):
                branch(left - size, parts + [tree], size)

    branch(order - 1, [], order - 1)
    return sorted(found)


def size(tree):
    return 1 + sum(map(size, tree))


def gamma(tree):
    return size(tree) * mpmath.fprod(map(gamma, tree))


def elementary_weights(a, tree):
    weights = [mpf(1)] * len(a)
    for part in tree:
        inner = elementary_weights(a, part)
        weights = [w * mpmath.fdot(row, inner) for w, row in zip(weights, a)]
    return weights


def square(rows):
    return [row + [mpf(0)] * (len(rows) - len(row)) for row in rows]


def eliminate(rows, unknowns):
    """Reduced row echelon form of [matrix | right-hand side]; None if the system is contradictory."""
    pivots = []
    for j in range(unknowns):
        rank = len(pivots)
        if rank == len(rows):
            break
        best = max(range(rank, len(rows)), key=lambda i: abs(rows[i][j]))
        if abs(rows[best][j]) < TINY:
            continue
        rows[rank], rows[best] = rows[best], rows[rank]
        scale = 1 / rows[rank][j]
        rows[rank] = [scale * x for x in rows[rank]]
        for i in range(len(rows)):
            if i != rank and rows[i][j] != 0:
                factor = rows[i][j]
                rows[i] = [x - factor * y if y else x for x, y in zip(rows[i], rows[rank])]
        pivots.append(j)
    contradiction = any(abs(row[unknowns]) > mpf("1e-16") for row in rows[len(pivots):])
    return None if contradiction else pivots


def dense_weights(a, b, end_row, order):
    """w[i][k] of the continuous extension of that order, or None where the stages do not carry one."""
    stages = len(a)
    columns = [(i, k) for i in range(stages) for k in range(1, order)]  # theta^1 is k_0 alone
    rows = []
    for r in range(1, order + 1):
        for tree in trees(r):
            phi = elementary_weights(a, tree)
            for k in range(1, order):
                rows.append([phi[i] if kk == k else mpf(0) for i, kk in columns] + [1 / gamma(tree) if r == k + 1 else mpf(0)])
    for i in range(stages):
        first = 1 if i == 0 else 0
        rows.append([mpf(ii == i) for ii, _ in columns] + [(b[i] if i < len(b) else 0) - first])
        rows.append([mpf(k + 1 if ii == i else 0) for ii, k in columns] + [(1 if i == end_row else 0) - first])
    unknowns = len(columns)
    pivots = eliminate(rows, unknowns)
    if pivots is None:
        return None
    particular = [mpf(0)] * unknowns
    for row, j in enumerate(pivots):
        particular[j] = rows[row][unknowns]
    null_space = []
    for free in (j for j in range(unknowns) if j not in pivots):
        vector = [mpf(0)] * unknowns
        vector[free] = mpf(1)
        for row, j in enumerate(pivots):
            vector[j] = -rows[row][free]
        null_space.append(vector)
    if null_space:
        objective, target = [], []
        for theta in (mpf(n) / 10 for n in (1, 3, 5, 7, 9)):
            for tree in trees(order + 1):
                phi = elementary_weights(a, tree)
                objective.append([phi[i] * theta ** (k + 1) for i, k in columns])
                target.append(theta ** (order + 1) / gamma(tree) - phi[0] * theta)
        for j in range(unknowns):  # and small coefficients where the residual does not decide
            objective.append([mpf("1e-4") * (i == j) for i in range(unknowns)])
            target.append(mpf(0))
        matrix = mpmath.matrix([[mpmath.fdot(row, v) for v in null_space] for row in objective])
        rest = mpmath.matrix([t - mpmath.fdot(row, particular) for row, t in zip(objective, target)])
        for amount, vector in zip(mpmath.lu_solve(matrix.T * matrix, matrix.T * rest), null_space):
            particular = [x + amount * y for x, y in zip(particular, vector)]
    weights = [[mpf(1 if i == 0 else 0)] + [mpf(0)] * (order - 1) for i in range(stages)]
    for (i, k), value in zip(columns, particular):
        weights[i][k] = value
    return weights


def on_interpolant(a, weights, thetas):
    """The table with one more stage per theta, evaluated on the interpolant."""
    rows = [list(row) for row in a]
    rows += [[sum(w * theta ** (k + 1) for k, w in enumerate(stage)) for stage in weights] for theta in map(mpf, thetas)]
    return square(rows)


def step_conditions(a, b, order):
    """What vanishes for a step of that order: its order conditions, and the simplifying assumptions it was built on
    (Butcher: C(2), C(3), C(4) and D(1)), which hold for every row or column that meets them to 16 digits."""
    c = [sum(row) for row in a]
    found = [mpmath.fdot(b, elementary_weights(a, tree)) - 1 / gamma(tree) for r in range(1, order + 1) for tree in trees(r)]
    for q in (2, 3, 4):
        found += [mpmath.fdot(row, [x ** (q - 1) for x in c]) - x ** q / q for row, x in zip(a, c)]
    found += [mpmath.fdot(b, [row[j] for row in a]) - b[j] * (1 - c[j]) for j in range(len(b))]
    return found


def refined(a, b, order):
    """The method nearest to one whose coefficients were published with few digits: Gauss-Newton steps of least norm
    over its nonzero coefficients."""
    a, b = [list(row) for row in a], list(b)
    entries = [(row, j) for row in a + [b] for j in range(len(b)) if row[j] != 0]
    used = [k for k, x in enumerate(step_conditions(a, b, order)) if abs(x) < mpf("1e-16")]
    jacobian = []
    for row, j in entries:  # complex differences: no cancellation
        value = row[j]
        row[j] = value + mpmath.mpc(0, mpf("1e-40"))
        changed = step_conditions(a, b, order)
        jacobian.append([mpmath.im(changed[k]) * mpf("1e40") for k in used])
        row[j] = value
    count = len(entries)
    sizes, directions = mpmath.eigsy(mpmath.matrix([[mpmath.fdot(x, y) for x in jacobian] for y in jacobian]))
    for _ in range(4):
        rest = step_conditions(a, b, order)
        slope = [mpmath.fdot(column, [rest[k] for k in used]) for column in jacobian]
        for n in range(count):
            if sizes[n] > mpf("1e-24") * sizes[count - 1]:
                direction = [directions[i, n] for i in range(count)]
                amount = mpmath.fdot(direction, slope) / sizes[n]
                for (row, j), x in zip(entries, direction):
                    row[j] -= amount * x
    return a, b


def fractions(text):
    return [mpf(Fraction(word).numerator) / Fraction(word).denominator for word in text.split()]


def show(title, a, first_extra, weights):
    print(title)
    for label, rows in (("a", a[first_extra:]), ("dense", weights)):
        for row in rows:
            texts = ["0" if abs(x) < TINY else mpmath.nstr(x, 20) for x in row]
            while texts and texts[-1] == "0":
                texts.pop()
            print("  ", label, "{" + ", ".join(texts) + "},")


FEHLBERG_45 = """
1/4
3/32 9/32
1932/2197 -7200/2197 7296/2197
439/216 -8 3680/513 -845/4104
-8/27 2 -3544/2565 1859/4104 -11/40
16/135 0 6656/12825 28561/56430 -9/50 2/55"""
CASH_KARP = """
1/5
3/40 9/40
3/10 -9/10 6/5
-11/54 5/2 -70/27 35/27
1631/55296 175/512 575/13824 44275/110592 253/4096
37/378 0 250/621 125/594 0 512/1771"""
FEHLBERG_78 = """
2/27
1/36 1/12
1/24 0 1/8
5/12 0 -25/16 25/16
1/20 0 0 1/4 1/5
-25/108 0 0 125/108 -65/27 125/54
31/300 0 0 0 61/225 -2/9 13/900
2 0 0 -53/6 704/45 -107/9 67/90 3
-91/108 0 0 23/108 -976/135 311/54 -19/60 17/6 -1/12
2383/4100 0 0 -341/164 4496/1025 -301/82 2133/4100 45/82 45/164 18/41
3/205 0 0 0 0 -6/41 -3/205 -3/41 3/41 6/41
-1777/4100 0 0 -341/164 4496/1025 -289/82 2193/4100 51/82 33/164 12/41 0 1
0 0 0 0 0 34/105 9/35 9/35 9/280 9/280 0 41/840 41/840"""

TSITOURAS_PAPAKOSTAS_8 = """
9/142
178422123/9178574137 685501333/8224473205
12257/317988 0 12257/105996
2584949729/6554704252 0 -9163901916/6184003973 26222057794/17776421907
4418011/96055225 0 0 2947922107/12687381736 3229973413/17234960414
2875139539/47877267651 0 0 2702377211/24084535832 -135707089/4042230341 299874140/17933325691
-7872176137/5003514694 0 0 -35136108789/26684798878 -114433184681/9760995895 299204996517/32851421233 254/39
-3559950777/7399971898 0 0 -29299291531/4405504148 -42434013379/9366905709 20642871700/5300635453 12951197050/1499985011 59527523/6331620793
-8196723582/10570795981 0 0 -46181454005/5775132776 -196277106011/29179424052 63575135343/11491868333 120535663067/11060780187 195434294/9727139945 -617468037/15757346105
-6373809055/5357779452 0 0 -150772749657/21151088080 -58076657383/6089469394 9252721190/1221566797 132381309631/11748965576 704633904/13813696331 656417033/8185349658 -1669806516/10555289849
-2726346953/6954959789 0 0 24906446731/6359105161 -65277767625/23298960463 39128152317/16028215273 -40638357893/16804059016 -7437361171/21911114743 1040125706/5334949109 -1129865134/5812907645 6253441118/10543852725
438853193/9881496838 0 0 0 0 11093525429/31342013414 481311443/1936695762 -3375294558/10145424253 9830993862/5116981057 -138630849943/50747474617 7152278206/5104393345 5118195927/53798651926"""


def main():
    for title, text in (("Fehlberg 4(5)", FEHLBERG_45), ("Cash-Karp 5(4)", CASH_KARP)):
        rows = [fractions(line) for line in text.split("\n")]
        end_row = len(rows) - 1
        a = square(rows)
        show(title, a, end_row, dense_weights(a, rows[end_row], end_row, 4))
    rows = [fractions(line) for line in FEHLBERG_78.split("\n")]
    end_row = len(rows) - 1
    a = square(rows)
    b = rows[end_row]
    for order, thetas in ((5, ["0.35"]), (6, ["0.3", "0.55", "0.8"])):
        a = on_interpolant(a, dense_weights(a, b, end_row, order), thetas)
    show("Fehlberg 7(8)", a, end_row, dense_weights(a, b, end_row, 7))

    # Its conditions hold to 4e-20, too coarse to tell a dependent condition from a contradiction.
    rows = [fractions(line) for line in TSITOURAS_PAPAKOSTAS_8.split("\n")]
    end_row = len(rows) - 1
    a, b = refined(square(rows)[:end_row], rows[end_row], 8)
    a = square([row[:end_row] for row in a] + [b])
    for order, thetas in ((5, ["0.3"]), (6, ["0.25", "0.4", "0.6"])):
        a = on_interpolant(a, dense_weights(a, b, end_row, order), thetas)
    show("Tsitouras-Papakostas 8(6)", a, end_row, dense_weights(a, b, end_row, 7))


if __name__ == "__main__":
    main()
