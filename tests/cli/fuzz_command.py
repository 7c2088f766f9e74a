#!/usr/bin/env python3
"""Random runs of the command: problems, parameters, start values, options and hostile values.

    tests/cli/fuzz_command.py build/release/bin/pawl --runs 100000 --jobs 2

Faults: a crash (ended by a signal, or an exit code that is none of the command's), a run that does not hear Ctrl-C
within a few seconds once its limit is over, output that is not the JSON it should be, `finished` with a value that is
not finite, no word about why a run was refused or failed. Exit code 1 where there is one; each is printed with the
line that repeats it. Run number k of a seed is always the same.
"""
import argparse
import concurrent.futures
import json
import math
import random
import shlex
import signal
import subprocess
import sys

HOSTILE = ["0", "-0", "1e-320", "1e-300", "1e300", "1e308", "-1e308", "inf", "-inf", "nan", "1e-16", "-1", "1e16",
           "0x10", "", " ", "1,5", "1e", "--", "name", "9" * 400, "\u221e"]
METHODS = ["auto", "radau", "bdf", "dop853", "rodas5p", "esdirk-5", "adams", "dormand-prince-5", "radau-5", "rodas4",
           "verner-9", "fehlberg-78", "bogacki-shampine-3", "esdirk-3", "sdirk4", "euler", "rk4", "nothing"]
FORMULATIONS = ["acceleration", "baumgarte(10,25)", "penalty(1e6,1e3)", "sliding(10)", "state-space", "index-2",
                "stabilized-index-2", "index-3", "index-1", "overdetermined", "baumgarte(nan,0)", "x("]
STABILIZATIONS = ["projection", "none", "s-full", "s-both", "s-vel", "s-pos", "sweeps", "koenders", "y"]
FINDERS = ["certified", "compere", "compere-quintic", "daspke", "dasrt", "none", "z"]


def a_value(dice, usual):
    """Near what is usual, far from it, or hostile."""
    kind = dice.random()
    if kind < 0.5:
        return repr(usual * dice.uniform(0.2, 3) if usual else dice.uniform(-2, 2))
    if kind < 0.8:
        return repr(dice.choice([-1, 1]) * 10 ** dice.uniform(-20, 20))
    return dice.choice(HOSTILE)


def a_command(dice, catalogue):
    problem = dice.choice(catalogue)
    words = ["run", problem["name"], "--json"]
    span = problem["end"] - problem["start"]
    words += ["--stop", repr(problem["start"] + span * 10 ** dice.uniform(-4, -0.5))]
    if dice.random() < 0.7:
        words += ["--method", dice.choice(METHODS)]
    if dice.random() < 0.7:
        words += ["--rtol", dice.choice(HOSTILE) if dice.random() < 0.1 else repr(10 ** dice.uniform(-13, -1))]
    numbers = dict(problem.get("parameters", {}))
    for _ in range(dice.choice([0, 0, 1, 1, 2, 4])):
        name = dice.choice(list(numbers) + problem["states"] + ["nobody"])
        usual = numbers.get(name, 1.0)
        usual = usual.get("value", 1.0) if isinstance(usual, dict) else usual
        words += ["--set", f"{name}={a_value(dice, float(usual))}"]
    for option, odds, choices in [("--atol", 0.15, None), ("--step", 0.08, None), ("--max-step", 0.08, None),
                                  ("--start", 0.04, None), ("--event-tolerance", 0.05, None), ("--window", 0.04, None),
                                  ("--amplitude", 0.03, None), ("--formulation", 0.12, FORMULATIONS),
                                  ("--stabilization", 0.1, STABILIZATIONS), ("--events", 0.12, FINDERS),
                                  ("--inconsistent", 0.06, ["project", "keep", "refuse", "reach(1)", "reach("]),
                                  ("--linear-solver", 0.06, ["dense", "band", "sparse", "krylov", "q"]),
                                  ("--jacobian", 0.06, ["auto", "differences", "q"]),
                                  ("--fix", 0.04, problem["states"] + ["nobody"]),
                                  ("--max-events", 0.05, ["0", "1", "-1", "10", "1e3", "99999999999999999999"]),
                                  ("--samples", 0.04, ["0", "1", "-1", "1000", "x"])]:
        if dice.random() < odds:
            words += [option, dice.choice(choices) if choices else a_value(dice, span / 100)]
    return [word.replace("\0", "") for word in words]


def not_finite(values, path=""):
    """Names of numbers that are not finite; JSON has none, so they come as null or text."""
    if isinstance(values, dict):
        return [name for key, value in values.items() for name in not_finite(value, f"{path}.{key}")]
    if isinstance(values, list):
        return [name for k, value in enumerate(values) for name in not_finite(value, f"{path}[{k}]")]
    is_number = isinstance(values, (int, float)) and not isinstance(values, bool) and math.isfinite(values)
    return [] if is_number else [path]


def judge(command, words, limit):
    """How the run ended, and what is wrong about that."""
    process = subprocess.Popen([command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    was_cut = False
    try:
        out, error = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        was_cut = True
        process.send_signal(signal.SIGINT)
        try:
            out, error = process.communicate(timeout=max(10.0, limit))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "hung", "does not hear Ctrl-C"
    code = process.returncode
    text, complaint = out.decode(errors="replace"), error.decode(errors="replace")
    if code not in (0, 1, 2, 3):
        return "crashed", f"exit code {code}: {complaint[-300:]}"
    if was_cut:
        return "cut", None
    if code == 2:
        return "refused", None if complaint.strip() else "refused without a word"
    try:
        result = json.loads(text)
    except ValueError as why:
        return "failed", f"no JSON ({why}): {text[:200]!r} {complaint[-200:]!r}"
    if result["outcome"] == "finished":
        wrong = not_finite(result["final"])
        return "finished", f"finished, and not finite: {wrong}" if wrong else None
    return result["outcome"], None if result["reason"] else "no reason is given"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10, help="seconds, then it is interrupted")
    given = parser.parse_args()
    listed = subprocess.run([given.command, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout
    catalogue = json.loads(listed)

    def one(k):
        words = a_command(random.Random(f"{given.seed}/{k}"), catalogue)
        return k, words, *judge(given.command, words, given.limit)

    counts, faults = {}, 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for k, words, ending, fault in pool.map(one, range(given.first, given.first + given.runs)):
            counts[ending] = counts.get(ending, 0) + 1
            if fault:
                faults += 1
                print(f"run {k}: {fault}\n    {shlex.join([given.command, *words])}", flush=True)
    print(f"{given.runs} runs, {faults} faults: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
