"""Seal the records of a study that was run, so that a clone can report it again."""

from pathlib import Path

from rankexp.runner import plan
from rankexp.runner.config.outside import kept
from rankexp.runner.run.lock import advisory_lock
from rankexp.runner.run.manifest import facts_of, read_manifest, study_of
from rankexp.runner.run.progress import how_many
from rankexp.runner.run.store import Store


def seal_study(folder: Path) -> list[str]:
    """Seal what a folder has of the study as it was run; return lines that say what was done.

    Other records stay as they are. ConfigError where the manifest or a sealed file is damaged,
    EnvironmentProblemError where the folder takes no files.
    """
    manifest = read_manifest(folder)
    study, store = study_of(folder), Store(folder)
    cells = plan.cells(study, facts_of(manifest), code=kept(manifest))
    keys = dict.fromkeys(cell.key for cell in cells)
    with advisory_lock(folder) as other:
        file = store.seal(keys)
        if other is None:
            store.tidy()
    done = "nothing new to seal"
    if file is not None:
        done = f"{file.relative_to(folder)} is written, {file.stat().st_size / 1e6:.2f} MB"
    count, useless = len(keys.keys() & store.sealed), len(store.sealed - keys.keys())
    lines = [f"{folder}: {done}; {count:,} of {how_many(len(keys), 'record')} are sealed"]
    if useless:
        lines.append(f"{how_many(useless, 'sealed record')} are not of the study as it was run")
    return [*lines, *filter(None, [other]), *store.problems]
