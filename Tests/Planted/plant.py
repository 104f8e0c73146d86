"""Plants faults in a copy of the server and runs simulated worlds until each is found: docs/simulation.md, 'It can fail'."""

import argparse
import atexit
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from copies import bring_up_to_date
from typecheck import type_errors

TABLE = "Tests/Planted/faults.txt"
PAGE = "docs/simulation.md"
COPY = ".build-plant/copy"
BUILT = ".build-plant/build"
SWITCH = "CLOAKROOM_PLANTED"

# One file in each module that has a fault: a number that is read once.
SWITCHES = f"""\
internal import Glibc

/// The fault that is switched on in this process.
enum Planted {{
    private static let number = getenv("{SWITCH}").flatMap {{ Int(String(cString: $0)) }} ?? 0
    static func isOn(_ fault: Int) -> Bool {{ number == fault }}
}}
"""


class Place:
    """Lines of a file, and those that take their place."""

    def __init__(self, path):
        self.path, self.old, self.new = path, [], []


class Fault:
    def __init__(self, name, rules, number):
        self.name, self.rules, self.number, self.sentence, self.places = name, rules, number, "", []


def read_table():
    faults = []
    for number, line in enumerate(open(TABLE, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("== "):
            name, _, rules = line[3:].partition(": ")
            faults.append(Fault(name, rules.split(), len(faults) + 1))
        elif line.startswith("@ "):
            faults[-1].places.append(Place(line[2:]))
        elif not line or line.startswith("#"):
            continue
        elif not faults[-1].places:
            faults[-1].sentence = line
        elif line[0] in " -+":
            place = faults[-1].places[-1]
            if line[0] != "+":
                place.old.append(line[1:])
            if line[0] != "-":
                place.new.append(line[1:])
        else:
            sys.exit(f"{TABLE}:{number}: this is neither a fault nor a line of one")
    return faults


def edits(faults):
    """What becomes of each file, as (from, to, text, fault) in its text; ends the program where the table does not fit."""
    files, wrong = {}, []
    for fault in faults:
        for place in fault.places:
            if not os.path.exists(place.path):
                wrong.append(f"{fault.name}: there is no {place.path}")
                continue
            text = open(place.path, encoding="utf-8").read()
            old = "\n".join(place.old)
            new = "\n".join(place.new).replace("PLANTED", f"Planted.isOn({fault.number})")
            found = text.count(old)
            if found != 1:
                wrong.append(f"{fault.name}: in {place.path} this is there {found} times:\n{old}")
                continue
            # Only what differs is taken out, so that faults may be about the same lines.
            start, end = 0, 0
            while start < min(len(old), len(new)) and old[start] == new[start]:
                start += 1
            while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
                end += 1
            at = text.index(old)
            word = new[start : len(new) - end]
            files.setdefault(place.path, []).append((at + start, at + len(old) - end, word, fault))
    for path, changes in files.items():
        changes.sort(key=lambda change: change[:2])
        for one, next_one in zip(changes, changes[1:]):
            if next_one[0] < one[1] or next_one[:2] == one[:2]:
                wrong.append(f"{one[3].name} and {next_one[3].name} are about the same characters of {path}")
    if len(set(fault.name for fault in faults)) < len(faults):
        wrong.append("two faults have the same name")
    if wrong:
        sys.exit("\n".join([f"{TABLE} does not fit the sources:"] + wrong))
    return files


def check(faults):
    """Whether the table fits the sources, and the page the table."""
    edits(faults)
    page = open(PAGE, encoding="utf-8").read().partition("\n## It can fail\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", page, re.M)
    if rows != [(fault.name, fault.sentence) for fault in faults]:
        lacking = sorted(set(fault.name for fault in faults) ^ set(name for name, _ in rows))
        sys.exit(f"{PAGE} has other rows than {TABLE}: {' '.join(lacking) or 'their order, or a sentence'}")


def planted(faults):
    """The text of each file that differs in the copy: all faults at once, each behind its switch."""
    changed = {}
    for path, changes in edits(faults).items():
        text = open(path, encoding="utf-8").read()
        for start, end, word, _ in reversed(changes):
            text = text[:start] + word + text[end:]
        changed[path] = text
        changed[os.path.join(*path.split("/")[:2], "Planted.swift")] = SWITCHES
    return changed


def check_types(faults):
    """Has the compiler look at each module that has a fault, with all of them in it."""
    if wrong := type_errors(planted(faults)):
        sys.exit(wrong + f"{TABLE} does not compile")


def copy(faults):
    """Brings the copy up to date; what has not changed keeps its time, so that little is built."""
    changed = planted(faults)
    bring_up_to_date(COPY, changed, ("Package.swift", "Sources", "Tests", "benchmarks", "examples", "openapi"))


def build():
    words = ["swift", "build", "-c", "release", "--package-path", COPY, "--scratch-path", BUILT, "--product", "Simulation"]
    built = subprocess.run(words, capture_output=True, text=True)
    if built.returncode:
        sys.exit(built.stdout + built.stderr)
    place = subprocess.run(words + ["--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
    # A copy, so that the next build does not change what this one runs.
    program = tempfile.mkdtemp() + "/Simulation"
    atexit.register(shutil.rmtree, os.path.dirname(program))
    return shutil.copy(place + "/Simulation", program)


def run(program, fault, *words):
    """What a run prints, and its status."""
    environment = {**os.environ, SWITCH: str(fault.number if fault else 0)}
    done = subprocess.run([program, *words], capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 1):
        print(done.stdout[-2000:] + done.stderr[-2000:], file=sys.stderr)
    return done.stdout, done.returncode


def findings(text):
    """The rules that were broken."""
    return re.findall(r"^BROKEN ([a-z0-9-]+):", text, re.M)


def find(program, fault, options):
    """Runs worlds until a rule is broken that stands for the fault, and that the same world keeps without it.

    Gives the rules, the worlds and the seconds that it took; no rules when the time was over.
    """
    began, worlds, seed = time.monotonic(), 0, options.start
    while (left := options.seconds - (time.monotonic() - began)) > 0:
        text, status = run(program, fault, "--until-broken", "--from", str(seed), "--seconds", str(int(left) + 1))
        counted = re.search(r"^(\d+) worlds, .* a second, \d+ jobs", text, re.M)
        if status not in (0, 1) or not counted:
            return ["(the program ends)"], worlds, time.monotonic() - began
        worlds += int(counted[1])
        seed += int(counted[1])
        rules = findings(text)
        if not rules:
            break
        own = [rule for rule in rules if rule in fault.rules]
        if own and not findings(run(program, None, "--until-broken", "--from", str(seed - 1), "--count", "1")[0]):
            return own, worlds, time.monotonic() - began
        what = "not by it alone" if own else "which does not stand for it"
        print(f"{fault.name}: seed {seed - 1} breaks {' '.join(rules)}, {what}", file=sys.stderr, flush=True)
    return [], worlds, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(prog="scripts/plant", description=__doc__)
    parser.add_argument("fault", nargs="*", help="the names of those to plant; all unless said")
    parser.add_argument("--check", action="store_true", help="only look whether the table fits the sources and the page")
    parser.add_argument("--types", action="store_true", help="only look whether all faults compile, after a debug build")
    parser.add_argument("--list", action="store_true", help="only print the faults")
    parser.add_argument("--seconds", type=int, default=600, help="how long each may take; 600 unless said")
    parser.add_argument("--from", dest="start", type=int, default=1, help="the first seed; 1 unless said")
    parser.add_argument("--jobs", type=int, default=1, help="how many are tried at a time; 1 unless said")
    options = parser.parse_args()
    faults = read_table()
    if options.list:
        for fault in faults:
            print(f"{fault.name}: {fault.sentence}")
        return
    if options.check:
        return check(faults)
    if options.types:
        return check_types(faults)
    chosen = [fault for fault in faults if not options.fault or fault.name in options.fault]
    unknown = set(options.fault) - set(fault.name for fault in faults)
    if unknown:
        sys.exit(f"{TABLE} has no {' '.join(sorted(unknown))}")
    copy(faults)
    program = build()
    # With none switched on it is the program itself.
    text, _ = run(program, None, "--until-broken", "--from", str(options.start), "--count", "100")
    if findings(text):
        sys.exit("without any fault a rule is broken:\n" + text[-2000:])
    lost = []
    workers = concurrent.futures.ThreadPoolExecutor(options.jobs)
    outcomes = workers.map(lambda fault: find(program, fault, options), chosen)
    print("| Fault | What the server does then | Found by | Worlds | Seconds |\n|---|---|---|---|---|", flush=True)
    for fault, (rules, worlds, seconds) in zip(chosen, outcomes):
        found = " ".join(f"`{rule}`" for rule in rules) or "NOT FOUND"
        print(f"| `{fault.name}` | {fault.sentence} | {found} | {worlds} | {seconds:.0f} |", flush=True)
        if not rules:
            lost.append(fault.name)
    if lost:
        sys.exit(f"not found: {' '.join(lost)}")


main()
