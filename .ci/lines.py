"""Count the lines of each house as ruff formats them; fail above a ceiling of CONTRIBUTING.md.

Run as ``python .ci/lines.py [PROJECT]``. Every ``.py`` that is shipped counts, configs/ included.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

CEILING = re.compile(
    r"^\| (library|runner|testing|a wing|all without wings|all) \| ([\d,]+) \|", re.M
)


def house(file: Path) -> str:
    """Return the house of a file, whose path begins with ``rankexp`` or ``configs``."""
    top = file.parts[1].removesuffix(".py")
    if file.parts[0] == "configs":
        return "wing configs"
    if top == "studies":
        return f"wing {file.parts[2]}" if len(file.parts) > 3 else "runner"
    return {"runner": "runner", "__main__": "runner", "testing": "testing"}.get(top, "library")


def count(project: Path) -> Counter[str]:
    """Return the lines of each house, formatted anew so that no setting can shorten them."""
    lines: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("rankexp", "configs"):
            shutil.copytree(project / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
        style = ("--isolated", "--quiet", "--line-length", "99", "--target-version", "py311")
        subprocess.run([sys.executable, "-m", "ruff", "format", *style, name], check=True)
        for file in folder.rglob("*.py"):
            lines[house(file.relative_to(folder))] += file.read_text("utf-8").count("\n")
    return lines


def ceilings(text: str) -> dict[str, int]:
    """Return the ceilings that the table of CONTRIBUTING.md names."""
    return {name: int(most.replace(",", "")) for name, most in CEILING.findall(text)}


def table(lines: Counter[str], most: dict[str, int]) -> list[tuple[str, int, int]]:
    """Return what is counted, its lines and its ceiling."""
    wings = sum(found for name, found in lines.items() if name.startswith("wing "))
    rows = [
        (name, lines[name], most["a wing" if name.startswith("wing ") else name])
        for name in sorted(lines, key=lambda name: (name.startswith("wing "), name))
    ]
    total = lines.total()
    return [
        *rows,
        ("all without wings", total - wings, most["all without wings"]),
        ("all", total, most["all"]),
    ]


def main(project: Path) -> int:
    """Print the table; return 1 where a ceiling is passed."""
    rows = table(count(project), ceilings((project / "CONTRIBUTING.md").read_text("utf-8")))
    for name, found, most in rows:
        mark = "  too many" if found > most else ""
        print(f"{name:24}{found:>8,} of {most:>7,}{mark}")
    return int(any(found > most for _, found, most in rows))


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2])))
