"""Marks of rules in the sources, and what becomes of the line below one when its rule can be switched off: docs/mutation.md."""

import os
import re

MARK = re.compile(r"^\s*// rule: (.+)$")
TYPE = "RuleSwitch"


class Misfit(Exception):
    """A mark that does not fit the line below it."""


class Rule:
    """A marked line of a file; its path is from the root of the tree."""

    def __init__(self, path, number, text):
        self.path, self.line = path, number
        name, _, without = text.partition(" | ")
        self.name, self.without = name.strip(), without.strip()
        self.target = path.split("/")[1]
        # What the copy knows it by; its place in the list of all rules, from 1.
        self.switch = 0

    @property
    def place(self):
        return f"{self.path}:{self.line + 1}"


def read_rules(tree="."):
    """The rules of a tree, in the order of their files."""
    rules = []
    for folder, folders, names in os.walk(os.path.join(tree, "Sources")):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".swift"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        if found := MARK.match(line):
                            rules.append(Rule(os.path.relpath(path, tree), number, found[1]))
    for number, rule in enumerate(rules, 1):
        rule.switch = number
    return rules


def outside(text):
    """The places of a text that lie in no string and no bracket; the end is one."""
    depth, at = 0, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                raise Misfit("a bracket ends here that began on another line")
        elif depth == 0:
            yield at
        if char in "([{":
            depth += 1
        at += 1
    if depth:
        raise Misfit("a bracket stays open at the end of the line")
    yield len(text)


def clauses(text):
    """The conditions of a list, at its commas."""
    parts, start = [], 0
    for at in outside(text):
        if at == len(text) or text[at] == ",":
            parts.append(text[start:at])
            start = at + 1
    return parts


def ended(text):
    """Conditions, and what follows on their line: the body, or what opens it."""
    try:
        for at in outside(text):
            if re.match(r" else \{| else$| \{", text[at:]):
                return text[:at], text[at:]
    except Misfit:
        # The body goes on in the next line.
        if found := re.search(r"( else)? \{$", text):
            return text[: found.start()], found[0]
        raise
    return (text[:-1], ",") if text.endswith(",") else (text, "")


def either(rule, with_it, without):
    return f"({TYPE}.holds({rule.switch}) ? ({with_it}) : {without})"


def held(rule, text, without="true"):
    """Conditions, each with another value without the rule; bindings stay."""
    parts, done = clauses(text), False
    for index, part in enumerate(parts):
        if part.strip() and not re.match(r"\s*(let|var|case) ", part):
            lead = part[: len(part) - len(part.lstrip())]
            parts[index] = lead + either(rule, part.strip(), without)
            done = True
    if not done:
        raise Misfit("there are bindings alone, and these cannot be switched off")
    return ",".join(parts)


def of_conditions(rule, line):
    """A line of a guard, or of an if or while whose mark says what its conditions are without the rule."""
    found = re.match(r"^(\s*(?:guard |if |while |\} else if )?)(.*)$", line)
    conditions, rest = ended(found[2])
    return found[1] + held(rule, conditions, rule.without or "true") + rest


def is_in_guard(lines, index):
    """True if the condition in this line belongs to a guard, false if to an if or while; None for anything else."""
    for line in reversed(lines[:index]):
        if re.match(r"^\s*//", line):
            continue
        if not line.endswith(",") and not re.match(r"^\s*(&&|\|\|)", lines[index + 1]):
            return None
        if re.match(r"^\s*guard\b", line):
            return True
        if re.match(r"^\s*(\} else )?(if|while)\b", line):
            return False
    return None


def rewritten(rule, lines):
    """The line below a mark, with the rule behind its switch.

    `lines` are those of the file, the mark at `rule.line`, counted from 1.
    """
    if rule.line >= len(lines):
        raise Misfit("nothing follows")
    line, holds = lines[rule.line], f"{TYPE}.holds({rule.switch})"
    following = lines[rule.line + 1].strip() if rule.line + 1 < len(lines) else ""
    if re.match(r"^\s*(guard|if|while|\} else if)$", line):
        raise Misfit("its conditions begin in the next line")
    inside = is_in_guard(lines, rule.line - 1)
    if re.match(r"^\s*guard\b", line):
        return of_conditions(rule, line)
    if rule.without:
        if inside is not None or re.match(r"^\s*(if|while|\} else if)\b", line):
            return of_conditions(rule, line)
        return expression(rule, line, following)
    if found := re.match(r"^(\s*(?:(?:\} else )?if|while) )(.*)$", line):
        return f"{found[1]}{holds}, {found[2]}"
    if found := re.match(r"^(\s*case .* where )(.*)(:.*)$", line):
        return f"{found[1]}{holds} && ({found[2]}){found[3]}"
    if found := re.match(r"^(\s*)(&&|\|\|) (.*)$", line):
        condition, rest = ended(found[3])
        without = "true" if found[2] == "&&" else "false"
        return f"{found[1]}{found[2]} {either(rule, condition, without)}{rest}"
    if inside is True:
        return of_conditions(rule, line)
    if inside is False:
        found = re.match(r"^(\s*)(.*)$", line)
        return f"{found[1]}{holds}, {found[2]}"
    if re.match(r"^\s*(return|throw|let|var|case|default|func|static|private|package|public)\b", line):
        raise Misfit("it needs ' | ' and what stands there without the rule")
    is_cut = re.match(r"^\s*for\b", line) and not line.endswith("}")
    if is_cut or following.startswith((".", "&&", "||", "?")):
        raise Misfit("the statement goes on in the next line")
    found = re.match(r"^(\s*)(.*)$", line)
    if len(clauses(found[2])) != 1:
        raise Misfit("this is no statement")
    return f"{found[1]}if {holds} {{ {found[2]} }}"


def expression(rule, line, following):
    """A returned value, an initial value or a body of one expression, with another one in its place without the rule."""
    if following.startswith((".", "&&", "||", "?", "+")):
        raise Misfit("the expression goes on in the next line")
    found = re.match(r"^(\s*(?:return |(?:(?:private|package|public|static|fileprivate|internal) )*(?:let|var) [^=]*= |[\w.]+ = )?)(.*)$", line)
    clauses(found[2])
    return found[1] + either(rule, found[2], f"({rule.without})")


def rewrite(rules):
    """The text of each file that has marks, every rule behind its switch, and what does not fit."""
    files, wrong, names = {}, [], {}
    for rule in rules:
        if rule.name in names:
            wrong.append(f"{rule.place}: {names[rule.name].place} has the name '{rule.name}' as well")
        names[rule.name] = rule
        if rule.path not in files:
            with open(rule.path, encoding="utf-8") as file:
                files[rule.path] = file.read().split("\n")
    original = {path: list(lines) for path, lines in files.items()}
    for rule in rules:
        try:
            files[rule.path][rule.line] = rewritten(rule, original[rule.path])
        except Misfit as misfit:
            line = original[rule.path][rule.line].strip() if rule.line < len(original[rule.path]) else ""
            wrong.append(f"{rule.place}: '{rule.name}' does not fit the line below it: {misfit}\n    {line}")
    return {path: "\n".join(lines) for path, lines in files.items()}, wrong
