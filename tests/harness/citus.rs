//! Databases on a cluster of Citus. They are few, because each keeps servers busy on every node: one is lent to a
//! test's process, and emptied for the next.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bursar::store::Postgres;
use bursar::store::postgres::Settings;

use super::postgres::{Cluster, aside};

/// Held until the process ends: the lock of a borrowed database.
static BORROWED: Mutex<Vec<File>> = Mutex::new(Vec::new());

#[derive(Clone, Debug)]
pub struct Citus {
    /// `host:port` of the coordinator, as the others reach it.
    coordinator: String,
    /// `host:port` of each worker.
    workers: Vec<String>,
    /// `host:port` of a server that no database uses.
    pub spare: Option<String>,
    folder: PathBuf,
    /// The prefix of the names of the run's databases.
    prefix: String,
}

fn of_nodes(cluster: &Cluster, which: &str) -> Vec<String> {
    let nodes = format!("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE {which} ORDER BY nodeid");
    aside(|| cluster.run("postgres", &nodes))
}

fn host_and_port(node: &str) -> String {
    let (host, port) = node.rsplit_once(':').expect("a node has a port");
    format!("'{host}', {port}")
}

impl Citus {
    /// Returns the cluster of a coordinator whose database `postgres` lists the others. Creates the template for test
    /// databases, unless another process of the run has done so.
    pub fn at(coordinator: &Cluster) -> Self {
        let owner = std::os::unix::process::parent_id();
        let folder = std::env::temp_dir().join(format!("bursar-citus-{owner}"));
        std::fs::create_dir_all(&folder).unwrap();
        let citus = Self {
            coordinator: of_nodes(coordinator, "groupid = 0").remove(0),
            workers: of_nodes(coordinator, "groupid > 0 AND isactive"),
            spare: of_nodes(coordinator, "groupid > 0 AND NOT isactive").pop(),
            prefix: format!("bursar_citus_{owner}_"),
            folder,
        };
        let lock = File::create(citus.folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let ready = citus.folder.join("ready");
        if !ready.exists() {
            aside(|| citus.clear_away(coordinator));
            aside(|| citus.make_template(coordinator));
            File::create(ready).unwrap();
        }
        citus
    }

    fn servers(&self, coordinator: &Cluster) -> Vec<Cluster> {
        let all = self.workers.iter().chain(&self.spare).map(|node| coordinator.beside(node));
        std::iter::once(coordinator.clone()).chain(all).collect()
    }

    /// Drops the databases of runs that have ended.
    fn clear_away(&self, coordinator: &Cluster) {
        for server in self.servers(coordinator) {
            for name in server.run("postgres", "SELECT datname FROM pg_database WHERE datname LIKE 'bursar_citus_%'") {
                let owner = name.split('_').nth(2).unwrap_or_default();
                if name.starts_with(&self.prefix) || !PathBuf::from(format!("/proc/{owner}")).exists() {
                    // A database with an interrupted move remains until its cluster ends.
                    drop(server.try_run("postgres", &format!("DROP DATABASE \"{name}\" WITH (FORCE)")));
                }
            }
        }
    }

    fn make_template(&self, coordinator: &Cluster) {
        let template = format!("{}template", self.prefix);
        self.make(coordinator, &template, "");
        let settings = Settings::parse(&coordinator.url(&template)).unwrap();
        drop(Postgres::distribute(settings).expect("the cluster takes our schema"));
        // A database can be copied only without other connections to it.
        for server in self.servers(coordinator) {
            server.run("postgres", &format!("ALTER DATABASE {template} ALLOW_CONNECTIONS false"));
        }
    }

    /// Creates a database on every server, with the extension, and registers the workers at the coordinator.
    fn make(&self, coordinator: &Cluster, name: &str, copied: &str) {
        for server in self.servers(coordinator) {
            let begun = Instant::now();
            // The extension connects to a database in the background, and returns after it is disconnected.
            let leave = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{copied}'");
            let make = match copied {
                "" => format!("CREATE DATABASE {name}"),
                template => format!("CREATE DATABASE {name} TEMPLATE {template}"),
            };
            server.run("postgres", &leave);
            while let Err(error) = server.try_run("postgres", &make) {
                assert!(begun.elapsed() < Duration::from_secs(20), "{error:?}");
                server.run("postgres", &leave);
                std::thread::park_timeout(Duration::from_millis(50));
            }
            if copied.is_empty() {
                server.run(name, "CREATE EXTENSION citus");
            }
        }
        if copied.is_empty() {
            let host = host_and_port(&self.coordinator);
            coordinator.run(name, &format!("SELECT citus_set_coordinator_host({host})"));
            for worker in &self.workers {
                coordinator.run(name, &format!("SELECT citus_add_node({})", host_and_port(worker)));
            }
        }
    }

    /// Creates an empty database with the extension; it remains until the run has ended.
    pub fn bare(&self, coordinator: &Cluster) -> String {
        let name = format!("{}own_{}", self.prefix, uuid::Uuid::new_v4().simple());
        aside(|| self.make(coordinator, &name, ""));
        name
    }

    /// Creates a database with our schema, distributed and empty.
    pub fn distributed(&self, coordinator: &Cluster) -> String {
        let name = format!("{}own_{}", self.prefix, uuid::Uuid::new_v4().simple());
        self.copy_template(coordinator, &name);
        name
    }

    fn copy_template(&self, coordinator: &Cluster, name: &str) {
        // Only one process may copy at a time.
        let alone = File::create(self.folder.join("lock")).unwrap();
        alone.lock().unwrap();
        aside(|| self.make(coordinator, name, &format!("{}template", self.prefix)));
    }

    /// Lends a database with our schema, distributed and empty, until this process ends.
    pub fn borrow(&self, coordinator: &Cluster) -> String {
        for number in 0.. {
            let held = File::create(self.folder.join(format!("held-{number}"))).unwrap();
            if held.try_lock().is_err() {
                continue;
            }
            BORROWED.lock().unwrap().push(held);
            let (name, made) = (format!("{}{number}", self.prefix), self.folder.join(format!("made-{number}")));
            if made.exists() {
                aside(|| empty(coordinator, &name));
            } else {
                self.copy_template(coordinator, &name);
                File::create(made).unwrap();
            }
            return name;
        }
        unreachable!("numbers do not end")
    }
}

/// Deletes every row of a database, after the previous process has disconnected.
pub fn empty(coordinator: &Cluster, name: &str) {
    let begun = Instant::now();
    let left = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name LIKE 'bursar%'";
    while !coordinator.run(name, left).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "somebody stays connected to {name}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let tables = "SELECT format('DELETE FROM %s', logicalrelid) FROM pg_dist_partition";
    let deletes = coordinator.run(name, tables).join("; ");
    coordinator.run(name, &format!("BEGIN; {deletes}; COMMIT"));
}
