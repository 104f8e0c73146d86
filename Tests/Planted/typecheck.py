"""Whether sources in which some files differ compile, without building them."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# Where SwiftPM writes down how it calls the compiler, and what of that makes the compiler write something.
MANIFEST = ".build/debug.yaml"
WRITING_TO = {"-emit-module-path", "-output-file-map", "-index-store-path", "-emit-objc-header-path"}
WRITING = {
    "-emit-dependencies", "-emit-module", "-incremental", "-c", "-enable-batch-mode", "-serialize-diagnostics",
    "-parseable-output", "-emit-objc-header",
}


def compiler_words(module):
    """How the last debug build called the compiler for a module, without what makes it write files; its sources apart."""
    manifest = open(MANIFEST, encoding="utf-8").read() if os.path.exists(MANIFEST) else ""
    found = re.search(rf'"C\.{module}-[^"]*-debug\.module":.*?\n    args: (\[[^\n]*\])\n', manifest, re.S)
    if not found:
        sys.exit(f"no debug build says how {module} is compiled: swift build comes first")
    words, kept, sources = json.loads(found[1]), [], []
    while words:
        word = words.pop(0)
        if word in WRITING_TO:
            words.pop(0)
        elif word.startswith("@"):
            sources = shlex.split(open(word[1:], encoding="utf-8").read())
        elif word not in WRITING:
            kept.append(word)
    return kept, sources


def type_errors(changed):
    """Has the compiler look at each module that has a changed file, beside the modules as built; gives what it says."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for module in sorted(set(path.split("/")[1] for path in changed)):
            own = {path: text for path, text in changed.items() if path.split("/")[1] == module}
            for path, text in own.items():
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text)
            words, sources = compiler_words(module)
            paths = [os.path.relpath(source) for source in sources]
            files = [path for path in paths if path not in own] + [os.path.join(folder, path) for path in own]
            done = subprocess.run(words + ["-typecheck", *files], capture_output=True, text=True)
            if done.returncode:
                wrong.append((done.stdout + done.stderr).replace(folder + "/", ""))
    return "".join(wrong)
