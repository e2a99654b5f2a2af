"""Write the stubs `__init__.pyi` of rooms, which type checkers and editors read.

Run `make exports` after adding or renaming what a module registers or lists in `__all__`.
"""

from pathlib import Path

import rankexp
from rankexp import registry

ROOT = Path(rankexp.__file__).parent
LINE = 99


def rooms() -> list[str]:
    """Return the packages whose `__init__` imports what is public when it is asked for."""
    return [
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in sorted(ROOT.rglob("__init__.py"))
        if "= exports(" in file.read_text(encoding="utf-8")
    ]


def stub(room: str) -> str:
    """Return the text of a room's stub: a line for each public object of its modules."""
    found = {(module, name) for name, module in registry.listed(room).items()}
    for target in registry._room(room).values():
        if target.package == "rankexp":  # in its room, or in a study's wing
            found.add((target.module, target.attribute))
    lines = ["# Written by `make exports`."]
    for module, name in sorted(found):
        line = f"from {module} import {name} as {name}"
        short = len(line) <= LINE
        lines += [line] if short else [f"from {module} import (", f"    {name} as {name},", ")"]
    return "\n".join(lines) + "\n"


def stale() -> dict[Path, str]:
    """Return the stubs that are not up to date, and what they should say."""
    stubs = {ROOT.joinpath(*room.split("."), "__init__.pyi"): stub(room) for room in rooms()}
    return {
        file: text
        for file, text in stubs.items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    }


if __name__ == "__main__":
    for file, text in stale().items():
        file.write_text(text, encoding="utf-8")
        print(f"wrote {file.relative_to(ROOT.parent)}")
