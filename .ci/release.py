"""Build the source archive and the wheel, and try each alone, as a user would have it.

`make release-check` runs it. Nothing is downloaded: both are built by the hatchling that is
installed, and dependencies are those of the environment in DEPENDENCIES.

    python .ci/release.py DEPENDENCIES [JOBS]
"""

import email
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "release"
STUDY = "kotlowski2011"
PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
WITHOUT_NETWORK = ["--no-deps", "--no-index"]
SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"


def run(*command: str | Path, cwd: Path = ROOT, shown: bool = True) -> None:
    """Run a command; an error ends the check."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        [str(one) for one in command],
        cwd=cwd,
        env=own,
        check=True,
        stdout=None if shown else subprocess.DEVNULL,
    )


def built() -> tuple[Path, Path]:
    """Return the source archive and the wheel, built anew."""
    shutil.rmtree(OUT, ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", OUT)
    (archive,), (wheel,) = OUT.glob("*.tar.gz"), OUT.glob("*.whl")
    return archive, wheel


def described(file: Path) -> Message:
    """Return the metadata that a built file carries."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            (name,) = (one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
            text = wheel.read(name)
    else:
        with tarfile.open(file) as archive:
            (place,) = (one for one in archive.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", one))
            member = archive.extractfile(place)
            assert member is not None
            text = member.read()
    return email.message_from_bytes(text)


def faults(about: Message) -> list[str]:
    """Return what is wrong with a description as an index of packages would show it."""
    text = str(about.get_payload())
    links = re.findall(r"\]\(([^)]+)\)", text)
    found = {
        "it is no Markdown": not str(about["Description-Content-Type"]).startswith(
            "text/markdown"
        ),
        "it is empty": len(text.split()) < 50,
        "it has links into the repository": any(not one.startswith("https://") for one in links),
        "there is no licence": not about["License-Expression"] or not about["License-File"],
        "it does not say which Python it needs": not about["Requires-Python"],
    }
    return [fault for fault, there in found.items() if there]


def checked(file: Path) -> None:
    """Say that the description of a file is fine, or end."""
    wrong = faults(described(file))
    if wrong:
        sys.exit(f"{file.name}: the description is wrong: {'; '.join(wrong)}")
    if importlib.util.find_spec("twine"):
        run(sys.executable, "-m", "twine", "check", "--strict", file)
    print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB, the description is fine", flush=True)


def alone(file: Path, dependencies: Path, jobs: str) -> None:
    """Install a file into a new environment, and run the quick profile far from the clone."""
    folder = OUT / ("wheel" if file.suffix == ".whl" else "source")
    wheel = file
    if file.suffix != ".whl":
        made = folder / "built"
        options = [*WITHOUT_NETWORK, "--no-build-isolation", "--wheel-dir", made]
        run(sys.executable, *PIP, "wheel", *options, file)
        (wheel,) = made.glob("*.whl")
    place = folder / "environment"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    run(python, *PIP, "install", *WITHOUT_NETWORK, "--ignore-installed", wheel)
    site = subprocess.run([python, "-c", SITE], capture_output=True, text=True, check=True)
    Path(site.stdout.strip(), "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    work = folder / "work"
    work.mkdir()
    command = place / "bin" / "rankexp"
    run(command, "--version", cwd=work)
    run(command, "run", STUDY, "--quick", "--quiet", "--jobs", jobs, cwd=work, shown=False)
    page = work / "results" / f"{STUDY}-quick" / "report.md"
    if "quick slice" not in page.read_text(encoding="utf-8").partition("\n")[0]:
        sys.exit(f"{file.name}: the report does not say that it is of a quick slice")
    where = subprocess.run(
        [python, "-P", "-c", "import rankexp; print(rankexp.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=work,
    )
    if not Path(where.stdout).is_relative_to(place):
        sys.exit(f"{file.name}: what ran is {where.stdout.strip()}, not what was installed")
    print(f"{file.name}: installed alone, {STUDY} runs quickly", flush=True)


def main(environment: str, jobs: str = "2") -> None:
    """Build, check, install and run."""
    found = subprocess.run(
        [Path(environment, "bin", "python"), "-c", SITE],
        capture_output=True,
        text=True,
        check=True,
    )
    files = built()
    for file in files:
        checked(file)
    for file in files:
        alone(file, Path(found.stdout.strip()), jobs)


if __name__ == "__main__":
    main(*sys.argv[1:])
