"""Reads answers of the demo with the generated Python client: each becomes the class that it says it is, and nothing is lost.

    PYTHONPATH=generated/python python3 Tests/Clients/decode.py FOLDER
"""

import json
import sys
from collections import Counter
from pathlib import Path

from cloakroom_client import models

# What the demo can be made to answer; more is welcome.
EXPECTED = {
    "ContinueNode", "FailureNode", "SuccessNode", "Session", "User", "NotRevoked", "Problem", "NameCallback",
    "PasswordCallback", "TextInputCallback", "TextOutputCallback", "ChoiceCallback", "ConfirmationCallback",
    "HiddenValueCallback", "ValidatedCreateUsernameCallback", "ValidatedCreatePasswordCallback", "UnsupportedCallback",
}


def check(name, read, value, seen):
    """Checks one decoded value, and what it holds, against the JSON that it was read from."""
    read = getattr(read, "actual_instance", read)
    if name == "FlowNode":
        name = value["type"].capitalize() + "Node"
    elif name == "Callback":
        name = value["type"]
    if type(read).__name__ != name:
        raise SystemExit(f"a {name} became a {type(read).__name__}: {value}")
    seen[name] += 1
    for callback, part in zip(getattr(read, "callbacks", []), value.get("callbacks", []), strict=True):
        check("Callback", callback, part, seen)
    if "user" in value:
        check("User", read.user, value["user"], seen)
    if "node" in value:
        check("FlowNode", read.node, value["node"], seen)


def trimmed(again, value):
    """What was written again, without the nulls that generated code gives for absent members of any type, `policies`."""
    if isinstance(again, dict) and isinstance(value, dict):
        return {name: trimmed(part, value.get(name)) for name, part in again.items() if part is not None or name in value}
    if isinstance(again, list) and isinstance(value, list) and len(again) == len(value):
        return [trimmed(*pair) for pair in zip(again, value)]
    return again


def main(folder):
    seen = Counter()
    for path in sorted(Path(folder).glob("*.json")):
        name, text = path.name.split(".")[0], path.read_text(encoding="utf-8")
        value = json.loads(text)
        read = getattr(models, name).from_json(text)
        check(name, read, value, seen)
        again = trimmed(json.loads(read.to_json()), value)
        if again != value:
            raise SystemExit(f"{path.name} is another after it was read:\n{json.dumps(again)}\n{text}")
    missing = EXPECTED - set(seen)
    if missing:
        raise SystemExit(f"there was no {', '.join(sorted(missing))}")
    print(f"ok    python: {sum(seen.values())} values of {len(seen)} kinds became the right class")


main(sys.argv[1])
