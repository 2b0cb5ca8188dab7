//! The OpenAPI document as other programs read it: linters, generators, and the SDKs against a running sandbox.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bursar::openapi;
use serde_json::{Value, json};

use crate::deploy::done;
use crate::harness::Process;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn npm(program: &str) -> Command {
    let mut command = Command::new(root().join("tests/openapi/node_modules/.bin").join(program));
    command.current_dir(root().join("tests/openapi"));
    command
}

fn python() -> Command {
    Command::new(root().join("tests/openapi/.venv/bin/python"))
}

/// Both forms of the document, by the name of their file.
fn documents() -> [(&'static str, Value); 2] {
    let document = openapi::document(&bursar::routes::business());
    let older = openapi::document_3_0(&document);
    [("openapi.json", document), ("openapi-3.0.json", older)]
}

fn written(folder: &Path, name: &str, document: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, openapi::text(document)).unwrap();
    path
}

fn spectral(document: &Path) -> Output {
    let ruleset = root().join("tests/openapi/spectral.yaml");
    let mut command = npm("spectral");
    command.args(["lint", "--quiet", "--fail-severity", "error", "--ruleset"]).arg(ruleset).arg(document);
    command.output().unwrap()
}

/// Runs Redocly's recommended rules. Examples that contradict their schema are warnings there, and errors here.
fn redocly(document: &Path) -> Output {
    let folder = document.parent().unwrap();
    let rules = json!({"extends": ["recommended"], "rules": {"no-invalid-media-type-examples": "error"}});
    let config = folder.join("redocly.yaml");
    fs::write(&config, rules.to_string()).unwrap();
    npm("redocly").args(["lint", "--config"]).arg(config).arg(document).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat()).into_owned()
}

#[test]
fn linters_find_no_error_in_the_document() {
    for (name, mut document) in documents() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), name, &document);
        let linted = spectral(&path);
        assert!(linted.status.success(), "{name}: {}", text(&linted));
        let linted = redocly(&path);
        assert!(linted.status.success(), "{name}: {}", text(&linted));
        done(python().args(["-m", "openapi_spec_validator"]).arg(&path));
        // The control: an example that contradicts its schema is an error of both.
        let send = "/paths/~1v2~1payouts~1send-payout/post/requestBody/content/application~1json/example";
        *document.pointer_mut(send).unwrap() = json!({"amount": "ten"});
        let wrong = written(folder.path(), name, &document);
        assert!(!spectral(&wrong).status.success() && !redocly(&wrong).status.success(), "{name}");
    }
}

/// The files below a folder, by their path.
fn files(folder: &Path, within: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files(&entry, within, found);
        } else {
            found.push((entry.strip_prefix(within).unwrap().to_owned(), fs::read_to_string(&entry).unwrap()));
        }
    }
}

#[test]
fn the_generated_files_are_those_of_the_document() {
    let folder = tempfile::tempdir().unwrap();
    done(python().arg(root().join("sdk/generate.py")).arg("--out").arg(folder.path()));
    let mut generated = Vec::new();
    files(folder.path(), folder.path(), &mut generated);
    assert_eq!(generated.len(), 6);
    for (name, text) in generated {
        let committed = fs::read_to_string(root().join("sdk").join(&name)).unwrap_or_default();
        assert!(committed == text, "sdk/{} is not what openapi.json says; run `make sdk`", name.display());
    }
}

/// A sandbox and the environment that the tests of an SDK read.
fn with_sandbox(command: &mut Command) -> String {
    let data = tempfile::tempdir().unwrap();
    let sandbox = Process::start(data.path());
    let credentials = data.path().join("sandbox-credentials.json");
    let keys: Value = serde_json::from_slice(&fs::read(&credentials).unwrap()).unwrap();
    let part = |name: &str| keys["app"][name].as_str().unwrap().to_owned();
    command.env("BURSAR_URL", format!("http://{}", sandbox.address)).env("BURSAR_CREDENTIALS", credentials);
    command.env("BURSAR_KEY", format!("{}:{}", part("client_id"), part("api_key")));
    done(command)
}

#[test]
fn the_python_sdk_pays_a_person() {
    let sdk = root().join("sdk/python");
    let checks = ["-m", "mypy", "--strict", "--no-warn-return-any", "--cache-dir", "/dev/null", "src/bursar"];
    done(python().args(checks).current_dir(&sdk));
    let mut tests = python();
    tests.args(["-W", "ignore::ResourceWarning", "-m", "unittest", "discover", "-s", "tests"]);
    let printed = with_sandbox(tests.current_dir(&sdk).env("PYTHONPATH", "src").env("PYTHONDONTWRITEBYTECODE", "1"));
    assert!(printed.contains("Ran 10 tests") && printed.contains("OK"), "{printed}");
}

#[test]
fn the_typescript_sdk_pays_a_person() {
    let sdk = root().join("sdk/typescript");
    done(Command::new(sdk.join("node_modules/.bin/tsc")).current_dir(&sdk));
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-reporter=tap", "tests/sandbox.test.mjs"]).current_dir(&sdk);
    let printed = with_sandbox(&mut tests);
    assert!(printed.contains("# pass 8") && printed.contains("# fail 0"), "{printed}");
    // The control of the types: a misspelled field and an unknown path do not compile.
    let folder = tempfile::tempdir_in(&sdk).unwrap();
    let wrong = folder.path().join("wrong.ts");
    let call = |path: &str, body: &str| {
        format!(
            "import {{ Bursar }} from \"../dist/index.js\";\nvoid new Bursar().post(\"{path}\", {{ body: {body} }});\n"
        )
    };
    let compiles = |program: String| {
        fs::write(&wrong, program).unwrap();
        let options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext"];
        Command::new(sdk.join("node_modules/.bin/tsc")).args(options).arg(&wrong).output().unwrap().status.success()
    };
    assert!(compiles(call("/v2/payouts/send-payout", "{ amount: 1 }")));
    assert!(!compiles(call("/v2/payouts/send-payout", "{ amuont: 1 }")));
    assert!(!compiles(call("/v2/payouts/send-payot", "{ amount: 1 }")));
}

#[test]
fn two_generators_read_the_document() {
    let folder = tempfile::tempdir().unwrap();
    for (name, document) in documents() {
        let path = written(folder.path(), name, &document);
        let out = folder.path().join(format!("python-{name}"));
        let config = root().join("tests/openapi/python-client.json");
        let mut generate = Command::new(root().join("tests/openapi/.venv/bin/openapi-python-client"));
        generate.args(["generate", "--fail-on-warning", "--path"]).arg(&path).arg("--config").arg(config);
        done(generate.arg("--output-path").arg(&out));
        // This generator does not read `nullable` next to a reference, which only 3.0 needs.
        if name == "openapi.json" {
            let mut job = python();
            job.arg(root().join("tests/openapi/job.py")).arg("openapi-python-client").arg(&out);
            with_sandbox(job.env("PYTHONDONTWRITEBYTECODE", "1"));
        }
        let types = folder.path().join(format!("{name}.ts"));
        done(npm("openapi-typescript").arg(&path).arg("-o").arg(&types));
        done(npm("tsc").args(["--strict", "--noEmit", "--skipLibCheck"]).arg(&types));
    }
}

/// The client of hey-api, compiled with its job, which Node runs.
#[test]
fn a_generated_typescript_client_pays_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let [(name, document), _] = documents();
    let (client, built) = (folder.path().join("client"), folder.path().join("built"));
    let path = written(folder.path(), name, &document);
    done(npm("openapi-ts").arg("-i").arg(&path).arg("-o").arg(&client));
    let job = client.join("job.ts");
    fs::copy(root().join("tests/openapi/job.ts"), &job).unwrap();
    let options = ["--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "commonjs"];
    let resolution = ["--moduleResolution", "node10", "--outDir"];
    done(npm("tsc").args(options).args(resolution).arg(&built).arg(&job));
    with_sandbox(Command::new("node").arg(built.join("job.js")));
}
