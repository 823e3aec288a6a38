"""A census service on loopback: answers like the Bureau's, from tables we made, with faults on order."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pandas as pd

from policy_sim.people.census.tables import NOT_HISPANIC_TABLES, RACE_TABLES, SINGLE_YEARS, SexByAge
from policy_sim.people.merge import AGES
from policy_sim.words.states import STATES

KEY = "5ecre7-c0ffee/0123456789abcdef+key"
_VARIABLE = re.compile(r"(P|PCT)0*(\d+)([A-Z]?)_?(\d{3})N?")
_CODES = {
    "county": ("state", "county"),
    "tract": ("state", "county", "tract"),
    "zip code tabulation area (or part)": ("state", "zip code tabulation area (or part)"),
    "county (or part)": ("state", "zip code tabulation area (or part)", "county (or part)"),
    "zip code tabulation area": ("zip code tabulation area",),
}
INVALID_KEY = "<html><head><title>Invalid Key</title></head><body>A valid key must be included: {key}</body></html>"
MISSING_KEY = "<html><head><title>Missing Key</title></head><body>A key is required: {key}</body></html>"
MOVED = "<html><head><title>We moved</title></head><body>{key}</body></html>"
PAGES = {"invalid_key.html": INVALID_KEY, "missing_key.html": MISSING_KEY, "moved.html": MOVED}
ERROR_PAGE = "<html><head><title>Error report</title></head><body>{key}</body></html>"


def tables_of(cells: pd.DataFrame) -> SexByAge:
    """Turn the cells of a population by county into the tables a service would answer with, by origin if it has one."""
    places = cells[["state", "county"]].astype(str).drop_duplicates().sort_values("county")
    places = places.reset_index(drop=True)
    where = pd.Index(places["county"]).get_indexer(pd.Index(cells["county"].astype(str)))
    sex = (cells["sex"] == "F").to_numpy().astype(int)
    age = np.searchsorted(AGES, cells["age"])
    counts = {"": np.zeros((len(places), SINGLE_YEARS.columns), dtype=np.int64)}

    def table_of(rows):
        table = np.zeros_like(counts[""])
        column = np.where(sex == 0, 2, 106) + age
        np.add.at(table, (where[rows], column[rows]), cells["people"].to_numpy()[rows])
        for side, total in enumerate(SINGLE_YEARS.sex_totals):
            table[:, total] = table[:, SINGLE_YEARS.ages_of(side)].sum(axis=1)
        table[:, 0] = table[:, list(SINGLE_YEARS.sex_totals)].sum(axis=1)
        return table

    for letter, race in RACE_TABLES.items():
        counts[letter] = table_of((cells["race"] == race).to_numpy())
        counts[""] += counts[letter]
    if "ethnicity" in cells:
        hispanic = (cells["ethnicity"] == "hispanic").to_numpy()
        counts["H"] = table_of(hispanic)
        counts |= {
            letter: table_of((cells["race"] == race).to_numpy() & ~hispanic)
            for letter, race in NOT_HISPANIC_TABLES.items()
        }
    return SexByAge(SINGLE_YEARS, places, counts)


@dataclass
class CensusService:
    """A server of one edition's tables; ``requests`` counts the requests, without the key."""

    tables: SexByAge
    year: int = 2010
    dataset: str = "dec/sf1"
    requests: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)
    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    @contextmanager
    def running(self):
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                service.answer(self)

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}/data"
        try:
            yield self
        finally:
            self.let_go.set()
            server.shutdown()
            server.server_close()

    def answer(self, handler):
        asked = urlsplit(handler.path)
        page = PAGES.get(asked.path.rpartition("/")[2])
        if page:
            _send(handler, 200, page.format(key=KEY), "text/html")
            return
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        with self.lock:
            self.requests[f"{query['get'].split(',')[0]} {query['for']} {query.get('in')}"] += 1
            fault = self.faults.pop(0) if self.faults else ""
        self.asked.release()
        if fault and fault != "ok" and self._misbehave(handler, fault, query):
            return
        if query.get("key") != KEY:
            _send(handler, 200, INVALID_KEY.format(key=query.get("key")), "text/html")
        elif asked.path != f"/data/{self.year}/{self.dataset}":
            _send(handler, 404, ERROR_PAGE.format(key=query["key"]), "text/html")
        else:
            self._table(handler, query)

    def _table(self, handler, query):
        names = query["get"].split(",")
        found = [_VARIABLE.fullmatch(name) for name in names]
        if len(names) > 50:
            _send(handler, 400, "error: query limit exceeded: 50 variables", "text/plain")
        elif not all(found):
            _send(handler, 400, f"error: unknown variable '{names[found.index(None)]}'", "text/plain")
        else:
            rows = self._rows(found, query)
            if rows:
                header = [*names, *_CODES[query["for"].partition(":")[0]]]
                _send(handler, 200, json.dumps([header, *rows]), "application/json")
            else:
                _send(handler, 204, "", "text/plain")

    def _rows(self, found, query):
        places = self.tables.places
        wanted = re.search(r"state:([\d,*]+)", query.get("in", "state:*"))[1]
        fips = places["state"].map({postal: state.fips for postal, state in STATES.items()})
        here = np.flatnonzero((fips.isin(wanted.split(",")) | (wanted == "*")).to_numpy())
        kind = query["for"].partition(":")[0]
        if kind == "county":
            codes = [fips, places["county"].str[2:]]
        elif kind == "tract":
            codes = [fips, places["county"].str[2:], places["tract"].str[5:]]
        elif kind == "county (or part)":
            codes = [fips, places["zip5"], places["county"].str[2:]]
        else:
            codes = [fips, places["zip5"]] if "in" in query else [places["zip5"]]
        columns = []
        for match in found:
            stem, number, letter, column = match.groups()
            if f"{stem}{number}" != self.tables.shape.name or letter not in self.tables.counts:
                return []
            columns.append(self.tables.counts[letter][here, int(column) - 1].astype(str))
        return np.column_stack([*columns, *(code.to_numpy()[here].astype(str) for code in codes)]).tolist()

    def _misbehave(self, handler, fault, query):
        """Answer with a fault; false where the answer is to follow after all."""
        kind, _, value = fault.partition(" ")
        if kind == "status":
            status, _, wait = value.partition(" ")
            _send(handler, int(status), ERROR_PAGE.format(key=query["key"]), "text/html", wait)
        elif kind == "html":
            _send(handler, 200, ERROR_PAGE.format(key=query["key"]), "text/html")
        elif kind == "redirect":
            handler.send_response(302)
            handler.send_header("Location", value.format(key=quote(KEY, safe="")) or "/data/invalid_key.html")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        elif kind == "stall":
            self.let_go.wait(30)
        elif kind == "trickle":
            self._trickle(handler, value)
        elif kind == "cut":
            handler.send_response(200)
            handler.send_header("Content-Length", "100000")
            handler.end_headers()
            handler.wfile.write(b'[["PCT012001","state","county"],["12","10"')
            handler.close_connection = True
        elif kind == "body":
            _send(handler, 200, value, "application/json")
        else:
            raise AssertionError(fault)
        return True

    def _trickle(self, handler, what):
        """Send one byte after another for as long as somebody listens: never silent, never done."""
        try:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            if what == "body":
                handler.wfile.write(b"Content-Length: 100000\r\n\r\n")
            else:
                handler.wfile.write(b"X-Slow: ")
            while not self.let_go.wait(0.02):
                handler.wfile.write(b"1")
        except OSError:
            pass
        handler.close_connection = True


def _send(handler, status, text, kind, wait=""):
    content = text.encode()
    handler.send_response(status)
    if wait:
        handler.send_header("Retry-After", wait)
    if status != 204:
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    if status != 204:
        handler.wfile.write(content)
