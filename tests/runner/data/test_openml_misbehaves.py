"""OpenML as it misbehaves, by the real client and a server on this machine."""

import hashlib
import ssl
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rankexp.errors import DataError
from rankexp.runner.cli import main
from rankexp.runner.data.sources.openml import from_openml

openml = pytest.importorskip("openml")
downloads = pytest.importorskip("rankexp.runner.data.downloads")

ROWS = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(300))
ARFF = f"@relation toy\n@attribute a numeric\n@attribute y {{b,a}}\n@data\n{ROWS}".encode()
STUDY = """version: 1
study: t
title: T
seed: 1
data: {toy: {source: {openml: 7}, target: y, levels: [b, a], fingerprint:
  {rows: 300, features: 1, classes: [150, 150]}}}
methods: {m: {lambdas: [1.0]}}
experiments: {e: {problems: [toy], methods: [m], metrics: [auc], protocol:
  {kind: cross_validation, folds: 2}}}
"""
XHTML = b"<html><head><title>Busy</title></head><body>Try again later.</body></html>"
HTML = b"<!DOCTYPE html>\n<html><body><p>Try again later.<br></body>"
# Nobody trusts this certificate, which is for no other use.
CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9ILsoub4lj239+zj
kIwR/G/BUIM7ztZ6NqcmbyuBAfuhRANCAASZq1RCkeND6IQLLhz7uivOU4u2xjvA
sFWas12RBDd33i//5fnHAaGW7LxXERG/cxyeKrEg20ylIZ3UHGmgWjj9
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUBbwjxKHDwaUdrAtEd5fiwa8xDXUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNzA2MzAwMVoYDzIxMjYxMTAz
MDYzMDAxWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASZq1RCkeND6IQLLhz7uivOU4u2xjvAsFWas12RBDd33i//5fnHAaGW
7LxXERG/cxyeKrEg20ylIZ3UHGmgWjj9o2QwYjAdBgNVHQ4EFgQUpKrl6m+LGtO1
cz+x5v+jVgYzRzswHwYDVR0jBBgwFoAUpKrl6m+LGtO1cz+x5v+jVgYzRzswDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IGuNgXvNDrGOxZujTIqBPpFEQH/q67eb+sXWbA8o1fqrAiEAv+ikReB7A0Cf8Hvh
hc2/KvsQNSsgmbl4UL/nTNLcTHs=
-----END CERTIFICATE-----
"""


def description(data=ARFF, number=7, version=1, md5=None):
    md5 = hashlib.md5(data).hexdigest() if md5 is None else md5
    return f"""<oml:data_set_description xmlns:oml="http://openml.org/openml">
      <oml:id>{number}</oml:id><oml:name>toy</oml:name><oml:version>{version}</oml:version>
      <oml:description>hand-made</oml:description><oml:format>ARFF</oml:format>
      <oml:licence>Public</oml:licence><oml:url>URL/data/v1/download/1/toy.arff</oml:url>
      <oml:md5_checksum>{md5}</oml:md5_checksum></oml:data_set_description>""".encode()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        what = "data" if "download" in self.path else "description"
        answers = getattr(self.server, what)
        self.server.turn[what] = turn = self.server.turn.get(what, -1) + 1
        answers[min(turn, len(answers) - 1)](self)

    def log_message(self, *_):
        pass


def sends(body, status=200, size=None):
    """Answer with a body, of which another size may be said."""

    def answer(self):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body) if size is None else size))
        self.end_headers()
        self.wfile.write(body.replace(b"URL", self.server.url.encode()) if size is None else body)
        self.close_connection = True

    return answer


def described(**how):
    def answer(self):
        sends(description(**how).replace(b"URL", self.server.url.encode()))(self)

    return answer


def trickles(self):
    self.send_response(200)
    self.send_header("Content-Length", str(len(ARFF)))
    self.end_headers()
    for i in range(len(ARFF)):
        if self.server.over.wait(0.05):
            return
        self.wfile.write(ARFF[i : i + 1])
        self.wfile.flush()


def is_silent(self):
    self.server.over.wait(5)


@pytest.fixture
def server(monkeypatch, tmp_path):
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.handle_error = lambda *_: None  # who has given up closes the connection
    running.asked, running.turn, running.over = [], {}, threading.Event()
    running.description, running.data = [described()], [sends(ARFF)]
    running.url = f"http://127.0.0.1:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    use(monkeypatch, tmp_path, running.url)
    yield running
    running.over.set()
    running.shutdown()
    running.server_close()
    thread.join()


def use(monkeypatch, tmp_path, url):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(openml.config, "server", f"{url}/api/v1/xml")
    monkeypatch.setattr(openml.config, "apikey", "secret")
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path / "openml")
    monkeypatch.setattr("openml._api_calls._human_delay", lambda n: 0.01 * n)
    monkeypatch.setattr(downloads, "ANSWER", 0.3)
    monkeypatch.setattr(downloads, "PATIENCE", 0.5)
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


@pytest.fixture
def get(monkeypatch, tmp_path, capsys):
    """Run ``rankexp data get toy``; return its exit code, and what it says."""

    def _get():
        (tmp_path / "t.yaml").write_text(STUDY)
        words = ["rankexp", "data", "get", "toy", "--config", str(tmp_path / "t.yaml")]
        monkeypatch.setattr(sys, "argv", words)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        out = capsys.readouterr()
        return code, out.out, out.err

    return _get


def assert_refused(get, tmp_path, said):
    begun = time.monotonic()
    code, out, err = get()
    assert (code, out) == (3, "")
    assert err.count("\n") == 1 and err.startswith("rankexp: toy: data set 'toy' ")
    assert said in err and "secret" not in err and "Traceback" not in err
    assert not list((tmp_path / "cache").rglob("*.npz"))
    assert not list((tmp_path / "temporary").iterdir())
    assert not (tmp_path / "openml").exists()
    assert time.monotonic() - begun < 20


CHECKSUM = "cannot be used (OpenMLHashException: Checksum of downloaded file is unequal to"
NONSENSE = " cannot be used ("
CASES = {
    "500": ("data", [sends(HTML, 500)], "answered with status 500)"),
    "502": ("description", [sends(XHTML, 502)], "answered with status 502)"),
    "503": ("description", [sends(b"", 503)], "answered with status 503)"),
    "404": ("data", [sends(XHTML, 404)], " with status 404 cannot be used ("),
    "slow": ("data", [trickles], "in 0.5 s)"),
    "silent": ("description", [is_silent], "cannot be reached (ReadTimeout)"),
    "dropped": ("data", [sends(ARFF[:700], size=len(ARFF))], "broke off before all had come)"),
    "dropped description": ("description", [sends(b"<oml:da", size=99)], "broke off before all"),
    "truncated": ("data", [sends(ARFF[:700])], CHECKSUM),
    "truncated description": ("description", [sends(description()[:300])], NONSENSE),
    "wrong checksum": ("description", [described(md5="0" * 32)], CHECKSUM),
    "no checksum": ("description", [described(md5="")], "has no checksum by which to tell"),
    "another set": ("description", [described(number=8)], "the server described data set 8)"),
    "HTML": ("description", [sends(HTML)], NONSENSE),
    "XHTML": ("description", [sends(XHTML)], NONSENSE),
    "HTML for data": ("data", [sends(HTML)], CHECKSUM),
    "empty description": ("description", [sends(b"")], NONSENSE),
    "empty data": ("data", [sends(b"")], CHECKSUM),
}


@pytest.mark.parametrize("case", CASES)
def test_a_misbehaviour_is_one_sentence_and_no_data(server, get, tmp_path, case):
    what, answers, said = CASES[case]
    setattr(server, what, answers)
    assert_refused(get, tmp_path, said)
    assert len(server.asked) <= 4


def test_data_that_is_empty_and_said_to_be_so(server, get, tmp_path):
    server.description, server.data = [described(data=b"@relation x")], [sends(b"@relation x")]
    assert_refused(get, tmp_path, "OpenML 7: its file:1: there is no @data line")


def test_a_certificate_that_nobody_trusts(server, get, tmp_path, monkeypatch):
    (tmp_path / "own.pem").write_text(CERTIFICATE)
    safe = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    safe.load_cert_chain(tmp_path / "own.pem")
    server.socket = safe.wrap_socket(server.socket, server_side=True)
    safe_url = server.url.replace("http:", "https:")
    monkeypatch.setattr(openml.config, "server", f"{safe_url}/api/v1/xml")
    assert_refused(get, tmp_path, "is not trusted (self-signed certificate)")
    assert server.asked == []


def test_a_changed_version_is_not_taken_and_how_to_fetch_it_again_is_said(server, get, tmp_path):
    data = ARFF.replace(b"1,b", b"1,a", 1)
    server.description, server.data = [described(data=data, version=2)], [sends(data)]
    for where in ("(OpenML 7)", "(snapshot of OpenML 7)"):
        code, out, err = get()
        assert (code, out, err.count("\n")) == (3, "", 1)
        assert f"data set 'toy' {where} differs from the declared data set" in err
    (kept,) = (tmp_path / "cache").rglob("*.npz")
    assert f"to fetch it again, remove {kept}" in err
    kept.unlink()
    server.description, server.data = [described()], [sends(ARFF)]
    assert get()[0] == 0


@pytest.mark.parametrize("broken", [sends(HTML, 503), sends(ARFF[:700], size=len(ARFF))])
def test_what_passes_is_tried_again_with_time_between(server, get, monkeypatch, broken):
    waited = []
    monkeypatch.setattr("openml._api_calls._human_delay", lambda n: waited.append(n) or 0.01)
    server.data = [broken, broken, sends(ARFF)]
    assert get()[:2] == (0, "toy: 300 rows, from OpenML 7\n")
    assert waited == [1, 2]
    asked = len(server.asked)
    assert get()[:2] == (0, "toy: 300 rows, from snapshot of OpenML 7\n")
    assert len(server.asked) == asked  # what is whole needs no request


def test_a_download_that_takes_long_shows_how_far_it_is(server, entry, monkeypatch, capsys):
    def steadily(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(ARFF) * 20))
        self.end_headers()
        for _ in range(20):
            self.wfile.write(ARFF)
            self.wfile.flush()
            time.sleep(0.02)

    monkeypatch.setattr(downloads, "EVERY", 0.05)
    server.description, server.data = [described(data=ARFF * 20)], [steadily]
    with pytest.raises(DataError, match="its file:305: 1 values for 2 attributes"):
        from_openml(7, entry(), ())
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("OpenML 7: 0.0 of 0.0 MB") for line in lines)


def test_nothing_is_written_over_and_no_pickle_is_read(server, entry, tmp_path, monkeypatch):
    import pickle

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, None)
    port = server.server_port
    folder = tmp_path / "openml" / f"1:{port}" / "0" / "0" / "127" / "datasets" / "7"
    folder.mkdir(parents=True)
    (folder / "description.xml").write_bytes(description(md5=""))  # so nobody knows what is whole
    (folder / "dataset.arff").write_bytes(ARFF[:700])
    (folder / "dataset.pkl.py3").write_bytes(b"cos\nsystem\n(S'touch pwned'\ntR.")
    assert len(from_openml(7, entry(), ()).values) == 300
    assert (folder / "dataset.arff").read_bytes() == ARFF[:700]
    assert len(server.asked) == 2


def test_letters_are_those_of_utf_8_whatever_is_said(server, entry):
    data = "@relation t\n@attribute a {ü,é}\n@attribute y {b,a}\n@data\nü,a\né,b\n".encode()
    server.description, server.data = [described(data=data)], [sends(data)]  # as text/plain
    table = from_openml(7, entry(encoding="cp1252"), ())
    assert table.columns[0].categories == ("ü", "é")


def test_a_server_without_end_is_left(server, entry, monkeypatch):
    monkeypatch.setattr(downloads, "MOST_UNPACKED", 5000)
    server.data = [sends(ARFF * 20)]
    with pytest.raises(DataError, match="sends more than"):
        from_openml(7, entry(), ())
