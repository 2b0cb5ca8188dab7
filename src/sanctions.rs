//! The folder with the sanctions list: reads it, installs a new list, and switches to it while the program runs.
//!
//! `bursar screening load` validates all files before it replaces the folder. The running program checks the folder
//! every minute and screens all users again with a new list. If the folder cannot be read, the current list stays in
//! use and the log gives the reason.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::apps::Organization;
use crate::clock::Time;
use crate::config::{BadConfig, Config};
use crate::ids::OrgId;
use crate::program::{Bursar, Environment};
use crate::refusal::Refusal;
use crate::screening::{BadList, Files, Watchlist};
use crate::users::screening::BeginScreening;
use crate::world::Query;

const CHECK_EVERY: Duration = Duration::from_secs(60);
/// The files of a list; the last one is not always published.
const FILES: [&str; 4] = ["SDN.CSV", "ALT.CSV", "ADD.CSV", "SDN_COMMENTS.CSV"];

#[derive(Debug, thiserror::Error)]
pub enum NoList {
    #[error("{file}: {source}")]
    File { file: String, source: io::Error },
    /// The content of the files is not a valid list.
    #[error(transparent)]
    Bad(#[from] BadList),
}

fn failed(file: &Path) -> impl FnOnce(io::Error) -> NoList {
    let file = file.display().to_string();
    move |source| NoList::File { file, source }
}

/// Finds the list's files in these files and folders. The case of names does not matter.
fn find(paths: &[PathBuf]) -> Result<[Option<PathBuf>; 4], NoList> {
    let mut found = [const { None }; 4];
    for path in paths {
        let inside = if path.is_dir() {
            let entries = fs::read_dir(path).map_err(failed(path))?;
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
        } else {
            vec![path.clone()]
        };
        for file in inside {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(at) = FILES.iter().position(|known| known.eq_ignore_ascii_case(name)) {
                found[at] = Some(file);
            }
        }
    }
    Ok(found)
}

/// Reads the list from these files and folders. Of the four files only the comments may be missing.
pub fn read(paths: &[PathBuf], score_min: i64) -> Result<Watchlist, NoList> {
    let found = find(paths)?;
    let mut published = Time::from_micros(0);
    let mut bytes = Vec::new();
    for (at, file) in found.iter().enumerate() {
        let Some(file) = file else {
            if at < 3 {
                let missing = io::Error::new(io::ErrorKind::NotFound, "the file does not exist");
                return Err(failed(Path::new(FILES[at]))(missing));
            }
            bytes.push(None);
            continue;
        };
        bytes.push(Some(fs::read(file).map_err(failed(file))?));
        published = published.max(written_at(file).map_err(failed(file))?);
    }
    let mut bytes = bytes.into_iter();
    let mut next = || bytes.next().flatten();
    let files = Files {
        sdn: next().unwrap_or_default(),
        alt: next().unwrap_or_default(),
        add: next().unwrap_or_default(),
        comments: next(),
    };
    Ok(Watchlist::read(&files, published, score_min)?)
}

fn written_at(file: &Path) -> io::Result<Time> {
    let modified = fs::metadata(file)?.modified()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).map_err(io::Error::other)?;
    Ok(Time::from_micros(i64::try_from(since.as_micros()).map_err(io::Error::other)?))
}

/// Validates a list and replaces `folder` with its files in one step: a concurrent reader finds the old list or the new
/// one. An error leaves the folder unchanged.
pub fn install(paths: &[PathBuf], folder: &Path, score_min: i64) -> Result<Watchlist, NoList> {
    let list = read(paths, score_min)?;
    let (draft, old) = (folder.with_extension("draft"), folder.with_extension("old"));
    for left_over in [&draft, &old] {
        if left_over.exists() {
            fs::remove_dir_all(left_over).map_err(failed(left_over))?;
        }
    }
    fs::create_dir_all(&draft).map_err(failed(&draft))?;
    for (name, file) in FILES.iter().zip(find(paths)?) {
        let Some(file) = file else { continue };
        let copy = draft.join(name);
        // The modification time of the original is the best known date of publication.
        let copied = fs::copy(&file, &copy).and_then(|_| File::options().write(true).open(&copy)).and_then(|written| {
            written.set_modified(fs::metadata(&file)?.modified()?)?;
            written.sync_all()
        });
        copied.map_err(failed(&copy))?;
    }
    if folder.exists() {
        fs::rename(folder, &old).map_err(failed(folder))?;
    }
    fs::rename(&draft, folder).map_err(failed(folder))?;
    if old.exists() {
        fs::remove_dir_all(&old).map_err(failed(&old))?;
    }
    Ok(list)
}

/// Returns the list for the start: the list in the folder, or an invented one in a sandbox without a folder. Fails if
/// the list is invalid, or if production has none: no payee is paid there unscreened.
pub fn first(config: &Config) -> Result<Arc<Watchlist>, BadConfig> {
    let folder = &config.sanctions_dir;
    if let Some(reason) = missing(folder) {
        return match config.environment {
            Environment::Sandbox => Ok(Watchlist::of_sandbox()),
            Environment::Production => Err(BadConfig::one(reason)),
        };
    }
    let list = read(std::slice::from_ref(folder), config.screening_score_min);
    list.map(Arc::new).map_err(|no_list| BadConfig::one(format!("sanctions-dir {}: {no_list}", folder.display())))
}

/// Returns why there is no list.
pub fn missing(folder: &Path) -> Option<String> {
    let what = "production: no sanctions list in";
    (!folder.exists()).then(|| format!("{what} {}; load one with `bursar screening load`", folder.display()))
}

/// Returns the list for `bursar screening check`: the list in the folder, or the invented list only if `invented`
/// requests it, because a name that is missing there was not really screened. Fails without a data folder or a valid
/// list.
pub fn in_use(config: &Config, invented: bool) -> Result<Arc<Watchlist>, BadConfig> {
    if invented {
        return Ok(Watchlist::of_sandbox());
    }
    if !config.data_dir.exists() {
        return Err(BadConfig::one(format!("data-dir: the folder {} does not exist", config.data_dir.display())));
    }
    if !config.sanctions_dir.exists() {
        return Err(BadConfig::one(format!(
            "no sanctions list in {}; load one with `bursar screening load`, or use the sandbox's invented names with \
             --invented",
            config.sanctions_dir.display()
        )));
    }
    first(config)
}

/// Starts the screening of all users with the current list in each organization that has not started it. Returns the
/// number of organizations.
pub async fn screen_all_users(bursar: &Bursar) -> Result<usize, Refusal> {
    let mut begun = 0;
    for org in organizations(bursar).await? {
        begun += usize::from(bursar.engine.run(org, BeginScreening { org, list: bursar.watchlist() }).await?);
    }
    Ok(begun)
}

async fn organizations(bursar: &Bursar) -> Result<Vec<OrgId>, Refusal> {
    let all = Query::across::<Organization>(100_000);
    bursar.read(move |world| Ok(world.page::<Organization>(&all)?.iter().map(|found| found.org).collect())).await
}

/// Switches to another list, and screens all users with it.
pub async fn take_up(bursar: &Bursar, list: Arc<Watchlist>) -> Result<(), Refusal> {
    tracing::info!(hash = list.version().hash, names = list.version().names, "a new sanctions list is in use");
    bursar.use_watchlist(list);
    screen_all_users(bursar).await.map(drop)
}

/// Checks the folder every minute until `stop` turns true, and switches to a new list.
pub async fn keep_up(bursar: Arc<Bursar>, config: Config, mut stop: watch::Receiver<bool>) {
    let mut seen = stamp(&config.sanctions_dir);
    // Whether some organization has not started its screening with the current list.
    let mut owed = false;
    while !*stop.borrow_and_update() {
        // The loop checks the signal and the folder, so the result does not matter.
        drop(tokio::time::timeout(CHECK_EVERY, stop.changed()).await);
        let now = stamp(&config.sanctions_dir);
        let is_new = now != seen && !now.is_empty();
        let begun = if is_new {
            seen = now;
            take_up_newest(&bursar, &config).await
        } else if owed {
            screen_all_users(&bursar).await.map(drop)
        } else {
            continue;
        };
        owed = begun.is_err();
        if let Err(refusal) = begun {
            tracing::error!(refusal.message, "screening all users with the new list failed; it is retried");
        }
    }
}

/// Switches to the list in the folder if it differs. An unreadable list changes nothing.
async fn take_up_newest(bursar: &Bursar, config: &Config) -> Result<(), Refusal> {
    let reading = config.clone();
    match tokio::task::spawn_blocking(move || first(&reading)).await {
        Ok(Ok(list)) if list.version() != bursar.watchlist().version() => take_up(bursar, list).await,
        Ok(Ok(_)) | Err(_) => Ok(()),
        Ok(Err(bad)) => {
            tracing::error!(%bad, "the sanctions list cannot be read; the previous list stays in use");
            Ok(())
        }
    }
}

/// Returns names, sizes and times of the files. A change suggests a new list.
fn stamp(folder: &Path) -> Vec<(PathBuf, u64, Option<std::time::SystemTime>)> {
    let files = find(&[folder.to_owned()]).unwrap_or_default();
    let stamped = files.into_iter().flatten().filter_map(|file| {
        let about = fs::metadata(&file).ok()?;
        Some((file, about.len(), about.modified().ok()))
    });
    stamped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screening::SCORE_MIN;

    fn fixtures() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sanctions")
    }

    #[test]
    fn a_list_is_installed_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("sanctions");
        let list = install(&[fixtures()], &folder, SCORE_MIN).unwrap();
        assert_eq!(list.version().hash, Watchlist::of_sandbox().version().hash);
        let bad = place.path().join("bad");
        fs::create_dir(&bad).unwrap();
        for name in FILES {
            fs::copy(fixtures().join(name), bad.join(name.to_lowercase())).unwrap();
        }
        fs::write(bad.join("alt.csv"), "1,2,3\n").unwrap();
        assert!(matches!(install(std::slice::from_ref(&bad), &folder, SCORE_MIN), Err(NoList::Bad(_))));
        fs::remove_file(bad.join("alt.csv")).unwrap();
        assert!(matches!(install(&[bad], &folder, SCORE_MIN), Err(NoList::File { file, .. }) if file == "ALT.CSV"));
        let again =
            install(&[fixtures().join("SDN.CSV"), fixtures().join("ALT.CSV"), fixtures().join("ADD.CSV")], &folder, 90);
        assert_ne!(again.unwrap().version().hash, list.version().hash, "without the comments it is another list");
        assert!(!folder.with_extension("old").exists() && !folder.join("SDN_COMMENTS.CSV").exists());
    }

    #[test]
    fn production_does_not_begin_without_a_list() {
        let place = tempfile::tempdir().unwrap();
        let settings = crate::config::Settings { data_dir: Some(place.path().join("data")), ..Default::default() };
        let sandbox = Config::load(settings, None).unwrap();
        assert_eq!(first(&sandbox).unwrap().version().hash, Watchlist::of_sandbox().version().hash);
        let production = Config { environment: Environment::Production, ..sandbox };
        assert!(first(&production).unwrap_err().to_string().contains("bursar screening load"));
        install(&[fixtures()], &production.sanctions_dir, SCORE_MIN).unwrap();
        assert!(first(&production).is_ok());
        fs::write(production.sanctions_dir.join("SDN.CSV"), "no list").unwrap();
        assert!(first(&production).unwrap_err().to_string().contains("SDN.CSV, row 1"));
    }
}
