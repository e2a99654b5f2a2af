"""The verbs of ``rankexp results``: join folders of one study, and verify what one holds."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from rankexp.errors import ConfigError
from rankexp.runner.cli_own import described

results_app = typer.Typer(help="Merge and verify folders of results.", no_args_is_help=True)


@contextmanager
def uncollected() -> Iterator[None]:
    """Spare the search for circles, which takes a quarter of the time of 100,000 records."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def result_folders(names: list[str] | None, results: Path) -> list[Path]:
    """Return the folders of studies that were run, by name or path, all by default."""
    run = sorted(f.parent for f in results.glob("*/manifest.json"))
    if not run and not names:
        raise ConfigError(f"no study has been run into '{results}' yet")
    folders = []
    for name in names or map(str, run):
        places = [p for p in (Path(name), results / name) if (p / "manifest.json").is_file()]
        if not places:
            known = ", ".join(f.name for f in run)
            has = f"whose studies are {known}" if run else "which has none"
            raise ConfigError(f"'{name}' is no results folder and no study in '{results}', {has}")
        folders.append(places[0])
    return folders


@results_app.command("merge")
@described("results")
@uncollected()
def results_merge(into: Path, sources: list[Path]) -> None:
    """Join folders of one study, as its shards wrote them, in one folder."""
    from rankexp.runner.run.joined import merged

    print(merged(into, sources))


@results_app.command("verify")
@described("verbs", "results")
@uncollected()
def results_verify(studies: list[str] | None = None, results: Path = Path("results")) -> None:
    """Read every record and every kept score again, and check it."""
    from rankexp.runner.run.joined import verified

    for folder in result_folders(studies, results):
        print(verified(folder))
