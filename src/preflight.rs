//! Collects all reasons not to start, each with its remedy: settings, files, folders.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::config::{self, BadConfig, Config, EnvironmentChoice, Settings};
use crate::key_file::{KeySource, secret_text};
use crate::sanctions;

/// Returns the configuration of a server. A [`BadConfig`] lists every problem of the settings and of their files.
pub fn load(given: Settings, file: Option<&Path>) -> Result<Config, BadConfig> {
    let settings = match file {
        Some(file) => given.clone().or(config::read(file, &mut Vec::new())?),
        None => given.clone(),
    };
    let (config, mut reasons) = match Config::load(given, file) {
        Ok(config) => (Some(config), Vec::new()),
        Err(bad) => (None, bad.0),
    };
    let production = settings.environment == Some(EnvironmentChoice::Production);
    if production {
        reasons.extend(key_problem(&settings, config.as_ref()));
    }
    reasons.extend(secret_problems(&settings));
    let data_dir = settings.data_dir.clone().unwrap_or_else(|| PathBuf::from("bursar-data"));
    if let Some(reason) = open_to_others(&data_dir) {
        if production {
            reasons.push(format!("production: {reason}"));
        } else {
            tracing::warn!("{reason}");
        }
    }
    if production {
        let folder = settings.sanctions_dir.clone().unwrap_or_else(|| data_dir.join("sanctions"));
        reasons.extend(sanctions::missing(&folder));
    }
    match config {
        Some(config) if reasons.is_empty() => Ok(config),
        Some(_) | None => Err(BadConfig(reasons)),
    }
}

/// Returns why the master keys cannot be read. A sandbox creates a missing file.
fn key_problem(settings: &Settings, config: Option<&Config>) -> Option<String> {
    let file = settings.key_file.as_ref()?;
    let source = config.map(|config| config.key.clone()).unwrap_or_else(|| KeySource {
        file: file.clone(),
        command: settings.master_key_command.clone(),
        url: settings.master_key_url.clone(),
        token_file: settings.master_key_token_file.clone(),
    });
    source.read().err()
}

/// Returns the files with secrets that cannot be read, are empty, or may be read by others.
fn secret_problems(settings: &Settings) -> Vec<String> {
    let files = [
        ("database-password-file", &settings.database_password_file),
        ("smtp-password-file", &settings.smtp_password_file),
        ("sms-token-file", &settings.sms_token_file),
    ];
    let problem = |(setting, file): (&str, &Option<PathBuf>)| {
        let file = file.as_ref()?;
        let reason = match secret_text(file) {
            Ok(text) if text.trim().is_empty() => "is empty; write the secret into it".to_owned(),
            Ok(_) => return None,
            Err(reason) => reason,
        };
        Some(format!("{setting} {}: {reason}", file.display()))
    };
    files.into_iter().filter_map(problem).collect()
}

/// Returns a problem if others may read the data folder.
pub fn open_to_others(folder: &Path) -> Option<String> {
    let mode = std::fs::metadata(folder).ok()?.permissions().mode() & 0o777;
    let folder = folder.display();
    (mode & 0o077 != 0)
        .then(|| format!("data-dir {folder}: other users can read it (mode {mode:o}); run: chmod 700 {folder}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Environment;

    #[test]
    fn all_reasons_are_listed_at_once_each_with_its_remedy() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        std::fs::create_dir(path("data")).unwrap();
        std::fs::set_permissions(path("data"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(path("token"), "").unwrap();
        std::fs::set_permissions(path("token"), std::fs::Permissions::from_mode(0o600)).unwrap();
        let settings = Settings {
            environment: Some(EnvironmentChoice::Production),
            data_dir: Some(path("data")),
            key_file: Some(path("master.key")),
            sms_token_file: Some(path("token")),
            smtp_password_file: Some(path("none")),
            public_url: Some("ftp://example.com".to_owned()),
            screening_score_min: Some(5),
            ..Settings::default()
        };
        let reasons = load(settings, None).unwrap_err().0;
        for said in [
            "needs a configuration file",
            "production: public-url must begin with https://, because",
            "public-url must begin with",
            "screening-score-min",
            "needs smtp-url",
            "text messages need all of",
            "bursar keys master",
            "sms-token-file",
            "is empty",
            "does not exist; write the secret into it",
            "chmod 700",
            "bursar screening load",
        ] {
            assert!(reasons.iter().any(|reason| reason.contains(said)), "{said}: {reasons:#?}");
        }
    }

    #[test]
    fn a_sandbox_needs_nothing() {
        let place = tempfile::tempdir().unwrap();
        let settings = Settings { data_dir: Some(place.path().join("data")), ..Settings::default() };
        assert_eq!(load(settings, None).unwrap().environment, Environment::Sandbox);
    }
}
