#!/usr/bin/env python3
"""Counts the words of tools/language.txt in comments, documents and texts that people read.

Usage: tools/language.py            the table of docs/internals/language.md
       tools/language.py FILE...    the lines of these files that have one
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = [
    line.split(" : ", 1)
    for line in (ROOT / "tools/language.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
# What crates.io, bors and svix write often, and this repository wrote seldom.
WANTED = ["returns?|returned", "quer(?:y|ies|ied)", "fetch(?:es|ed)?", "retr(?:y|ies|ied)", "notif(?:y|ies|ied)"]


def word(pattern):
    return re.compile(rf"(?<![\w'-])(?:{pattern})(?![\w'-])")


def comments():
    """The text of all comments in the Rust files of the program, and how many lines of them and of code there are."""
    text, of_comments, of_code = [], 0, 0
    for path in sorted([*(ROOT / "src").rglob("*.rs"), *(ROOT / "crates").rglob("*.rs")]):
        for line in path.read_text().splitlines():
            comment = re.match(r"\s*//[/!]?(.*)", line)
            if comment:
                of_comments += 1
                text.append(comment[1].lower())
            elif line.strip():
                of_code += 1
    return "\n".join(text), of_comments, of_code


def table():
    text, of_comments, of_code = comments()
    words = len(re.findall(r"[a-z']+", text))
    print(f"Comments in src/ and crates/: {words} words; {of_comments} lines for {of_code} lines of code, {of_comments / of_code:.2f}\n")
    print("| word | per 10,000 words |\n|---|---|")
    for pattern in [rule[0] for rule in RULES] + WANTED:
        count = len(word(pattern).findall(text))
        print(f"| {pattern.replace('|', ', ')} | {count * 10000 / words:.1f} |")


def found(name):
    for number, line in enumerate(Path(name).read_text().splitlines(), 1):
        for pattern, instead in RULES:
            for hit in word(pattern).findall(re.sub(r"`[^`]*`", "``", line).lower()):
                print(f"{name}:{number}: {hit!r}: {instead}: {line.strip()[:140]}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for name in sys.argv[1:]:
            found(name)
    else:
        table()
