#!/usr/bin/env python3
"""The colours of curves are told apart by everybody: in the light and in the dark, for normal sight and for the three kinds of dichromacy, every two of them differ, and each stands out from what it is drawn on.

Colours are read from web/src/style.css. Dichromacy is simulated by Machado, Oliveira and Fernandes (IEEE Trans. Visualization and Computer Graphics 15 (2009) 1291), severity 1;
differences are CIEDE2000 (Sharma, Wu and Dalal, Color Research and Application 30 (2005) 21), where 2.3 can just be seen; contrast is that of WCAG 2, which asks for 3 of lines.
"""

import itertools
import math
import os
import re
import sys

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "web", "src", "style.css")
LEAST_DIFFERENCE, LEAST_CONTRAST = 10, 3
SIGHT = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    """Red, green and blue light, 0 to 1, of "#rrggbb"."""
    values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def seen(light, sight):
    return [min(1, max(0, sum(m * v for m, v in zip(row, light)))) for row in SIGHT[sight]]


def lab(light):
    r, g, b = light
    xyz = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047, 0.2126729 * r + 0.7151522 * g + 0.0721750 * b, (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other):
    """CIEDE2000 of two colours in CIELAB."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0 for a, b in ((a1, b1), (a2, b2)))
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    if c1 * c2 == 0:
        h = h1 + h2
    else:
        h = (h1 + h2) / 2 if abs(h1 - h2) <= 180 else (h1 + h2 + 360) / 2 if h1 + h2 < 360 else (h1 + h2 - 360) / 2
    cos = lambda degrees: math.cos(math.radians(degrees))
    t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.20 * cos(4 * h - 63)
    rotation = -2 * math.sqrt(c**7 / (c**7 + 25**7)) * math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    sl, sc, sh = 1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2), 1 + 0.045 * c, 1 + 0.015 * c * t
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * (dc / sc) * (dh / sh))


def contrast(one, other):
    light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (light[1] + 0.05) / (light[0] + 0.05)


def faults(curves, surface):
    """Sentences, and the least difference and contrast there are."""
    said, least, weakest = [], math.inf, math.inf
    for sight in SIGHT:
        for (i, one), (k, other) in itertools.combinations(enumerate(curves), 2):
            apart = difference(lab(seen(linear(one), sight)), lab(seen(linear(other), sight)))
            least = min(least, apart)
            if apart < LEAST_DIFFERENCE:
                said.append(f"curves {i} ({one}) and {k} ({other}) differ by {apart:.1f} with {sight} sight")
    for i, one in enumerate(curves):
        weakest = min(weakest, contrast(one, surface))
        if contrast(one, surface) < LEAST_CONTRAST:
            said.append(f"curve {i} ({one}) has a contrast of {contrast(one, surface):.2f} on {surface}")
    return said, least, weakest


def themes():
    """Name, colours of curves and what they are drawn on, for every block of the style that has any."""
    with open(STYLE, encoding="utf-8") as file:
        blocks = re.findall(r"(:root\S*)[^{]*\{([^}]*--curve-0[^}]*)\}", file.read())
    for name, text in blocks:
        yield name, [colour for _, colour in sorted(re.findall(r"--curve-(\d+): (#[0-9a-f]{6})", text))], re.search(r"--surface: (#[0-9a-f]{6})", text).group(1)


def main():
    # Two of the pairs Sharma, Wu and Dalal publish, and what anybody can see.
    assert abs(difference((50, 2.6772, -79.7751), (50, 0, -82.7485)) - 2.0425) < 1e-4
    assert abs(difference((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514)) - 0.9082) < 1e-4
    assert abs(contrast("#000000", "#ffffff") - 21) < 1e-9
    assert faults(["#d62728", "#2ca02c"], "#ffffff")[0], "red and green of equal lightness are not seen to be alike"
    found = list(themes())
    assert len(found) == 3 and found[1][1:] == found[2][1:], "one light theme, and the dark one twice"
    bad = False
    for name, curves, surface in found[:2]:
        said, least, weakest = faults(curves, surface)
        bad = bad or bool(said)
        print("\n".join([f"{len(curves)} curves on {surface}: differ by {least:.1f} at least, contrast {weakest:.2f} at least"] + said))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
