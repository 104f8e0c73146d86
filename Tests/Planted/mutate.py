"""Takes each marked rule out of a copy of the sources, one at a time, and prints whose removal no test noticed."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from copies import bring_up_to_date
from marks import TYPE, read_rules, rewrite
from typecheck import type_errors

FOLDER = ".build-mutate"
OUT, TRACE = "CLOAKROOM_RULE_OUT", "CLOAKROOM_RULES_REACHED"

# The test targets that are nearest to a module. What they do not notice `--wide` shows to all others.
NEAREST = {
    "JOSE": ["JOSETests"],
    "Cryptography": ["CryptographyTests", "StorageTests"],
    "Discovery": ["DiscoveryTests"],
    "OpenIDConnect": ["OpenIDConnectTests"],
    "ResourceServer": ["ResourceServerTests"],
    "JourneyClient": ["JourneyClientTests"],
    "DaVinciClient": ["DaVinciClientTests"],
    "Sessions": ["SessionsTests", "BFFTests"],
    "BFF": ["BFFTests", "BFFAPITests"],
    "SettingsKit": ["CloakroomTests"],
    "ProductKit": ["CloakroomTests"],
    "JourneyProduct": ["BFFTests", "CloakroomTests"],
    "DaVinciProduct": ["BFFTests", "CloakroomTests"],
    "PingCompatibility": ["BFFAPITests", "CloakroomTests"],
    "BFFAPI": ["BFFAPITests"],
    "HTTPCore": ["HTTPCoreTests", "HTTPClientTests"],
    "HTTPServer": ["HTTPServerTests"],
    "HTTPCodec": ["HTTPCodecTests"],
    "HTTPClient": ["HTTPClientTests", "HTTPCodecTests"],
    "StorageKit": ["StorageTests", "SessionsTests", "CloakroomTests"],
    "StorageRedis": ["StorageTests"],
    "StorageSQLite": ["StorageTests"],
    "Cloakroom": ["CloakroomTests"],
}
OTHERS = [
    "OpenIDConnectTests", "ResourceServerTests", "JourneyClientTests", "DaVinciClientTests", "SessionsTests", "BFFTests",
    "BFFAPITests", "ConformanceTests", "CloakroomTests", "SimulatorTests",
]

# One file in each module that has a mark. What a process reaches it notes once in a file, which the processes that it
# starts share with it.
SWITCH = f"""\
internal import Glibc

/// Which marked rule is out in this process, and which were reached.
enum {TYPE} {{
    private static let out = getenv("{OUT}").flatMap {{ Int(String(cString: $0)) }} ?? 0
    private static let trace = getenv("{TRACE}").map {{ open($0, O_WRONLY | O_APPEND | O_CREAT, 0o600) }} ?? -1
    private nonisolated(unsafe) static let noted = {{
        let noted = UnsafeMutablePointer<Bool>.allocate(capacity: 4096)
        noted.initialize(repeating: false, count: 4096)
        return noted
    }}()

    static func holds(_ rule: Int) -> Bool {{
        if trace >= 0, !noted[rule] {{
            noted[rule] = true
            let line = "\\(rule)\\n"
            _ = line.withCString {{ write(trace, $0, line.utf8.count) }}
        }}
        return rule != out
    }}
}}
"""


class Kept:
    """A dictionary in a file: what was found so far, so that a run that ends early goes on where it was."""

    def __init__(self, path):
        self.path, self.lock, self.values = path, threading.Lock(), {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.values = json.load(file)

    def put(self, name, value):
        with self.lock:
            self.values[name] = value
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.values, file, indent=1, ensure_ascii=False)
            os.replace(self.path + ".new", self.path)


def fitting():
    rules = read_rules()
    files, wrong = rewrite(rules)
    if wrong:
        sys.exit("\n".join(["marks do not fit the sources:"] + wrong))
    return rules, files


def switched(rules, files):
    """The files of the copy that differ: all rules behind their switches, and the switches of each module."""
    return files | {f"Sources/{rule.target}/{TYPE}.swift": SWITCH for rule in rules}


def copy(rules, files, place):
    files = switched(rules, files)
    os.makedirs(place, exist_ok=True)
    bring_up_to_date(place, files)


def program(options):
    words = ["swift", "build", "--show-bin-path", "--package-path", options.copy, "--scratch-path", options.scratch]
    place = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    return place + "/cloakroomPackageTests.xctest"


def build(options):
    words = ["swift", "build", "--build-tests", "--package-path", options.copy, "--scratch-path", options.scratch]
    with open(f"{FOLDER}/build.log", "w", encoding="utf-8") as log:
        if subprocess.run(words, stdout=log, stderr=subprocess.STDOUT).returncode:
            sys.exit(f"the copy cannot be built: {FOLDER}/build.log")


class Tests:
    """The tests of the copy: what suites there are, which rules each reaches, and runs of some of them."""

    # The longest that suites may take with a rule out, as a multiple of what they take with it.
    PATIENCE = 4

    def __init__(self, program, options):
        self.program, self.options = program, options
        self.words = [program, "--testing-library", "swift-testing"]
        listed = subprocess.run(self.words + ["--list-tests"], capture_output=True, text=True, check=True).stdout
        self.suites = {}
        for line in listed.splitlines():
            if found := re.match(r"^(\w+)\.(.+)/[^/]*$", line):
                self.suites.setdefault(found[1], []).append(found[1] + "." + found[2])
        self.suites = {target: sorted(set(names)) for target, names in self.suites.items()}
        self.reached = Kept(f"{FOLDER}/reached.json")

    def run(self, suites, switch=0, trace=None, seconds=600, until_failed=True):
        """Runs suites in one process.

        Gives the tests that failed, the first alone when `until_failed`, and the suites that were begun, by the names that
        they have for readers.
        """
        pattern = "^(" + "|".join(re.escape(suite) for suite in suites) + ")/"
        environment = {**os.environ, OUT: str(switch)}
        if trace:
            environment[TRACE] = trace
        process = subprocess.Popen(
            self.words + ["--no-parallel", "--filter", pattern], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace", env=environment, cwd=self.options.copy,
            start_new_session=True)
        late = threading.Event()

        def end():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        timer = threading.Timer(seconds, lambda: (late.set(), end()))
        timer.start()
        failed, shown, last, passed = [], {}, "nothing", False
        try:
            for line in process.stdout:
                # Colours, which depend on the terminal that this is run from.
                line = re.sub(r"\x1b\[[0-9;]*m", "", line)
                if found := re.match(r"^◇ Suite (.+) started\.$", line):
                    shown[found[1].strip('"')] = True
                elif found := re.match(r"^◇ Test (?!case )(.+) started\.$", line):
                    last = found[1]
                elif found := re.match(r"^\S*✘ Test (?!case )(.+?) (?:recorded an issue|with \d+|failed after)", line):
                    if found[1] not in failed and not found[1].startswith("run with"):
                        failed.append(found[1])
                        if until_failed:
                            break
                elif re.match(r"^✔ Test run with [1-9]", line):
                    passed = True
        finally:
            timer.cancel()
            if process.poll() is None:
                # A process that has told everything may still be about to end.
                try:
                    process.wait(2 if passed else 0)
                except subprocess.TimeoutExpired:
                    end()
            process.stdout.close()
            process.wait()
        if late.is_set():
            failed.append(f"{last} (it does not end)")
        elif not passed and not failed:
            failed.append(f"{last} (the process ends)")
        return failed, list(shown)

    def fingerprint(self, suite, rules):
        """What a suite is known by: its target's sources and those of its support, and all rules."""
        target, total = suite.split(".")[0], hashlib.sha256()
        for rule in rules:
            total.update(f"{rule.path} {rule.name}\n".encode())
        for root in (f"Tests/{target}", "Tests/Support"):
            for folder, folders, names in os.walk(os.path.join(self.options.copy, root)):
                folders.sort()
                for name in sorted(names):
                    if name.endswith(".swift"):
                        total.update(open(os.path.join(folder, name), "rb").read())
        return total.hexdigest()

    def look(self, targets, rules):
        """Runs every suite of some targets with all rules in, and notes which rules it reaches and what fails anyway."""
        marks = {target: self.fingerprint(target, rules) for target in targets}
        wanted = [
            suite for target in targets for suite in self.suites.get(target, [])
            if self.reached.values.get(suite, {}).get("mark") != marks[target]
        ]

        def one(suite):
            place = os.path.abspath(f"{FOLDER}/trace-{suite}")
            began = time.monotonic()
            failed, shown = self.run([suite], trace=place, until_failed=False)
            numbers = set()
            if os.path.exists(place):
                numbers = {int(word) for word in open(place).read().split()}
                os.remove(place)
            names = [rule.name for rule in rules if rule.switch in numbers]
            self.reached.put(suite, {
                "mark": marks[suite.split(".")[0]], "seconds": round(time.monotonic() - began, 1), "failed": failed,
                "shown": shown, "rules": names})
            if failed:
                print(f"{suite} fails with every rule in: {'; '.join(failed)}", file=sys.stderr, flush=True)

        if wanted:
            print(f"{len(wanted)} suites are looked at", file=sys.stderr, flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as workers:
            list(workers.map(one, wanted))

    def noticing(self, rule, targets):
        """The first test of some targets that fails without the rule, or nil; and how many suites reached it."""
        known = self.reached.values
        # Small suites first: those that reach few rules are about this one.
        suites = sorted(
            (suite for target in targets for suite in self.suites.get(target, []) if rule.name in known[suite]["rules"]),
            key=lambda suite: (len(known[suite]["rules"]), known[suite]["seconds"]))
        sound = [suite for suite in suites if not known[suite]["failed"]]
        # In pieces, because a process runs them in an order of its own.
        pieces = [sound[:3], sound[3:10]] + [sound[at : at + 15] for at in range(10, len(sound), 15)]
        for piece in pieces:
            if not piece:
                continue
            seconds = 30 + self.PATIENCE * sum(known[suite]["seconds"] for suite in piece)
            failed, _ = self.run(piece, rule.switch, seconds=seconds)
            if not failed:
                continue
            # Once more: a test that fails now and then has noticed nothing.
            again, _ = self.run(piece, rule.switch, seconds=seconds)
            if again:
                return again[0], len(suites)
        return None, len(suites)


def verdict(row):
    if row["noticed"]:
        return row["noticed"].replace("|", "/")
    return "NOT NOTICED" if row["suites"] else "NOT REACHED"


def table(rules, results):
    print("| Rule | Where | Noticed by |\n|---|---|---|")
    for rule in rules:
        if row := results.values.get(rule.name):
            print(f"| {rule.name} | `{rule.path.removeprefix('Sources/')}` | {verdict(row)} |")


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("words", nargs="*", help="of names or files of rules; all rules unless said")
    parser.add_argument("--check", action="store_true", help="only look whether the marks fit the sources")
    parser.add_argument("--types", action="store_true", help="only look whether all switches compile, after a debug build")
    parser.add_argument("--list", action="store_true", help="only print the rules")
    parser.add_argument("--table", action="store_true", help="only print what is known from runs before")
    parser.add_argument("--wide", action="store_true", help="also try all other test targets")
    parser.add_argument("--again", action="store_true", help="also try rules whose removal was noticed before")
    parser.add_argument("--built", action="store_true", help="run the copy as it was built last, whatever has changed since")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes run at a time; 1 unless said")
    parser.add_argument("--copy", default=f"{FOLDER}/copy", help=f"where the copy lies; {FOLDER}/copy unless said")
    parser.add_argument("--scratch", default=f"{FOLDER}/build", help=f"where it is built; {FOLDER}/build unless said")
    options = parser.parse_args()
    options.copy, options.scratch = os.path.abspath(options.copy), os.path.abspath(options.scratch)
    rules, files = fitting()
    if missing := sorted({rule.target for rule in rules} - NEAREST.keys()):
        sys.exit(f"NEAREST names no tests for the rules of {', '.join(missing)}")
    if options.check:
        return
    if options.types:
        if wrong := type_errors(switched(rules, files)):
            sys.exit(wrong + "marks of rules do not compile")
        return
    if options.built:
        # The marks are in the copy as well, and by their order there its switches are numbered.
        rules = read_rules(options.copy)
    chosen = [
        rule for rule in rules
        if not options.words or any(word in rule.name or word in rule.path for word in options.words)
    ]
    if options.list:
        for rule in chosen:
            print(f"{rule.place}: {rule.name}")
        return
    os.makedirs(FOLDER, exist_ok=True)
    results = Kept(f"{FOLDER}/results.json")
    if options.table:
        return table(chosen, results)
    if not options.built:
        copy(rules, files, options.copy)
        build(options)
    tests = Tests(program(options), options)

    def one(rule, targets):
        noticed, suites = tests.noticing(rule, targets)
        results.put(rule.name, {"path": rule.path, "noticed": noticed, "suites": suites})
        word = f"noticed by {noticed}" if noticed else f"NOT NOTICED by {suites} suites"
        print(f"{rule.target}: {rule.name}: {word}", flush=True)

    def left():
        return [rule for rule in chosen if not results.values.get(rule.name, {}).get("noticed")]

    tried = chosen if options.again else left()
    for far in [False, True] if options.wide else [False]:
        if far:
            tried = [rule for rule in tried if rule in left()]
        needed = {}
        for rule in tried:
            near = NEAREST.get(rule.target, [])
            needed[rule.name] = [target for target in OTHERS if target not in near] if far else near
        tests.look(sorted({target for targets in needed.values() for target in targets}), rules)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
            list(workers.map(lambda rule: one(rule, needed[rule.name]), tried))
    lost = [rule for rule in tried if rule in left()]
    print(f"\n{len(rules)} rules are marked, {len(tried)} were tried, {len(lost)} removals were not noticed")
    for rule in lost:
        row = results.values[rule.name]
        print(f"{verdict(row)}: {rule.place}: {rule.name}")
    sys.exit(1 if lost else 0)


main()
