//! `bursar serve`

use serde_json::json;

use super::logging;
use super::terminal::{Configured, Failed, say};
use crate::apps::acts::OpenedSetup;
use crate::apps::bootstrap::{Bootstrapped, curl_lines};
use crate::preflight;
use crate::serve::{Ended, serve};

/// Serves until a signal; prints the address once connections are accepted.
pub(super) fn run(configured: Configured, as_json: bool) -> Result<(), Failed> {
    logging::start(configured.settings.log)?;
    let config = preflight::load(configured.settings, configured.config.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let announce = |base_url: &str, bootstrapped: &Bootstrapped| {
        // A closed standard output is no reason not to serve.
        drop(say(&if as_json { reported(base_url, bootstrapped) } else { greeting(base_url, bootstrapped) }));
    };
    match runtime.block_on(serve(config, announce))? {
        Ended::Requested => Ok(()),
        Ended::EngineStopped(reason) => Err(Failed::Work(format!("the engine stopped: {reason}"))),
    }
}

/// The same in one line for programs: where it listens, where the sandbox's credentials are, and whether it is new.
fn reported(base_url: &str, bootstrapped: &Bootstrapped) -> String {
    let credentials = Some(&bootstrapped.path).filter(|path| path.exists());
    json!({"listening": base_url, "credentials": credentials, "first_start": bootstrapped.first_start, "setup_token": bootstrapped.setup.as_ref().map(|setup| &setup.token), "setup_link": bootstrapped.setup.as_ref().map(|setup| &setup.link)}).to_string()
}

/// What is printed when connections are accepted: the address last, for who waits for that line.
fn greeting(base_url: &str, bootstrapped: &Bootstrapped) -> String {
    let mut lines = Vec::new();
    if let Some(credentials) = &bootstrapped.credentials {
        lines.push("This is a new sandbox. Try:".to_owned());
        lines.extend(curl_lines(credentials).into_iter().map(|line| format!("  {line}")));
        lines.push(format!("The guide is at {base_url}/guide"));
    }
    if let Some(OpenedSetup { token, link }) = &bootstrapped.setup {
        let body = json!({"token": token, "name": "…", "admin_email": "…", "app_name": "…"});
        lines.push(
            "This store has no organization. Create the first one within an hour, once. In a browser:".to_owned(),
        );
        lines.push(format!("  {link}"));
        lines.push("or with the API:".to_owned());
        lines.push(format!("  curl -H 'Content-Type: application/json' -d '{body}' {base_url}/v2/setup"));
        lines.push("or stop the server and run: bursar organizations create".to_owned());
    }
    if bootstrapped.path.exists() {
        lines.push(format!("The sandbox's credentials are in {}", bootstrapped.path.display()));
    }
    lines.push(format!("listening on {base_url}"));
    lines.join("\n")
}
