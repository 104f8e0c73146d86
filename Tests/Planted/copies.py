"""Copies of the sources in which some files differ."""

import os
import subprocess

# What is built or made: never copied, and left alone where it lies in a copy.
MADE = (".git", ".build")


def bring_up_to_date(copy, changed, tops=None):
    """Makes a copy of what git lists, with the given text in place of some files.

    A file that stays what it was keeps its time, so that little is built. `tops` names the folders and files of the root
    that are copied; all unless said.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, text=True, check=True
    ).stdout.split("\0")
    contents = {path: text.encode() for path, text in changed.items()}
    for path in listed:
        if path not in contents and os.path.isfile(path) and (tops is None or path.split("/")[0] in tops):
            contents[path] = open(path, "rb").read()
    for path, content in contents.items():
        place = os.path.join(copy, path)
        if not os.path.exists(place) or open(place, "rb").read() != content:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)
        if path not in changed and os.access(path, os.X_OK):
            os.chmod(place, 0o755)
    for folder, folders, names in os.walk(copy):
        folders[:] = [name for name in folders if not name.startswith(MADE)]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, copy) not in contents:
                os.remove(path)
