//! Which settings each command reads, how the commands are grouped, and what a mistake on the command line can mean.
//!
//! Every command takes the settings as flags, as variables `BURSAR_…` and from a file. Its help shows the ones that it
//! reads; another flag is refused, so that no setting is given in vain.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, Command};

use crate::config::Settings;

/// The commands in the order of `bursar --help`.
pub(super) const GROUPS: [(&str, &[&str]); 4] = [
    ("Run", &["serve", "probe", "doctor", "migrate", "organizations", "keys", "rekey", "screening"]),
    ("Data", &["verify", "anchor", "backup", "restore", "move", "bank", "rails"]),
    (
        "Develop",
        &["get", "post", "batch", "trigger", "events", "logs", "listen", "sandbox", "routes", "completions", "man"],
    ),
    ("Measure", &["bench", "reference", "simulate"]),
];

const STORE: [&str; 4] = ["data_dir", "database_url", "database_password_file", "database_pooler"];
const KEYS: [&str; 4] = ["key_file", "master_key_command", "master_key_url", "master_key_token_file"];

/// The settings that a command reads; `None` for all of them.
fn read_by(path: &[&str]) -> Option<Vec<&'static str>> {
    let groups: &[&[&str]] = match path {
        ["serve" | "doctor"] | ["organizations", "create"] => return None,
        ["probe"] => &[&["listen", "admin_listen", "environment"]],
        ["migrate"] => &[&STORE, &["database_executors", "storage_quota_mib", "environment"]],
        ["verify"] | ["rekey"] => &[&STORE, &KEYS, &["environment"]],
        ["anchor"] => &[&STORE, &KEYS, &["environment", "log"]],
        ["backup"] | ["restore"] => &[&["data_dir", "database_url"], &KEYS, &["environment"]],
        ["move"] => &[&STORE, &KEYS, &["environment"]],
        ["reference", "rows" | "organizations"] => &[&STORE, &KEYS, &["database_executors", "environment"]],
        ["sandbox", "reset"] => &[&["data_dir", "database_url", "environment"]],
        ["screening", "load"] => &[&["data_dir", "sanctions_dir"]],
        ["screening", "check"] => &[&["data_dir", "sanctions_dir", "screening_score_min"]],
        // They talk to a running server, or need no configuration.
        _ => return None,
    };
    Some(groups.concat())
}

fn is_setting(id: &str) -> bool {
    Settings::augment_args(Command::new("settings")).get_arguments().any(|argument| argument.get_id() == id)
}

/// The command line with the help that a person needs: commands in groups, and of the settings those that are read.
pub(super) fn shaped(line: Command) -> Command {
    let groups = grouped(&line);
    let template = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned()
        + &groups
        + "Options:\n{options}\n\nRun `bursar <command> --help` for the settings and examples of a command.\n";
    narrowed(line, &[]).help_template(template)
}

fn grouped(line: &Command) -> String {
    let about = |name: &str| {
        let command = line.find_subcommand(name).expect("GROUPS names commands; a test compares them");
        format!("  {name:<14} {}\n", command.get_about().map(ToString::to_string).unwrap_or_default())
    };
    let group = |(title, names): &(&str, &[&str])| {
        format!("{title}:\n{}\n", names.iter().map(|name| about(name)).collect::<String>())
    };
    GROUPS.iter().map(group).collect()
}

fn narrowed(command: Command, path: &[String]) -> Command {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let command = match read_by(&names) {
        Some(read) if !names.is_empty() => command.mut_args(|argument| {
            let id = argument.get_id().as_str();
            let is_hidden = is_setting(id) && !read.contains(&id);
            argument.hide(is_hidden)
        }),
        Some(_) | None => command,
    };
    let inner: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    inner.into_iter().fold(command, |command, name| {
        let path = [path, std::slice::from_ref(&name)].concat();
        command.mut_subcommand(name, |inner| narrowed(inner, &path))
    })
}

/// Refuses a flag that the command does not read.
pub(super) fn check(line: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let (mut path, mut inner) = (Vec::new(), matches);
    while let Some((name, next)) = inner.subcommand() {
        path.push(name);
        inner = next;
    }
    let Some(read) = read_by(&path) else { return Ok(()) };
    let is_given = |id: &str| {
        let source = inner.try_contains_id(id).is_ok().then(|| inner.value_source(id)).flatten();
        source == Some(ValueSource::CommandLine)
    };
    let settings = Settings::augment_args(Command::new("settings"));
    let vain = settings.get_arguments().find(|argument| {
        let id = argument.get_id().as_str();
        !read.contains(&id) && is_given(id)
    });
    match vain.and_then(|argument| argument.get_long()) {
        Some(flag) => {
            let message = format!("`bursar {}` does not read --{flag}", path.join(" "));
            Err(line.error(ErrorKind::UnknownArgument, message))
        }
        None => Ok(()),
    }
}

/// What the parser does not know: that a value came from a variable, and which flag has the port.
pub(super) fn hint(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    let flag = flag.split([' ', '=']).next().unwrap_or(flag);
    if flag == "--port" || flag == "-p" {
        return Some("  tip: give address and port together: --listen 127.0.0.1:8080".to_owned());
    }
    let settings = Settings::augment_args(Command::new("settings"));
    let setting = settings.get_arguments().find(|argument| argument.get_long() == flag.strip_prefix("--"))?;
    let variable = setting.get_env()?.to_str()?.to_owned();
    let is_flag = arguments.iter().any(|argument| argument == flag || argument.starts_with(&format!("{flag}=")));
    let is_from_variable = !is_flag && std::env::var_os(&variable).is_some();
    is_from_variable.then(|| format!("  tip: the value comes from the environment variable {variable}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group() {
        let line = super::super::Line::command();
        let commands: BTreeSet<&str> = line.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.len(), commands.len());
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), commands);
    }

    /// Only a server, and the commands that check or prepare one, read every setting.
    #[test]
    fn help_shows_only_the_settings_that_a_command_reads() {
        fn showing(command: &Command, found: &mut Vec<String>) {
            let shows = |argument: &clap::Arg| argument.get_id() == "smtp_url" && !argument.is_hide_set();
            if command.get_arguments().any(shows) {
                found.push(command.get_name().to_owned());
            }
            command.get_subcommands().for_each(|inner| showing(inner, found));
        }
        let mut found = Vec::new();
        showing(&shaped(super::super::Line::command()), &mut found);
        assert_eq!(found, ["serve", "doctor", "create"]);
        // The control: without the table every command with settings shows it.
        let mut all = Vec::new();
        showing(&super::super::Line::command(), &mut all);
        assert!(all.len() > 8, "{all:?}");
    }

    #[test]
    fn what_a_command_reads_are_settings() {
        for path in
            [vec!["migrate"], vec!["verify"], vec!["anchor"], vec!["backup"], vec!["move"], vec!["screening", "check"]]
        {
            for id in read_by(&path).unwrap() {
                assert!(is_setting(id), "{path:?}: {id}");
            }
        }
        assert!(!is_setting("json"));
    }
}
