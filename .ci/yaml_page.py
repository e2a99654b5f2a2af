"""Write docs/yaml.md, the keys of a study's YAML, from the schema that editors use.

Run `make docs-yaml` after adding a key or changing its description, which stands in
`rankexp/runner/config/keys.toml`, and that of a protocol's key in `protocols/keys.toml` beside it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from rankexp.runner.config.load import schema_json

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "yaml.md"
EXAMPLES = Path(__file__).with_name("yaml_examples.yaml")
DEFS = "#/$defs/"
HEAD = """\
# The YAML, key by key

<!-- Made by `make docs-yaml` from the schema and .ci/yaml_examples.yaml. -->

A study is one YAML file. This page lists every key: what it holds, its default, and what it
means. Your editor shows the same sentences if you give it the schema:

```sh
rankexp schema > study-schema.json
```

With the YAML extension of VS Code, the first line of a study is then
`# yaml-language-server: $schema=study-schema.json`. `rankexp check study.yaml` reports everything
that is wrong with a study, with line and column. `rankexp list` shows the names that a study can
use.

This study runs if `example.csv` of [configs](../configs/example.csv) lies beside it:

```yaml
{base}
```

The examples below are pieces of such a study. Each one changes the study above in the same way as
a profile does: mappings are merged key by key, and any other value replaces the one above.
"""
Schema = dict[str, Any]
SCALARS = {"string": "text", "integer": "whole number", "number": "number"}
SCALARS |= {"boolean": "`true` or `false`", "null": ""}
ANY = {"text", "whole number", "number", "`true` or `false`"}


def examples() -> dict[str, str]:
    """Return the text of each section's example by the name of its model; ``base`` is a study."""
    parts = re.split(r"^--- # (\w+)\n", EXAMPLES.read_text("utf-8"), flags=re.M)[1:]
    return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def sections(schema: Schema) -> dict[str, str]:
    """Return where each model stands, by its name, in the order of the study's keys."""
    found = {"Study": "the study"}

    def walk(model: Schema, path: str) -> None:
        for key, value in model["properties"].items():
            for place, name in _models(value, f"{path}.{key}".removeprefix(".")):
                one = schema["$defs"][name]
                kind = one["properties"].get("kind", {}).get("const")
                if name not in found:
                    found[name] = place + (f", kind: {kind}" if kind else "")
                    walk(one, place)

    walk(schema, "")
    return found


def _models(value: Schema | list[Schema], path: str) -> Iterator[tuple[str, str]]:
    """Yield the models that a value may hold, each with its place."""
    match value:
        case {"$ref": ref}:
            yield path, ref.removeprefix(DEFS)
        case list():
            for one in value:
                yield from _models(one, path)
        case {"anyOf": several} | {"oneOf": several}:
            yield from _models(several, path)
        case {"items": one}:
            yield from _models(one, f"{path}[]")
        case {"patternProperties": by_name}:
            yield from _models(list(by_name.values()), f"{path}.NAME")


def kind(value: Schema, places: dict[str, str]) -> str:
    """Return in words what a value holds."""
    match value:
        case {"$ref": ref}:
            place = places[ref.removeprefix(DEFS)]
            named = place.partition("kind: ")[2]
            said = f"[{f'`{named}`' if named else 'mapping'}](#{_anchor(place)})"
        case {"anyOf": several} | {"oneOf": several}:
            kinds = list(dict.fromkeys(filter(None, (kind(one, places) for one in several))))
            kinds = ["a value", *(k for k in kinds if k not in ANY)] if {*kinds} >= ANY else kinds
            said = " or ".join(kinds)
        case {"const": one}:
            said = f"`{one}`"
        case {"enum": names} if "``rankexp list" not in value.get("description", ""):
            said = ", ".join(f"`{n}`" if n.strip(",.' ") else f'`"{n}"`' for n in names)
        case {"items": one}:
            each = kind(one, places) if one and "enum" not in one else ""
            each = re.sub(r"\b(text|number|value|mapping)\b", r"\1s", each.removeprefix("a "))
            said = f"list of {each}" if each else "list"
        case {"patternProperties": by_name}:
            said = f"{kind(*by_name.values(), places)}, by name"
        case {"additionalProperties": dict(one)}:
            each = kind(one, places)
            said = "mapping" if "by name" in each else f"{each}, by name"
        case {"type": "object"}:
            said = "mapping"
        case {"type": str(name)}:
            said = SCALARS[name] + _limits(value)
        case _:
            raise ValueError(f"no words for {value}")
    return said


def _limits(value: Schema) -> str:
    if value["type"] == "integer" and value.get("exclusiveMinimum") == 0:
        value = {key: one for key, one in value.items() if key != "exclusiveMinimum"}
        value["minimum"] = 1
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    words |= {"exclusiveMaximum": "below"}
    return "".join(f" {word} {value[key]:g}" for key, word in words.items() if key in value)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _default(key: str, value: Schema, model: Schema) -> str:
    if key in model.get("required", []):
        return "**needed**"
    given = value.get("default")
    if given in (None, [], {}) or isinstance(given, dict):
        return ""
    return f"`{yaml.safe_dump(given, default_flow_style=True).splitlines()[0]}`"


def _cell(text: str) -> str:
    return " ".join(text.replace("``", "`").split()).replace("|", "\\|")


def page() -> str:
    """Return the text of the page."""
    schema, shown = schema_json(), examples()
    places = sections(schema)
    text = [HEAD.replace("{base}", shown["base"])]
    for name, place in places.items():
        model = schema if name == "Study" else schema["$defs"][name]
        said = model["description"].replace("``", "`")
        text += [f"## {place[0].upper() + place[1:] if name == 'Study' else place}\n", f"{said}\n"]
        text += ["| key | holds | default | meaning |", "|---|---|---|---|"]
        for key, value in model["properties"].items():
            cells = (f"`{key}`", kind(value, places), _default(key, value, model))
            text.append(f"| {' | '.join(cells)} | {_cell(value['description'])} |")
        text += ["", "```yaml", shown[name], "```", ""]
    return "\n".join(text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
