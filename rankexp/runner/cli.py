"""The command line: parse, call, print. Every import of weight waits until its verb is used."""

import errno
import os
import re
import sys
from contextlib import closing, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankexp import __version__, registry
from rankexp.errors import ConfigError, EnvironmentProblemError, RankexpError
from rankexp.runner import cli_own
from rankexp.runner.cli_complete import rooms
from rankexp.runner.cli_data import all_studies, data_app, data_folders
from rankexp.runner.cli_results import result_folders, results_app, uncollected
from rankexp.runner.config.shipped import shipped

if TYPE_CHECKING:
    from rankexp.runner.config.schema import Study

INTERRUPTED = 130
MACHINES = (errno.EACCES, errno.EPERM, errno.EINTR, errno.EIO, errno.EROFS, errno.ENOSPC)
"""Numbers of errors that are the machine's, not ours, beside a quota's."""
LISTS = (*registry.ROOMS, "studies")

app = typer.Typer(
    name="rankexp",
    help="Run the experiments of ranking papers, or compare ranking methods on your own data.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(data_app, name="data")
app.add_typer(results_app, name="results")
app.command()(cli_own.compare)
app.command()(cli_own.inspect)
for wing in registry.wings():  # one may have a verb
    if find_spec(place := f"rankexp.{registry.WINGS}.{wing}.verb"):
        app.command()(import_module(place).VERB)


def _version(asked: bool) -> None:
    if asked:
        print(f"rankexp {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def _study(config: Path, profile: str | None) -> "Study":
    from rankexp.runner.config.load import load

    if not profile:
        return load(config)
    study = load(config, profile=profile)
    return study.model_copy(update={"study": f"{study.study}-{profile}"})  # results of its own


@app.command()
@cli_own.described("verbs")
def run(
    config: Path,
    only: list[str] | None = None,
    quick: bool = False,
    profile: str | None = None,
    jobs: int | None = None,
    data: Path | None = None,
    results: Path = Path("results"),
    retry: str | None = None,
    redo: list[str] | None = None,
    limit_minutes: float | None = None,
    limit_memory: str | None = None,
    shard: str | None = None,
    cluster: str | None = None,
    quiet: bool = False,
) -> None:
    """Run what a study still lacks, then print its tables."""
    from rankexp.runner.config.limits import asked
    from rankexp.runner.report.build import open_report
    from rankexp.runner.run.engines import connected
    from rankexp.runner.run.execute import execute
    from rankexp.runner.run.shards import Shard, told

    if retry not in {None, "failed"}:
        raise ConfigError(f"--retry {retry}: only 'failed' can be retried")
    part = None if shard is None else Shard.parse(shard)
    study = _study(config, "quick" if quick else profile)
    with closing(connected(cluster)) if cluster else nullcontext() as engine:
        outcome = execute(
            study,
            config=config,
            results=results,
            folders=data_folders(data),
            only=cli_own.names(only),
            workers=jobs,
            retry_failed=retry == "failed",
            redo=redo or [],
            quiet=quiet,
            limits=asked(limit_minutes, limit_memory),
            shard=part,
            engine=engine,
        )
    if part:
        print(told(part, outcome.folder, outcome.records))
    elif outcome.records and outcome.exit_code != INTERRUPTED:
        tables = open_report(outcome.folder, study, outcome.cells)
        written = tables.write()
        print(f"\n{tables.summary()}")
        if (unread := outcome.records - len(tables.context.records)) > 0:
            outcome.note(
                4, f"{unread} records could not be read, and no table has them; run again"
            )
        for line in [*tables.failures, *_index(outcome.folder.parent)]:
            outcome.note(tables.exit_code, line)
        if not quiet:
            print(f"\n{len(written)} files written; start with {tables.first}")
    for line in outcome.messages:
        print(line, file=sys.stderr)
    raise typer.Exit(outcome.exit_code)


@app.command()
@cli_own.described("verbs", "report")
def report(
    studies: list[str] | None = None,
    quick: bool = False,
    results: Path = Path("results"),
    show: bool = False,
) -> None:
    """Rebuild every table and figure from records, without fitting anything."""
    if quick and not studies:
        raise ConfigError("--quick: name the studies whose quick profile to use")
    code, without, folders = 0, [], dict[Path, None]()
    for name in studies or map(str, result_folders(None, results)):
        try:
            folder, own = _report(name, quick, results, show)
            folders[folder.parent], code = None, max(code, own)
        except ConfigError as error:  # the others have their tables all the same
            without.append(f"rankexp: {error}\n")
    lines = [line for folder in folders for line in _index(folder)]
    sys.stderr.writelines([*without, *(f"{line}\n" for line in lines)])
    raise typer.Exit(max(code, ConfigError.exit_code if without else 0))


def _index(results: Path) -> list[str]:
    """Write the page of all studies of a folder of results; return why it could not be."""
    from rankexp.runner.report.index import write

    try:
        write(results)
    except ConfigError as error:
        return [f"rankexp: {error}"]
    return []


def _report(name: str, quick: bool, results: Path, show: bool) -> tuple[Path, int]:
    import webbrowser

    from rankexp.runner.report.build import edited, open_report
    from rankexp.runner.run.manifest import other_versions

    folder, study = _run_of(name, quick, results)
    made = open_report(folder, study)
    written = made.write()
    print(f"{folder}: {len(written)} files written; start with {made.first}")
    if show:
        webbrowser.open(made.first.resolve().as_uri())
    edit = None if study else edited(made.context.manifest)
    versions = other_versions(folder)
    for line in filter(None, [edit, versions, *made.context.problems, *made.failures]):
        print(line, file=sys.stderr)
    return folder, made.exit_code


def _run_of(name: str, quick: bool, results: Path) -> "tuple[Path, Study | None]":
    """Return the results folder of a study, which its file may name, and what the file says."""
    study = _study(Path(name), "quick" * quick) if name.endswith((".yaml", ".yml")) else None
    named = study.study if study else name + "-quick" * quick
    return result_folders([named], results)[0], study


@app.command()
@cli_own.described("verbs", "pack")
def pack(studies: list[str], results: Path = Path("results")) -> None:
    """Seal the records of studies that were run, into one small file each."""
    from rankexp.runner.report.build import packed

    for name in studies:
        print(packed(_run_of(name, False, results)[0]))


@app.command()
@cli_own.described("verbs")
@uncollected()
def plan(
    config: Path,
    only: list[str] | None = None,
    quick: bool = False,
    jobs: int | None = None,
    data: Path | None = None,
    results: Path = Path("results"),
    limit_minutes: float | None = None,
) -> None:
    """Print what a run would do, without running it."""
    from joblib import cpu_count

    from rankexp.runner.config.limits import asked
    from rankexp.runner.data.memory import affordable
    from rankexp.runner.run.prepare import prepare

    study, names = _study(config, "quick" * quick), cli_own.names(only)
    limits = asked(limit_minutes, None)
    prepared = prepare(study, results, data_folders(data), names, limits=limits)
    workers, fewer = affordable(jobs or cpu_count(), prepared.snapshots)
    print(prepared.plan.describe(workers))
    print(fewer, end="\n" * bool(fewer))


@app.command()
@cli_own.described("verbs")
@uncollected()
def status(studies: list[str] | None = None, results: Path = Path("results")) -> None:
    """Show which records are done, missing and failed."""
    from rankexp.runner.run.opened import progress

    for folder in result_folders(studies, results):
        print(progress(folder))


@app.command()
@cli_own.described("verbs")
def check(configs: list[Path]) -> None:
    """Check studies without running them; every error gives file, line and column."""
    from rankexp.runner.config.load import load
    from rankexp.runner.config.meaning import remarks

    wrong = []
    for config in configs:
        try:
            study = load(config)
            for profile in study.profiles:
                load(config, profile=profile)
        except ConfigError as error:
            wrong.append(str(error))
        else:
            count = len(study.experiments)
            print(f"{config}: fine, {count} experiment{'s' * (count != 1)}")
            for _, text in remarks(study, study.experiments):
                print(f"{config}: {text}")
    if wrong:
        raise ConfigError("\n".join(wrong))


@app.command(name="list")
def list_names(
    what: Annotated[
        str | None,
        typer.Argument(
            help=f"One of {', '.join(LISTS)}. Default: the names in each.", autocompletion=rooms
        ),
    ] = None,
) -> None:
    """List what can be named in a study."""
    if what is None:
        rows = [(group, ", ".join(registry.names(group))) for group in registry.ROOMS]
        own = [file.stem for file in sorted(Path("configs").glob("*.yaml"))]
        rows.append(("studies", ", ".join(own or shipped())))
    elif what == "studies":
        rows = [(study.study, study.title) for _, study in all_studies(None)]
    elif what in LISTS:
        told = registry.summaries(what).items()
        rows = [(name, text.replace("``", "").removeprefix("Return ")) for name, text in told]
    else:
        hint = registry.did_you_mean(what, LISTS)
        raise ConfigError(f"cannot list '{what}'{hint}; known: {', '.join(LISTS)}")
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        print(f"{name:<{width}}  {text}".rstrip())


@app.command()
def schema() -> None:
    """Print the JSON schema of a study's YAML, for editors."""
    import json

    from rankexp.runner.config.load import schema_json

    print(json.dumps(schema_json(), indent=2))


def _spell_out_redo(arguments: list[str]) -> list[str]:
    """Let ``--redo`` stand alone: what follows it is a method unless it is an option or a file."""
    followed = zip(arguments, [*arguments[1:], "-"], strict=False)  # of none, none
    return [
        "--redo=all" if one == "--redo" and re.fullmatch(r"-.*|.*\.ya?ml", following) else one
        for one, following in followed
    ]


def _unforeseen(error: Exception) -> int:
    """Keep the traceback in a file and print one line: no user should have to read one."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(prefix="rankexp-", suffix=".log", delete=False) as log:
        log.write("".join(traceback.format_exception(error)).encode(errors="backslashreplace"))
    line = str(error).splitlines()[0] if str(error) else "no message"
    text = f"rankexp: internal error ({type(error).__name__}: {line})"
    print(f"{text}; please report it with {log.name}", file=sys.stderr)
    return 1


def main() -> None:
    """Entry point of the ``rankexp`` command; sets the exit code."""
    try:
        app(args=_spell_out_redo(sys.argv[1:]))
    except RankexpError as error:
        from rankexp.runner.run.progress import printed_lines

        print(f"rankexp: {printed_lines(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        if error.errno not in (*MACHINES, errno.EDQUOT):
            sys.exit(_unforeseen(error))
        print(f"rankexp: '{error.filename}': {error.strerror}", file=sys.stderr)
        sys.exit(EnvironmentProblemError.exit_code)
    except MemoryError:
        print("rankexp: memory is not enough; use fewer rows or fewer --jobs", file=sys.stderr)
        sys.exit(EnvironmentProblemError.exit_code)
    except Exception as error:
        sys.exit(_unforeseen(error))
