#!/usr/bin/env python3
"""Counts the code for feet, ground, hips and legs: lines without blanks, comments and unit tests, and numeric constants.

    python3 scripts/foot_code.py [CRATES]
"""
import os
import re
import sys

GROUPS = {
    "contacts": [r"/src/contact/"],
    "foot kernel": [r"/src/feet/", r"/src/limb/"],
    "inverse kinematics, ground frame, knee axes": [r"base/src/(ik|ground|bend_axes)\.rs"],
    "blending": [r"(signal|blend)/(contacts|feet|foot_track|ground|hold|legs|toes|travel|filtered_feet)\.rs"],
    "joining": [r"edit/join/"],
    "players": [r"edit/player/"],
    "retargeting": [r"retarget/(foot|hold|level|still|apart)\.rs"],
    "composing": [r"compose/(footwork|stepping)\.rs", r"network/(stepping|ground|flight)\.rs"],
    "segment editing": [r"edit/feet\.rs"],
}
CONSTANT = re.compile(r"(pub(\([a-z]+\))? )?const [A-Z_0-9]+: ?(f32|f64|usize|u32|i32|\[)")


def count(paths):
    lines = constants = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            code = file.read().split("#[cfg(test)]\nmod tests")[0]
        for line in map(str.strip, code.splitlines()):
            lines += bool(line) and not line.startswith("//")
            constants += bool(CONSTANT.match(line))
    return lines, constants


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "crates"
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".rs"))
    total = [0, 0]
    for group, patterns in GROUPS.items():
        found = count(path for path in paths if any(re.search(pattern, path) for pattern in patterns))
        total = [total[0] + found[0], total[1] + found[1]]
        print(f"| {group} | {found[0]} | {found[1]} |")
    print(f"| all | {total[0]} | {total[1]} |")


if __name__ == "__main__":
    main()
