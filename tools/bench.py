#!/usr/bin/env python3
"""Measures bursar and its references, in turns on the same machine, and writes the table of docs/internals/performance.md.

Usage: tools/bench.py [--rounds 5] [--seconds 5] [--before BINARY] [--stored 0 [--store FOLDER]] [--citus postgres://…]
       [--write]

Each round measures every work and every reference once, so that a busy minute of the machine meets all of them. The
table shows the medians of the rounds, and ratios between medians. `--stored N` fills a store with N transfers first
and measures what its size changes; filling it goes at the speed of batches. With `--store FOLDER` they are in that
data folder already. `--before BINARY` compares the processor time of a payout with that of an older build of the same
profile, in turns. `--citus URL`, the coordinator of a cluster (tests/citus/cluster.sh <folder> starts one and prints
it), measures payouts of 64 organizations on it. `--write` puts the table and the plot into docs/. It needs the
build that is released (`make bench` makes it), PostgreSQL (tools/setup.sh) and, for the plot, matplotlib.
"""
import argparse
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What `make release` packs.
BURSAR = ROOT / "target/release-build/dist/bursar"
PAGE = ROOT / "docs/internals/performance.md"
BEGIN, END = "<!-- table: made by tools/bench.py -->", "<!-- end of the table -->"
CONNECTIONS = "64"
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
# Bytes that a payout stored before events became segments.
BYTES_BEFORE = 9_800


def processor_seconds(pid):
    """User and system time of a process with the children that it has waited for."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICKS_A_SECOND


def children(pid):
    return map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def as_postgres():
    """PostgreSQL refuses to run as root: it gets its own user then."""
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Postgres:
    """A server of its own in a temporary folder."""

    def __init__(self, folder):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            raise SystemExit("bench: PostgreSQL is missing: run tools/setup.sh")
        self.bin, self.port = found[-1].parent, free_port()
        data = folder / "pg"
        data.mkdir()
        if os.getuid() == 0:
            shutil.chown(data, "postgres", "postgres")
        run = lambda *words: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd="/", **as_postgres())
        run(self.bin / "initdb", "-D", data, "-A", "trust", "-U", "bench")
        self.server = subprocess.Popen(
            [self.bin / "postgres", "-D", data, "-p", str(self.port), "-k", data, "-c", "listen_addresses=127.0.0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **as_postgres())
        while subprocess.run([self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            time.sleep(0.1)
        self.make("pgbench")
        subprocess.run([self.bin / "pgbench", "-q", "-i", "-s", "10", *self.at("pgbench")], check=True, capture_output=True)

    def at(self, database):
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "bench", database]

    def make(self, database):
        subprocess.run([self.bin / "createdb", *self.at(database)], check=True)
        return f"postgres://bench@127.0.0.1:{self.port}/{database}"

    def drop(self, database):
        subprocess.run([self.bin / "dropdb", *self.at(database)], check=True)

    def tpc_b(self, seconds):
        words = [self.bin / "pgbench", "-c", "8", "-j", "2", "-T", str(seconds), *self.at("pgbench")]
        told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return float(re.search(r"^tps = ([0-9.]+)", told, re.M)[1])

    def processor_seconds(self):
        """Of all backends, those that have ended too. Keep the connections open between two calls."""
        return processor_seconds(self.server.pid) + sum(map(processor_seconds, children(self.server.pid)))

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        self.server.wait()


class Process:
    """A bursar that says where it listens."""

    binary = BURSAR

    running = []

    def __init__(self, folder, *words):
        self.told = folder / f"{words[0]}-{free_port()}.out"
        self.began = time.monotonic()
        with open(self.told, "w") as out, open(f"{self.told}.err", "w") as err:
            self.process = subprocess.Popen([self.binary, *map(str, words)], stdout=out, stderr=err)
        Process.running.append(self)
        while not (found := re.search(r"listening on (?:http://)?(\S+)", self.told.read_text())):
            if self.process.poll() is not None:
                raise SystemExit(f"bench: {words[0]} ended: " + open(f"{self.told}.err").read()[-2000:])
            time.sleep(0.005)
        self.address = found[1]
        self.started_millis = (time.monotonic() - self.began) * 1000

    def resident_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        Process.running.remove(self)
        self.process.terminate()
        self.process.wait()


class Service(Process):
    """A sandbox of its own."""

    def __init__(self, folder, name, *words, binary=BURSAR):
        self.data, self.binary = folder / name, binary
        super().__init__(folder, "serve", "--listen", "127.0.0.1:0", "--data-dir", self.data, *words)
        self.credentials = [self.data / "sandbox-credentials.json"]

    def bench(self, scenario, seconds, *words, connections=CONNECTIONS, address=None):
        told = subprocess.run(
            [BURSAR, "bench", "--json", "--address", address or self.address, "--scenario", scenario, "--connections",
             connections, "--seconds", str(seconds), *map(str, words), "--credentials", *self.credentials],
            check=True, capture_output=True, text=True).stdout
        figures = json.loads(told)[0]
        if figures["others"]:
            raise SystemExit(f"bench: {scenario}: {figures['others']} requests were not answered well")
        return figures


    def messages(self):
        """Text messages that the gateway has taken."""
        with urllib.request.urlopen(f"http://{self.address}/metrics") as answer:
            text = answer.read().decode()
        taken = re.findall(r'^bursar_messages_total\{channel="sms",outcome="taken"\} (\d+)', text, re.M)
        return sum(map(int, taken))

    def bytes_stored(self):
        """Of the database, its log written back."""
        database = sqlite3.connect(self.data / "bursar.sqlite")
        database.execute("PRAGMA wal_checkpoint")
        pages, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        database.close()
        return pages * size


def with_messages(service, seconds):
    """Payouts a second whose messages a gateway takes: until the last message is taken."""
    before, began = service.messages(), time.monotonic()
    done = service.bench("send-payout", seconds)["done"]
    while service.messages() < before + done:
        if time.monotonic() - began > 60 + 10 * seconds:
            raise SystemExit("bench: the gateway did not get all messages")
        time.sleep(0.05)
    return done / (time.monotonic() - began)


def rows(*words):
    """The same rows without the service, payouts a second."""
    told = subprocess.run([BURSAR, "reference", "rows", "--json", "--record-seconds", "4", *map(str, words)],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(told)["per_second"]


def fdatasync_millis(folder):
    """Half of the flushes of 4 kB take at most so long."""
    block, took = os.urandom(4096), []
    with open(folder / "flushed", "wb") as file:
        for _ in range(200):
            began = time.monotonic()
            file.write(block)
            file.flush()
            os.fdatasync(file.fileno())
            took.append((time.monotonic() - began) * 1000)
    return statistics.median(took)


def one_link(service):
    """What GET answers for a link, to be echoed."""
    credentials = json.loads(service.credentials[0].read_text())
    app = credentials["app"]
    words = ["curl", "-sf", "-u", f"{app['client_id']}:{app['api_key']}", "-H", "Idempotency-Key: echo",
             "-H", "Content-Type: application/json", "-d", '{"amount": 1, "delivery": {"method": "link"}}',
             f"http://{service.address}/v2/payout-links"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def small(folder, postgres, rounds, seconds):
    """Every work and every reference, once a round."""
    embedded = Service(folder, "embedded")
    shared = Service(folder, "shared", "--database-url", postgres.make("bursar"))
    body = folder / "link.json"
    body.write_text(one_link(embedded))
    echo = Process(folder, "reference", "echo", "--body", body)
    taken, token = folder / "taken.json", folder / "sms-token"
    taken.write_text('{"status": "queued"}')
    token.write_text("token")
    token.chmod(0o600)
    gateway = Process(folder, "reference", "echo", "--body", taken)
    texting = Service(folder, "texting", "--sms-url", f"http://{gateway.address}", "--sms-account", "AC0",
                      "--sms-token-file", token, "--sms-from", "+12125550100")
    spread = organizations(folder, "spread", postgres.make("spread"))
    figures = {}
    note = lambda name, value: figures.setdefault(name, []).append(value)
    for turn in range(rounds):
        note("pgbench", postgres.tpc_b(seconds))
        stored = embedded.bytes_stored()
        sent = embedded.bench("send-payout", seconds)
        note("embedded", sent["per_second"])
        note("bytes", (embedded.bytes_stored() - stored) / sent["done"])
        note("texting", with_messages(texting, seconds))
        note("embedded one", embedded.bench("send-payout", seconds, connections="1")["per_second"])
        note("shared", shared.bench("send-payout", seconds)["per_second"])
        note("spread", spread.bench("send-payout", seconds)["per_second"])
        note("raw embedded", rows("--data-dir", folder / f"rows-{turn}"))
        database = f"rows{turn}"
        note("raw shared", rows("--data-dir", folder / f"rows-pg-{turn}", "--database-url", postgres.make(database)))
        postgres.drop(database)
        note("batches", embedded.bench("batches", seconds, connections="4")["per_second"])
        note("reads", embedded.bench("reads", seconds)["per_second"])
        note("echo", embedded.bench("reads", seconds, address=echo.address)["per_second"])
        rate = max(1, int(sent["per_second"] * 0.7))
        paced = embedded.bench("send-payout", seconds, "--rate", rate)
        note("paced p50", paced["p50_millis"])
        note("paced p99", paced["p99_millis"])
        print(f"round {turn + 1} of {rounds}: " + ", ".join(f"{name} {told[-1]:.4g}" for name, told in figures.items()), flush=True)
    for process in (embedded, shared, spread, texting, gateway, echo):
        process.stop()
    return {name: statistics.median(told) for name, told in figures.items()}


def organizations(folder, name, database, *migrate):
    """A service of 64 organizations over a database on a server."""
    asked = ["--data-dir", folder / name, "--database-url", database]
    run = lambda *words: subprocess.run([BURSAR, *map(str, words), *map(str, asked)], check=True, capture_output=True)
    run("migrate", *migrate)
    run("reference", "organizations", "--count", CONNECTIONS, "--into", folder / name / "keys")
    service = Service(folder, name, "--database-url", database)
    service.credentials = sorted((folder / name / "keys").glob("*.json"))
    return service


def compared(folder, postgres, before, rounds, seconds):
    """Microseconds of processor time of a payout, by this build and by an older one, in turns."""
    figures = {}
    for turn in range(rounds):
        for build, binary in (("before", before), ("now", BURSAR)):
            for store in ("embedded", "shared"):
                name = f"{build}-{store}-{turn}"
                words = ["--database-url", postgres.make(name.replace("-", "_"))] if store == "shared" else []
                service = Service(folder, name, *words, binary=binary)
                service.bench("send-payout", 1)
                spent = lambda: processor_seconds(service.process.pid) + (postgres.processor_seconds() if words else 0)
                already = spent()
                done = service.bench("send-payout", seconds)["done"]
                figures.setdefault(f"{store} {build}", []).append((spent() - already) / done * 1e6)
                service.stop()
        print(f"processor time, round {turn + 1}: " + ", ".join(f"{name} {values[-1]:.0f}" for name, values in figures.items()), flush=True)
    return {name: statistics.median(values) for name, values in figures.items()}


def large(folder, stored, kept, seconds):
    """What the size of a store changes: the same work over 10,000 transfers and over many, in turns."""
    figures = {"fdatasync": fdatasync_millis(folder)}
    little, many = Service(folder, "little"), Service(folder, kept or "many")
    done = 0
    while done < 10_000:
        done += little.bench("batches", 1, connections="4")["done"]
    done, filling = stored if kept else 0, time.monotonic()
    while done < stored:
        done += many.bench("batches", 30, connections="6")["done"]
        print(f"{done:,} transfers stored after {time.monotonic() - filling:.0f} s", flush=True)
    runs = [(little.bench("send-payout", seconds), many.bench("send-payout", seconds)) for _ in range(5)]
    figures["at 10,000"], figures["at many"] = (statistics.median(run["per_second"] for run in of) for of in zip(*runs))
    figures["stall"] = max(run["max_millis"] for _, run in runs)
    page = min(10_000, stored // 100 - 1)
    pages = [(many.bench("lists", seconds), many.bench("lists", seconds, "--page", page)) for _ in range(3)]
    figures["page 1"], figures["late page"] = (statistics.median(run["p50_millis"] for run in of) for of in zip(*pages))
    figures["memory"] = many.resident_mib()
    little.stop()
    many.stop()
    again = Service(folder, kept or "many")
    figures["start"] = again.started_millis
    again.stop()
    return figures, page


class Citus:
    """A database of its own on a cluster that runs already, distributed."""

    NAME = "bursar_bench"

    def __init__(self, postgres, url):
        self.postgres, self.url = postgres, url
        at = urllib.parse.urlsplit(url)
        self.user, coordinator = at.username or "postgres", (at.hostname, at.port or 5432)
        workers = self.ask(coordinator, "postgres", "SELECT nodename, nodeport FROM pg_dist_node WHERE isactive AND groupid > 0")
        self.nodes = [coordinator, *((name, int(port)) for name, port in (line.split("|") for line in workers.split()))]
        for node in self.nodes:
            self.ask(node, "postgres", f"CREATE DATABASE {self.NAME}")
            self.ask(node, self.NAME, "CREATE EXTENSION citus")
        self.ask(coordinator, self.NAME, "SELECT citus_set_coordinator_host('%s', %d)" % coordinator)
        for worker in self.nodes[1:]:
            self.ask(coordinator, self.NAME, "SELECT citus_add_node('%s', %d)" % worker)
        self.database = f"{url.rstrip('/')}/{self.NAME}"

    def ask(self, node, database, statement):
        words = [self.postgres.bin / "psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-h", node[0], "-p", str(node[1]), "-U", self.user, "-d", database, "-c", statement]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def drop(self):
        for node in self.nodes:
            self.ask(node, "postgres", f"DROP DATABASE {self.NAME} WITH (FORCE)")


def spread(folder, postgres, url, rounds, seconds):
    """Payouts of 64 organizations on a cluster, and on one PostgreSQL."""
    citus, services = Citus(postgres, url), {}
    try:
        services["citus"] = organizations(folder, "citus", citus.database, "--distribute")
        services["alone"] = organizations(folder, "alone", postgres.make("many"))
        figures = {name: [] for name in services}
        for turn in range(rounds):
            for name, service in services.items():
                figures[name].append(service.bench("send-payout", seconds)["per_second"])
            print(f"64 organizations, round {turn + 1}: " + ", ".join(f"{name} {told[-1]:.4g}" for name, told in figures.items()), flush=True)
        return {name: statistics.median(told) for name, told in figures.items()}
    finally:
        for service in services.values():
            service.stop()
        citus.drop()


def table(small, large, page, many, older, stored, rounds, seconds):
    ratio = lambda work, reference, least: f"{work / reference:.2f} × (at least {least})"
    lines = [
        f"Medians of {rounds} rounds of {seconds} s each, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}.",
        "",
        "| work | measured | reference, same run | measured | ratio |",
        "|---|---|---|---|---|",
    ]
    row = lambda *cells: lines.append("| " + " | ".join(cells) + " |")
    each = lambda name: f"{small[name]:,.0f}/s"
    row("send-payout, embedded, 64 connections", each("embedded"), "pgbench TPC-B, 8 clients", each("pgbench"), ratio(small["embedded"], small["pgbench"], 2.5))
    row("send-payout, PostgreSQL, 64 connections", each("shared"), "the same", each("pgbench"), ratio(small["shared"], small["pgbench"], 2.0))
    row("send-payout, embedded, its messages taken by a gateway", each("texting"), "the same", each("pgbench"), ratio(small["texting"], small["pgbench"], 1.8))
    row("send-payout, 64 organizations, PostgreSQL", each("spread"), "one organization, PostgreSQL", each("shared"), ratio(small["spread"], small["shared"], 0.8))
    row("send-payout, embedded, 64 connections", each("embedded"), "its rows into SQLite, no service", each("raw embedded"), ratio(small["embedded"], small["raw embedded"], 0.5))
    row("send-payout, PostgreSQL, 64 connections", each("shared"), "its rows into PostgreSQL, no service", each("raw shared"), ratio(small["shared"], small["raw shared"], 0.5))
    row("rows of 500-row batches, embedded", each("batches"), "send-payout, embedded", each("embedded"), ratio(small["batches"], small["embedded"], 1.5))
    row("GET payout link, 64 connections", each("reads"), "HTTP echo, same body", each("echo"), ratio(small["reads"], small["echo"], 0.6))
    row("p99 at 70 % of the maximum rate, open loop", f"{small['paced p99']:.1f} ms", "its median", f"{small['paced p50']:.1f} ms", f"{small['paced p99'] / small['paced p50']:.2f} × (at most 4)")
    row("bytes stored for each payout, embedded", f"{small['bytes']:,.0f}", "before segments of events", f"{BYTES_BEFORE:,}", f"{small['bytes'] / BYTES_BEFORE:.2f} × (at most 0.5)")
    for store, name in (("embedded", "embedded"), ("shared", "PostgreSQL, service and server")) if older else ():
        now, before = older[f"{store} now"], older[f"{store} before"]
        row(f"processor time of a payout, {name}", f"{now:,.0f} µs", "the older build, in turns", f"{before:,.0f} µs", f"{now / before:.2f} × (at most 0.6)")
    row("send-payout, embedded, 1 connection", each("embedded one"), "", "", "")
    if many:
        row("send-payout, 64 organizations, Citus", f"{many['citus']:,.0f}/s", "PostgreSQL alone, the same", f"{many['alone']:,.0f}/s", ratio(many["citus"], many["alone"], 0.6))
    if large:
        much = f"{stored:,} transfers stored"
        row(f"send-payout with {much}", f"{large['at many']:,.0f}/s", "with 10,000 stored", f"{large['at 10,000']:,.0f}/s", ratio(large["at many"], large["at 10,000"], 0.8))
        row(f"transfers, page {page:,} of 100", f"{large['late page']:.2f} ms", "first page", f"{large['page 1']:.2f} ms", f"{large['late page'] / large['page 1']:.2f} × (within 1.3)")
        row(f"longest answer with {much}", f"{large['stall']:.0f} ms", "fdatasync of 4 kB", f"{large['fdatasync']:.2f} ms", f"{large['stall'] / large['fdatasync']:.0f} × (at most 400)")
        row(f"resident memory with {much}", f"{large['memory']:.0f} MiB", "", "", "(at most 150)")
        row(f"start to listening with {much}", f"{large['start']:.0f} ms", "", "", "(at most 1,000)")
    return "\n".join(lines)


def plot(small):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    names = {"echo": "HTTP echo", "reads": "GET payout link", "raw embedded": "rows into SQLite, no service",
             "raw shared": "rows into PostgreSQL, no service", "batches": "rows of batches", "embedded": "send-payout, embedded",
             "shared": "send-payout, PostgreSQL", "pgbench": "pgbench TPC-B"}
    figure, axes = pyplot.subplots(figsize=(8, 3.2))
    bars = axes.barh(list(names.values())[::-1], [small[name] for name in names][::-1], color="#2f6f8f")
    axes.bar_label(bars, fmt="{:,.0f}", padding=3)
    axes.set_xscale("log")
    axes.set_xlabel("per second")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(ROOT / "docs/internals/performance.svg", metadata={"Date": None})


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--seconds", type=int, default=5)
    asked.add_argument("--before", metavar="BINARY", type=pathlib.Path)
    asked.add_argument("--stored", type=int, default=0)
    asked.add_argument("--store", metavar="FOLDER")
    asked.add_argument("--citus", metavar="URL")
    asked.add_argument("--write", action="store_true")
    asked = asked.parse_args()
    if not BURSAR.exists():
        raise SystemExit("bench: build first: make bench")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bursar-bench-"))
    folder.chmod(0o755)
    postgres = Postgres(folder)
    try:
        medians = small(folder, postgres, asked.rounds, asked.seconds)
        older = compared(folder, postgres, asked.before.resolve(), asked.rounds, asked.seconds) if asked.before else {}
        many = spread(folder, postgres, asked.citus, asked.rounds, asked.seconds) if asked.citus else {}
        sized, page = large(folder, asked.stored, asked.store and pathlib.Path(asked.store).resolve(), asked.seconds) if asked.stored else ({}, 0)
    finally:
        for process in Process.running[:]:
            process.stop()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
    made = table(medians, sized, page, many, older, asked.stored, asked.rounds, asked.seconds)
    print("\n" + made)
    if asked.write:
        text = PAGE.read_text()
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}")
        plot(medians)


main()
