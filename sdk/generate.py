#!/usr/bin/env python3
"""Generates the parts of the SDKs that follow from the OpenAPI document, and the Postman collection.

usage: generate.py [--out FOLDER]

Reads openapi.json; `make sdk` runs it. The types of the Python SDK come from datamodel-code-generator, those of the
TypeScript SDK from openapi-typescript; tests/openapi pins both.
"""

import argparse
import json
import keyword
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tests" / "openapi"
HEADER = "Generated from openapi.json by `make sdk`. Do not edit."
# Headers that the clients set themselves.
OF_CLIENT = ("Api-App-Id", "Idempotency-Key")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=ROOT / "sdk")
    out = arguments.parse_args().out
    document = json.loads((ROOT / "openapi.json").read_text())
    python, typescript = out / "python/src/bursar", out / "typescript/src"
    for folder in (python, typescript, out / "postman"):
        folder.mkdir(parents=True, exist_ok=True)
    operations = [Operation(document, *found) for found in found_in(document)]
    python_types(document, python / "models.py")
    (python / "operations.py").write_text(python_operations(operations))
    (python / "refusals.py").write_text(python_refusals(document))
    run(TOOLS / "node_modules/.bin/openapi-typescript", ROOT / "openapi.json", "-o", typescript / "schema.ts")
    (typescript / "operations.ts").write_text(typescript_operations(document, operations))
    collection = json.dumps(postman(document, operations), indent=1, ensure_ascii=False)
    (out / "postman/bursar.postman_collection.json").write_text(collection + "\n")
    version = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    for package in ("python/pyproject.toml", "typescript/package.json"):
        if f'"{version}"' not in (ROOT / "sdk" / package).read_text():
            sys.exit(f"sdk/{package}: its version is not {version}, which is that of Cargo.toml")


def run(*command):
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{command[0]}: {ended.stdout}{ended.stderr}")


def found_in(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


class Operation:
    """An operation with its references resolved."""

    def __init__(self, document, path, method, operation):
        self.path, self.method, self.id = path, method.upper(), operation["operationId"]
        self.summary, self.description = operation["summary"], operation.get("description", "")
        self.tag, self.security = operation["tags"][0], operation["security"]
        parameters = [resolved(document, parameter) for parameter in operation.get("parameters", [])]
        self.in_path = [parameter for parameter in parameters if parameter["in"] == "path"]
        self.query = [parameter for parameter in parameters if parameter["in"] == "query"]
        headers = [parameter["name"] for parameter in parameters if parameter["in"] == "header"]
        # Where the path names the app, the header may only repeat it.
        names_app = any(parameter["name"] == "app_id" for parameter in self.in_path)
        self.has_app_id, self.is_keyed = "Api-App-Id" in headers and not names_app, "Idempotency-Key" in headers
        self.headers = [name for name in headers if name not in OF_CLIENT]
        body = operation.get("requestBody")
        self.body = body and body["content"]["application/json"]["schema"]
        self.body_is_required = bool(body and body["required"])
        self.example = body and body["content"]["application/json"].get("example")
        self.answers = [answer.get("content") for status, answer in operation["responses"].items() if status < "400"]

    def answer(self):
        """The schema of the response, "bytes" for a file, None without a body."""
        for content in self.answers:
            if content:
                return content["application/json"]["schema"] if "application/json" in content else "bytes"
        return None

    def item(self, document):
        """The name of a list's objects, if the list has pages whose cursor is an id."""
        answer = self.answer()
        schema = resolved(document, answer) if isinstance(answer, dict) else {}
        items = schema.get("properties", {}).get("data", {}).get("items", {})
        has_pages = any(parameter["name"] == "starting_after" for parameter in self.query)
        has_id = "id" in resolved(document, items).get("properties", {})
        return items["$ref"].split("/")[-1] if has_pages and has_id and "$ref" in items else None


def resolved(document, value):
    if "$ref" not in value:
        return value
    for name in value["$ref"].split("/")[1:]:
        document = document[name]
    return document


def python_types(document, target):
    """Writes the types of all schemas but the errors, which are classes in refusals.py."""
    schemas = {name: schema for name, schema in document["components"]["schemas"].items() if not name.endswith("Error")}
    schemas["FieldError"] = document["components"]["schemas"]["FieldError"]
    without_errors = {"openapi": document["openapi"], "info": document["info"], "components": {"schemas": schemas}, "paths": {}}
    source = target.with_suffix(".json")
    source.write_text(json.dumps(without_errors))
    run(
        TOOLS / ".venv/bin/datamodel-codegen", "--input", source, "--input-file-type", "openapi",
        "--openapi-scopes", "schemas", "--output-model-type", "typing.TypedDict", "--target-python-version", "3.11",
        "--enum-field-as-literal", "all", "--use-union-operator", "--use-standard-collections", "--disable-timestamp",
        "--use-schema-description", "--formatters", "builtin", "--custom-file-header", f"# {HEADER}", "--output", target,
    )  # fmt: skip
    source.unlink()
    text = target.read_text().replace("from typing_extensions import TypedDict\n", "")
    # Python 3.11 has no closed dictionaries.
    text = re.sub(r",\s*closed=True", "", text)
    target.write_text(re.sub(r"^from typing import (.*)$", r"from typing import \1, TypedDict", text, flags=re.MULTILINE))


def python_kind(schema):
    """The annotation of a parameter or a body."""
    if schema == "bytes" or schema is None:
        return str(schema)
    if "$ref" in schema:
        return "models." + schema["$ref"].split("/")[-1]
    if schema.get("type") == "array":
        return f"list[{python_kind(schema['items'])}]"
    return {"integer": "int", "boolean": "bool", "string": "str"}.get(schema.get("type"), "Any")


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name.replace("-", "_").lower()


def python_operations(operations):
    document = json.loads((ROOT / "openapi.json").read_text())
    lines = [
        f'"""{HEADER}"""', "", "from __future__ import annotations", "",
        "from collections.abc import Iterator", "from typing import Any", "",
        "from . import models", "from .transport import Transport", "", "",
        "class Operations(Transport):", '    """The operations of the API: one method for each."""',
    ]  # fmt: skip
    for operation in operations:
        lines += python_method(operation)
        if item := operation.item(document):
            lines += python_iterator(operation, item)
    return "\n".join(lines) + "\n"


def python_arguments(operation, without=()):
    """The parameters of a method, and the query that it sends."""
    plain = [f"{python_name(parameter['name'])}: str" for parameter in operation.in_path]
    if operation.body:
        kind = python_kind(operation.body)
        plain.append(f"body: {kind}" if operation.body_is_required else f"body: {kind} | None = None")
    named, query = [], []
    for parameter in operation.query:
        if parameter["name"] in without:
            continue
        name, kind = python_name(parameter["name"]), python_kind(parameter["schema"])
        named.append(f"{name}: {kind}" if parameter["required"] else f"{name}: {kind} | None = None")
        query.append(f'"{parameter["name"]}": {name}')
    named += [f"{python_name(name)}: str | None = None" for name in operation.headers]
    if operation.has_app_id:
        named.append("app_id: str | None = None")
    if operation.is_keyed:
        named.append("idempotency_key: str | None = None")
    return plain, named, query


def python_method(operation):
    plain, named, query = python_arguments(operation)
    arguments = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    returns = python_kind(operation.answer())
    path = re.sub(r"{(.*?)}", lambda found: "{self.part(" + python_name(found[1]) + ")}", operation.path)
    sent = [f'"{operation.method}"', f'{"f" if "{" in path else ""}"{path}"']
    if query:
        sent.append(f"query={{{', '.join(query)}}}")
    if operation.body:
        sent.append("body=body")
    if operation.headers:
        sent.append("headers={%s}" % ", ".join(f'"{name}": {python_name(name)}' for name in operation.headers))
    if operation.has_app_id:
        sent.append("app_id=app_id")
    if operation.is_keyed:
        sent.append("idempotency_key=idempotency_key or self.new_key()")
    return [
        "", f"    def {operation.id}({arguments}) -> {returns}:", *python_doc(operation),
        f"        return self.request({', '.join(sent)})",
    ]  # fmt: skip


def python_doc(operation):
    text = f"{operation.summary}."
    if operation.description:
        text += "\n\n" + operation.description
    lines = text.replace("\\", "\\\\").split("\n")
    lines[0] = '"""' + lines[0]
    if len(lines) == 1:
        lines[0] += '"""'
    else:
        lines.append('"""')
    return [f"        {line}".rstrip() for line in lines]


def python_iterator(operation, item):
    cursors = ("starting_after", "ending_before")
    plain, named, _ = python_arguments(operation, without=cursors)
    arguments = ", ".join(["self", *plain, "*", *named])
    given = [argument.split(":")[0] for argument in plain]
    given += [f"{name}={name}" for name in (argument.split(":")[0] for argument in named)]
    call = ", ".join([*given, "starting_after=after"])
    return [
        "", f"    def iterate_{operation.id.removeprefix('list_')}({arguments}) -> Iterator[models.{item}]:",
        f'        """{operation.summary}: all of them, page by page."""',
        f"        return self.pages(lambda after: self.{operation.id}({call}))",
    ]  # fmt: skip


def error_codes(document):
    """The name and the code of each error."""
    for name, schema in document["components"]["schemas"].items():
        if name.endswith("Error") and "allOf" in schema:
            yield name, schema["allOf"][1]["properties"]["error_code"]["enum"][0], schema["description"]


def python_refusals(document):
    lines = [f'"""{HEADER}"""', "", "from .errors import ApiError", ""]
    for name, code, description in error_codes(document):
        lines += ["", f"class {name}(ApiError):", f'    """{description}"""', "", f'    code = "{code}"', ""]
    lines += ["", "BY_CODE: dict[str, type[ApiError]] = {"]
    lines += [f'    "{code}": {name},' for name, code, _ in error_codes(document)]
    return "\n".join([*lines, "}"]) + "\n"


def typescript_operations(document, operations):
    codes = [f'  | "{code}"' for _, code, _ in error_codes(document)]
    keyed = [f'  "{operation.path}",' for operation in operations if operation.is_keyed]
    return "\n".join([
        f"// {HEADER}", "", "/** The codes of refusals. A newer server may send others. */", "export type ErrorCode =",
        *codes[:-1], codes[-1] + ";", "", "/** The paths whose POST takes an idempotency key. */",
        "export const KEYED: ReadonlySet<string> = new Set([", *keyed, "]);", "",
    ])  # fmt: skip


def postman(document, operations):
    folders = []
    for tag in document["tags"]:
        items = [postman_request(operation) for operation in operations if operation.tag == tag["name"]]
        if items:
            folders.append({"name": tag["name"], "description": tag["description"], "item": items})
    password = {"key": "password", "value": "{{api_key}}", "type": "string"}
    return {
        "info": {
            "name": "bursar",
            "description": f"{HEADER}\n\n{document['info']['description']}",
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "auth": {"type": "basic", "basic": [{"key": "username", "value": "{{client_id}}", "type": "string"}, password]},
        "variable": [
            {"key": "base_url", "value": "http://127.0.0.1:8080"},
            {"key": "client_id", "value": ""},
            {"key": "api_key", "value": ""},
            {"key": "app_id", "value": ""},
        ],
        "item": folders,
    }


def postman_request(operation):
    headers = [{"key": name, "value": "", "disabled": True} for name in operation.headers]
    if operation.has_app_id:
        headers.append({"key": "Api-App-Id", "value": "{{app_id}}", "description": "For organization keys.", "disabled": True})
    if operation.is_keyed:
        headers.append({"key": "Idempotency-Key", "value": "{{$guid}}"})
    query = [
        {"key": parameter["name"], "value": "", "description": parameter["description"], "disabled": not parameter["required"]}
        for parameter in operation.query
    ]
    path = re.sub(r"{(.*?)}", r":\1", operation.path)
    url = {"raw": "{{base_url}}" + path, "host": ["{{base_url}}"], "path": path.strip("/").split("/")}
    if operation.in_path:
        url["variable"] = [{"key": parameter["name"], "value": ""} for parameter in operation.in_path]
    if query:
        url["query"] = query
    request = {"method": operation.method, "header": headers, "url": url}
    if operation.description:
        request["description"] = operation.description
    if not operation.security:
        request["auth"] = {"type": "noauth"}
    if operation.body:
        request["header"].append({"key": "Content-Type", "value": "application/json"})
        example = operation.example if operation.example is not None else {}
        request["body"] = {"mode": "raw", "raw": json.dumps(example, indent=2, ensure_ascii=False)}
    return {"name": operation.summary, "request": request}


if __name__ == "__main__":
    main()
