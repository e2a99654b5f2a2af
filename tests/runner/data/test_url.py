"""Files at addresses of the web, by a server on this machine that misbehaves in turn."""

import hashlib
import ssl
import sys
from pathlib import Path

import pytest
from test_openml_misbehaves import (  # noqa: F401  (server and get are fixtures)
    ARFF,
    CERTIFICATE,
    HTML,
    STUDY,
    downloads,
    get,
    is_silent,
    sends,
    server,
    trickles,
)

from rankexp.errors import DataError
from rankexp.runner.cli import main
from rankexp.runner.data.sources import url as source


@pytest.fixture
def at(server, monkeypatch):  # noqa: F811
    """Let the study name an address of the server instead of OpenML's number."""
    monkeypatch.setattr(source, "PAUSE", 0.01)
    address = f"{server.url}/download/toy.arff"
    study = STUDY.replace("{openml: 7}", f'{{url: "{address}"}}')
    monkeypatch.setattr("test_openml_misbehaves.STUDY", study)
    return address


def sends_a_page(self):
    self.send_response(200)
    self.send_header("Content-Type", "text/html; charset=utf-8")
    self.end_headers()
    self.wfile.write(HTML)


CASES = {
    "500": (sends(HTML, 500), "answered with status 500)", 3),
    "404": (sends(HTML, 404), "answered with status 404)", 1),
    "slow": (trickles, "in 0.5 s)", 1),
    "silent": (is_silent, "cannot be reached (", 3),
    "dropped": (sends(ARFF[:700], size=len(ARFF)), "broke off before all had come)", 3),
    "a page": (sends_a_page, "sent a page for browsers, not a file)", 1),
    "empty": (sends(b""), "toy.arff", 1),
}


@pytest.mark.parametrize("case", CASES)
def test_a_misbehaviour_is_one_sentence_and_no_data(server, at, get, tmp_path, case):  # noqa: F811
    server.data, said, tries = [CASES[case][0]], *CASES[case][1:]
    code, out, err = get()
    assert (code, out, err.count("\n")) == (3, "", 1) and said in err, err
    assert str(tmp_path / "temporary") not in err
    assert not list((tmp_path / "cache").rglob("*.npz"))
    assert not list((tmp_path / "temporary").iterdir())
    assert len(server.asked) == tries


def test_what_is_whole_is_asked_for_once(server, at, get):  # noqa: F811
    server.data = [sends(HTML, 503), sends(ARFF[:700], size=len(ARFF)), sends(ARFF)]
    assert get()[:2] == (0, f"toy: 300 rows, from {at}\n")
    assert get()[:2] == (0, f"toy: 300 rows, from snapshot of {at}\n")
    assert len(server.asked) == 3


def test_another_file_than_the_declared_one_is_not_taken(server, at, get):  # noqa: F811
    server.data = [sends(ARFF.replace(b"1,b", b"1,a", 1))]
    code, _, err = get()
    assert code == 3 and "differs from the declared data set" in err


def test_a_certificate_that_nobody_trusts(server, at, tmp_path):  # noqa: F811
    (tmp_path / "own.pem").write_text(CERTIFICATE)
    safe = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    safe.load_cert_chain(tmp_path / "own.pem")
    server.socket = safe.wrap_socket(server.socket, server_side=True)
    with pytest.raises(DataError, match="is not trusted"):
        source.save(at.replace("http:", "https:"), tmp_path)
    assert server.asked == [] and not (tmp_path / "toy.arff").exists()


def test_a_server_without_end_is_left(server, at, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(downloads, "MOST_UNPACKED", 5000)
    server.data = [sends(ARFF * 20)]
    with pytest.raises(DataError, match="sends more than"):
        source.save(at, tmp_path)


def test_a_file_is_saved_and_none_is_written_over(at, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rankexp", "data", "get", at, "--data", str(tmp_path)])
    with pytest.raises(SystemExit):
        main()
    file, digest = tmp_path / "toy.arff", hashlib.sha256(ARFF).hexdigest()
    assert file.read_bytes() == ARFF
    said = f"SHA-256 {digest}; 'rankexp inspect {file}' shows what is in it"
    assert capsys.readouterr().out == f"{file}: {len(ARFF):,} bytes, {said}\n"
    assert source.save(at, tmp_path).startswith(f"{file}: ")  # the same once more
    file.write_bytes(b"mine")
    with pytest.raises(DataError, match="with other content: nothing was written"):
        source.save(at, tmp_path)
    assert file.read_bytes() == b"mine"


@pytest.mark.parametrize(
    "address",
    [
        "ftp://here/a.csv",
        "https://here",
        "https:///a.csv",
        "http://here/",
        "http://here/%2e%2e",
        "http://here/..%2Fa.csv",
        "http://here/a%00.csv",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_address_of_a_file_is_refused(address, tmp_path):
    with pytest.raises(DataError, match="is not the address of a file"):
        source.save(address, tmp_path)
    assert not list(Path(tmp_path).iterdir())
