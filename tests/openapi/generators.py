#!/usr/bin/env python3
"""Generates clients from the OpenAPI document with every generator that is pinned here; none may report an error.

The Python clients and hey-api's TypeScript client pay a person in a sandbox; the other TypeScript clients are compiled.
`make generators` runs it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN, NODE = HERE / ".venv/bin", HERE / "node_modules/.bin"
BURSAR = Path(os.environ.get("BURSAR_BIN", ROOT / "target/release/bursar"))
TSC = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"]

# Node runs CommonJS whose imports have no extension.
TSC_JOB = ["--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "commonjs", "--moduleResolution", "node10"]


def run(name, command, **options):
    begun = time.monotonic()
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if ended.returncode != 0:
        sys.exit(f"generators: {name} failed:\n{(ended.stdout + ended.stderr)[-4000:]}")
    print(f"generators: {name}, {time.monotonic() - begun:.0f} s", flush=True)


class Sandbox:
    """A sandbox of its own, ended at the end."""

    def __init__(self, folder):
        self.log = open(folder / "log", "w+")
        self.process = subprocess.Popen(
            [BURSAR, "serve", "--data-dir", folder / "data", "--listen", "127.0.0.1:0"], stdout=self.log, stderr=self.log
        )
        deadline = time.monotonic() + 60
        while not (line := self.listening()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("generators: the sandbox does not start")
            time.sleep(0.1)
        self.url = "http://" + line.split()[-1].removeprefix("http://")
        credentials = folder / "data/sandbox-credentials.json"
        app = json.loads(credentials.read_text())["app"]
        self.environment = {
            **os.environ, "BURSAR_URL": self.url, "BURSAR_CREDENTIALS": str(credentials),
            "BURSAR_KEY": f"{app['client_id']}:{app['api_key']}",
        }  # fmt: skip

    def listening(self):
        lines = Path(self.log.name).read_text().splitlines()
        return next((line for line in lines if "listening on" in line), None)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def main():
    with tempfile.TemporaryDirectory(prefix="bursar-generators-") as folder:
        folder = Path(folder)
        sandbox = Sandbox(folder)
        try:
            generate(folder, sandbox)
        finally:
            sandbox.stop()


def generate(folder, sandbox):
    documents = {}
    for name in ("openapi.json", "openapi-3.0.json"):
        documents[name] = folder / name
        documents[name].write_bytes(urllib.request.urlopen(f"{sandbox.url}/{name}").read())
    for name, document in documents.items():
        config = HERE / "python-client.json"
        out = folder / f"client-{name}"
        command = [BIN / "openapi-python-client", "generate", "--path", document, "--config", config, "--output-path", out]
        run(f"openapi-python-client, {name}", [*command, "--fail-on-warning"])
        job = [BIN / "python", HERE / "job.py", "openapi-python-client", out]
        if name == "openapi.json":
            run("openapi-python-client pays", job, env=sandbox.environment)
        schema = folder / f"{name}.ts"
        run(f"openapi-typescript, {name}", [NODE / "openapi-typescript", document, "-o", schema])
        run(f"openapi-typescript, {name}, compiles", [NODE / "tsc", *TSC, schema])
        hey = folder / f"hey-{name}"
        run(f"hey-api, {name}", [NODE / "openapi-ts", "-i", document, "-o", hey])
        run(f"hey-api, {name}, compiles", [NODE / "tsc", *TSC, "--moduleResolution", "bundler", "--module", "esnext", hey / "index.ts"])
        if name == "openapi.json":
            shutil.copy(HERE / "job.ts", hey)
            built = folder / "hey-built"
            compile_job = [*TSC_JOB, "--outDir", built, hey / "job.ts"]
            run("hey-api, its job compiles", [NODE / "tsc", *compile_job])
            run("hey-api pays", ["node", built / "job.js"], env=sandbox.environment)
        orval = {"bursar": {"input": str(document), "output": {"target": str(folder / f"orval-{name}.ts"), "client": "fetch"}}}
        (folder / "orval.config.cjs").write_text(f"module.exports = {json.dumps(orval)}")
        run(f"orval, {name}", [NODE / "orval", "--config", folder / "orval.config.cjs"])
        run(f"orval, {name}, compiles", [NODE / "tsc", *TSC, "--lib", "es2022,dom", folder / f"orval-{name}.ts"])
        for language in ("python", "typescript-axios", "java", "go"):
            out = folder / f"{language}-{name}"
            package = ["--package-name", "bursar_generated"] if language in ("python", "go") else []
            command = [BIN / "openapi-generator-cli", "generate", "-i", document, "-g", language, "-o", out, *package]
            run(f"openapi-generator, {language}, {name}", command)
        job = [BIN / "python", HERE / "job.py", "openapi-generator", folder / f"python-{name}"]
        if name == "openapi.json":
            run("openapi-generator, python, pays", job, env=sandbox.environment)


if __name__ == "__main__":
    main()
