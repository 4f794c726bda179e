"""Tables of rows for two binaries: text, Markdown and JSON."""
import datetime
import json
import os
import platform
import re
from collections import Counter

import numpy as np

WORSE = 0.10  # relative difference that counts, if it is also over the measure's floor
UNITS = {"_M_S": " m/s", "_DEG": "°", "_MM": " mm", "_S": " s", "_M": " m"}  # by the end of a constant's name
WORST_LISTED = 40  # cases in a list of the Markdown page; the JSON has all


def statistics(values, better):
    """mean, median, 90 %, 99 %, worst; the bad tail is the upper one unless more is better."""
    values = np.array(values, float)
    sign = -1.0 if better == "high" else 1.0
    quantiles = sign * np.quantile(sign * values, [0.5, 0.9, 0.99, 1.0])
    return [float(values.mean()), *map(float, quantiles)]


def number(value):
    if value == 0:
        return "0"
    size = abs(value)
    return f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.3f}" if size >= 0.0005 else f"{value:.1e}"


def is_worse(measure, old, new):
    if measure.better is None:
        return False
    loss = (new - old) if measure.better == "low" else (old - new)
    return loss > max(WORSE * abs(old), measure.floor)


def description(table):
    """The table's definitions, with values instead of the names of constants."""

    def value(match):
        name = match.group()
        if not hasattr(table, name):
            return name
        unit = next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
        return f"{getattr(table, name)}{unit}"

    return re.sub(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", value, " ".join(table.__doc__.split()))


def compare(table, rows):
    """Lines of Markdown for one table, and the list of cases in which NEW is worse."""
    refused = [Counter(pair[i]["status"] for pair in rows if pair[i]["status"] != "ok") for i in (0, 1)]
    lines = [f"## {table.TITLE}", "", description(table), ""]
    words = lambda count: ", ".join(f"{n} {kind}" for kind, n in sorted(count.items())) or "none"
    lines += [f"{len(rows)} cases. Without result: reference {words(refused[0])}; new {words(refused[1])}.", ""]
    lines += ["| measure | cases | mean | median | 90 % | 99 % | worst | worst case (new) |", "|---|---|---|---|---|---|---|---|"]
    for name, measure in table.MEASURES.items():
        cells, worst = [], ""
        columns = [[(pair[i]["values"][name], pair[i]["case"]) for pair in rows if name in pair[i]["values"]] for i in (0, 1)]
        if not columns[0] and not columns[1]:
            continue
        stats = [statistics([value for value, _ in column], measure.better) if column else None for column in columns]
        for k in range(5):
            cells.append(" → ".join(number(s[k]) if s else "–" for s in stats))
        if columns[1] and stats[1][-1] != 0:
            worst = (min if measure.better == "high" else max)(columns[1])[1]
        unit = f", {measure.unit}" if measure.unit else ""
        lines.append(f"| {name}{unit} | {' → '.join(str(len(c)) for c in columns)} | {' | '.join(cells)} | {worst} |")
    if hasattr(table, "summary"):
        old, new = (table.summary([pair[i] for pair in rows]) for i in (0, 1))
        lines += ["", "| | reference | new |", "|---|---|---|"]
        lines += [f"| {label} | {old.get(label, '–')} | {new.get(label, '–')} |" for label in {**old, **new}]
    worse = []
    for old, new in rows:
        if old["status"] == "ok" and new["status"] != "ok":
            worse.append({"case": old["case"], "measure": "result", "reference": "ok", "new": f"{new['status']}: {new['message']}"})
        for name, measure in table.MEASURES.items():
            if measure.better and name in old["values"] and name not in new["values"] and new["status"] == "ok":
                worse.append({"case": old["case"], "measure": name, "reference": old["values"][name], "new": "not measurable"})
            if name in old["values"] and name in new["values"] and is_worse(measure, old["values"][name], new["values"][name]):
                worse.append({"case": old["case"], "measure": name, "reference": old["values"][name], "new": new["values"][name]})
    gained = [old["case"] for old, new in rows if old["status"] != "ok" and new["status"] == "ok"]
    cases = len({entry["case"] for entry in worse})
    lines += ["", f"New is worse by more than {100 * WORSE:.0f} % in {len(worse)} measures of {cases} cases. Cases with a result only in new: {len(gained)}.", ""]
    if worse:
        show = lambda value: value if isinstance(value, str) else number(value)
        lines += ["| case | measure | reference | new |", "|---|---|---|---|"]
        lines += [f"| {w['case']} | {w['measure']} | {show(w['reference'])} | {show(w['new'])} |" for w in worse[:WORST_LISTED]]
        lines += [f"| … {len(worse) - WORST_LISTED} more in the JSON file | | | |"] if len(worse) > WORST_LISTED else []
        lines.append("")
    reasons = [Counter(f"{pair[i]['status']}: {pair[i]['message'][:110]}" for pair in rows if pair[i]["status"] != "ok").most_common(5) for i in (0, 1)]
    for label, own in zip(("reference", "new"), reasons):
        if own:
            lines += [f"Most frequent reasons without result, {label}:", ""] + [f"- {n} × {text}" for text, n in own] + [""]
    return lines, worse


def machine():
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}, numpy {np.__version__}"


def write_page(path, command, data, binaries, sections, seconds):
    lines = ["# Quality of motions over ground", ""]
    lines += [f"`{command}`. Data: {data}. {datetime.date.today():%d %B %Y}. {machine()}. Written by the command; do not edit.", ""]
    lines += [f"Reference: {binaries[0]}. New: {binaries[1]}. Processor time: reference {seconds[0]:.0f} s, new {seconds[1]:.0f} s, measuring {seconds[2]:.0f} s.", ""]
    lines += ["Every value is measured on the written files by `scripts/quality.py`. Cells read reference → new. A case counts as worse if a measure is worse by more than", "10 % and by more than the measure's floor."]
    for section in sections:
        lines += ["", *section]
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def write_json(path, tables):
    with open(path, "w") as file:
        json.dump(tables, file, indent=1)


def write_split(path, halves):
    """The halves of the archive."""
    lines = ["# Halves of the archive", "", "Subjects of the archive are split into a tuning and a reporting half by `half_of` in `scripts/quality/clips.py`: groups of"]
    lines += ["subjects sorted by number, even index tunes, odd index reports. Twins (published under two numbers) and partners (captured", "together) are one group. Written by `scripts/quality.py`.", ""]
    for half in ("tune", "report"):
        own = [f"{subject:03}" for subject, side in sorted(halves.items()) if side == half]
        lines += [f"**{half}** ({len(own)} subjects): {', '.join(own)}", ""]
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
