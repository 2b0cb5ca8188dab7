//! `bursar man`

use clap::{Arg, Command};

use super::terminal::{Failed, say};

/// Prints the manual page of all commands, in the format of man(7).
pub(super) fn run(mut line: Command) -> Result<(), Failed> {
    line.build();
    say(page(&line).trim_end())
}

fn page(line: &Command) -> String {
    let version = line.get_version().unwrap_or_default();
    let about = line.get_about().map(ToString::to_string).unwrap_or_default();
    let mut page = format!(
        ".TH BURSAR 1 \"\" \"bursar {version}\" \"User Commands\"\n\
         .SH NAME\nbursar \\- {}\n\
         .SH SYNOPSIS\n.B bursar\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n\
         .SH COMMANDS\n",
        text(&about)
    );
    for command in shown(line) {
        write(command, "bursar", &mut page);
    }
    page.push_str(
        ".SH EXIT STATUS\n\
         .TP\n0\nThe command succeeded.\n\
         .TP\n1\nIt failed, or a check failed.\n\
         .TP\n2\nWrong usage, or a file of the arguments cannot be read.\n\
         .TP\n78\nWrong configuration.\n",
    );
    page
}

/// Returns the commands of a command, without `help`.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

/// Writes a command with its options, or those below it.
fn write(command: &Command, above: &str, page: &mut String) {
    let name = format!("{above} {}", command.get_name());
    if shown(command).next().is_some() {
        shown(command).for_each(|inner| write(inner, &name, page));
        return;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.push_str(&format!(".SS {}\n{}\n", text(&name), text(&about)));
    let listed =
        |argument: &&Arg| !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str());
    for argument in command.get_arguments().filter(listed) {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        page.push_str(&format!(".TP\n{}\n{}\n", usage(argument), text(&help)));
    }
    if let Some(examples) = command.get_after_help() {
        page.push_str(&format!(".PP\n.nf\n{}\n.fi\n", text(&examples.to_string())));
    }
}

/// Returns `--map FIELD=COLUMN`, or the name of a value without a flag.
fn usage(argument: &Arg) -> String {
    let takes_value = argument.get_action().takes_values();
    let names = argument.get_value_names().unwrap_or_default().iter().map(|name| format!("\\fI{}\\fR", text(name)));
    let values = if takes_value { names.collect::<Vec<_>>().join(" ") } else { String::new() };
    match argument.get_long() {
        Some(long) => format!("\\fB\\-\\-{}\\fR {values}", text(long)).trim_end().to_owned(),
        None => values,
    }
}

/// Returns a text in which no character begins a request of roff.
fn text(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-");
    let lines =
        escaped.lines().map(|line| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_begins_no_request_and_names_are_bold() {
        assert_eq!(text(".SH x\n'y\na-b\\c"), "\\&.SH x\n\\&'y\na\\-b\\ec");
        let line = Command::new("bursar").version("1").about("A program").subcommand(
            Command::new("keys").about("Manage keys").subcommand(
                Command::new("list")
                    .about("List keys")
                    .arg(Arg::new("to").long("to").value_name("FILE").help("A file")),
            ),
        );
        let page = page(&line);
        assert!(page.starts_with(".TH BURSAR 1") && page.contains(".SS bursar keys list\nList keys\n"), "{page}");
        assert!(page.contains(".TP\n\\fB\\-\\-to\\fR \\fIFILE\\fR\nA file\n"), "{page}");
    }
}
