"""The OpenML adapter against a server of our own on this machine; nothing leaves it."""

import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from rankexp.errors import DataError
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.find import find
from rankexp.runner.data.sources.openml import from_openml

openml = pytest.importorskip("openml")

ARFF = b"@relation toy\n@attribute a integer [1,10]\n@attribute y {b,a,unused}\n@data\n1,a\n?,b\n"
DESCRIPTION = """<oml:data_set_description xmlns:oml="http://openml.org/openml">
  <oml:id>{id}</oml:id><oml:name>toy</oml:name><oml:version>1</oml:version>
  <oml:description>hand-made</oml:description><oml:format>ARFF</oml:format>
  <oml:licence>Public</oml:licence><oml:url>{server}/data/v1/download/{id}/toy.arff</oml:url>
  <oml:parquet_url>{server}/nothing/here.pq</oml:parquet_url>
  <oml:default_target_attribute>y</oml:default_target_attribute>
  <oml:md5_checksum>{md5}</oml:md5_checksum>
</oml:data_set_description>"""
UNKNOWN = """<oml:error xmlns:oml="http://openml.org/openml">
  <oml:code>111</oml:code><oml:message>Unknown dataset</oml:message></oml:error>"""
GOOD, DAMAGED, SLOPPY = 7, 8, 9


class Handler(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_GET(self):
        self.server.asked.append(self.path)
        parts = self.path.split("?")[0].strip("/").split("/")
        server = f"http://127.0.0.1:{self.server.server_port}"
        if parts[:4] == ["api", "v1", "xml", "data"] and int(parts[4]) in (GOOD, DAMAGED, SLOPPY):
            body = b"@data" if int(parts[4]) == SLOPPY else ARFF
            md5 = hashlib.md5(b"other" if int(parts[4]) == DAMAGED else body).hexdigest()
            self.answer(200, DESCRIPTION.format(id=parts[4], server=server, md5=md5).encode())
        elif "download" in parts:
            self.answer(200, b"@data" if str(SLOPPY) in parts else ARFF)
        else:
            self.answer(412, UNKNOWN.encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.asked = []
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    use(monkeypatch, tmp_path, running.server_port)
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def use(monkeypatch, tmp_path, port):
    """Point the package at a port of this machine, and at a cache of its own."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(openml.config, "server", f"http://127.0.0.1:{port}/api/v1/xml")
    monkeypatch.setattr(openml.config, "apikey", "")
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path / "openml")
    monkeypatch.setattr("openml._api_calls._human_delay", lambda n: 0.01)


def user_cache(tmp_path, server, number):
    """Return the package's folder of a data set, as it would lay it out."""
    port = server.server_port
    return tmp_path / "openml" / f"1:{port}" / "0" / "0" / "127" / "datasets" / str(number)


def test_a_data_set_by_number(server, entry):
    table = from_openml(GOOD, entry(), ())
    assert table.columns == (Feature("a"), Feature("y", "nominal", ("b", "a", "unused")))
    np.testing.assert_array_equal(table.values, [[1, 1], [np.nan, 0]])
    assert table.provenance["id"] == GOOD
    assert table.provenance["md5"] == hashlib.md5(ARFF).hexdigest()
    asked = " ".join(server.asked)
    assert "features" not in asked
    assert "qualities" not in asked
    assert ".pq" not in asked


def test_the_package_is_left_as_it_was(server, entry, tmp_path):
    before = (openml.config.retry_policy, openml.config.connection_n_retries)
    for number in (GOOD, 404):
        try:
            from_openml(number, entry(), ())
        except DataError:
            assert number == 404
    assert openml.config._root_cache_directory == tmp_path / "openml"
    assert (openml.config.retry_policy, openml.config.connection_n_retries) == before
    assert not (tmp_path / "openml").exists()


@pytest.mark.parametrize(
    ("number", "what"),
    [
        (404, "OpenML 404: .*Unknown dataset"),
        (DAMAGED, "OpenML 8: .*OpenMLHashException: Checksum of downloaded file is unequal"),
        (SLOPPY, "OpenML 9: .*:1: @data before any @attribute"),
        ("vote", "identified by number, not by name"),
    ],
)
def test_what_goes_wrong_is_told(server, entry, number, what):
    with pytest.raises(DataError, match=what):
        from_openml(number, entry(), ())


def test_what_the_users_cache_holds_needs_no_server(server, entry, tmp_path):
    folder = user_cache(tmp_path, server, GOOD)
    folder.mkdir(parents=True)
    md5 = hashlib.md5(ARFF).hexdigest()
    (folder / "description.xml").write_text(DESCRIPTION.format(id=7, server="", md5=md5))
    (folder / "dataset.arff").write_bytes(ARFF)
    (folder / "dataset.pkl.py3").write_bytes(b"never read")
    table = from_openml(GOOD, entry(), ())
    np.testing.assert_array_equal(table.values, [[1, 1], [np.nan, 0]])
    assert server.asked == []
    (folder / "dataset.arff").write_bytes(ARFF[:-10])  # half-written: fetched, and left alone
    table = from_openml(GOOD, entry(), ())
    np.testing.assert_array_equal(table.values, [[1, 1], [np.nan, 0]])
    assert server.asked
    names = ["dataset.arff", "dataset.pkl.py3", "description.xml"]
    assert sorted(p.name for p in folder.iterdir()) == names


def test_found_online_then_kept(server, entry, tmp_path):
    declared = entry(source={"openml": GOOD}, levels=["b", "a"])
    first = find("toy", declared, [], tmp_path / "cache")
    assert first.where == "OpenML 7"
    asked = len(server.asked)
    again = find("toy", declared, [], tmp_path / "cache")
    assert again.where == "snapshot of OpenML 7"
    assert again.facts == first.facts
    assert len(server.asked) == asked


def test_an_unreachable_server_is_told_at_once(monkeypatch, tmp_path, entry):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        use(monkeypatch, tmp_path, taken.getsockname()[1])
        declared = entry(source={"file": "toy.arff", "openml": 7}, levels=["b", "a"])
        with pytest.raises(DataError) as caught:
            find("toy", declared, [], tmp_path / "cache")
    assert "cannot be reached (ConnectionError)" in str(caught.value)
    assert "rankexp data add toy FILE" in str(caught.value)
    assert not (tmp_path / "cache").exists()


def test_a_silent_server_is_given_up(monkeypatch, tmp_path, entry):
    monkeypatch.setattr("rankexp.runner.data.downloads.ANSWER", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # takes connections and never answers
        use(monkeypatch, tmp_path, silent.getsockname()[1])
        with pytest.raises(DataError, match="cannot be reached"):
            from_openml(7, entry(), ())
