//! A statement with a known organization is sent directly to its node, or by the coordinator if that is impossible.

use std::time::Duration;

use serde_json::Value;

use crate::citus::own;
use crate::citus_nodes::{placement_of, while_payouts_run};
use crate::harness::Process;
use crate::harness::postgres::Database;
use crate::postgres_processes::{Deployment, ask, payout, until};

/// Counts our commits that were the last statement of a connection to this server. The extension's own connections have
/// another name and do not count.
fn commits_at(database: &Database, node: &str) -> usize {
    let said = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
        AND application_name = 'bursar' AND query = 'COMMIT'";
    database.cluster.beside(node).run(&database.name, said).len()
}

fn coordinator(database: &Database) -> String {
    database.run("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0").remove(0)
}

fn org_of(credentials: &Value) -> String {
    credentials["organization"]["id"].as_str().unwrap().to_owned()
}

fn pay(process: &Process, credentials: &Value, phone: u32) {
    let (status, link) = ask(process, credentials, "app", "POST", "/v2/payouts/send-payout", &payout(phone));
    assert_eq!(status, 201, "{link}");
    let path = format!("/v2/payout-links/{}", link["id"].as_str().unwrap());
    assert_eq!(
        ask(process, credentials, "app", "GET", &path, "").1["id"],
        link["id"],
        "it is read where it is written"
    );
}

#[test]
fn a_payout_is_written_and_read_at_the_node_of_its_organization() {
    let database = own();
    let deployment = Deployment::new(database.clone());
    let process = deployment.start(&[]);
    let credentials = deployment.credentials();
    let node = placement_of(&database, &org_of(&credentials)).node;
    let mut phone = 0;
    until("payouts go to the node", Duration::from_secs(20), || {
        phone += 1;
        pay(&process, &credentials, phone);
        commits_at(&database, &node) > 0
    });
    deployment.verify();
}

/// A host name may resolve to another server here. The store asks the coordinator which server it means, and does not
/// connect to a different one.
#[test]
fn a_node_that_is_another_server_from_here_is_gone_around() {
    let database = own();
    database.run(
        "SET citus.enable_ddl_propagation = off; \
         ALTER FUNCTION pg_catalog.master_run_on_worker(text[], integer[], text[], boolean) RENAME TO the_true_one; \
         CREATE SEQUENCE asked; \
         CREATE FUNCTION master_run_on_worker(text[], integer[], text[], boolean, OUT node_name text, OUT node_port integer, \
         OUT success boolean, OUT result text) RETURNS SETOF record LANGUAGE sql \
         AS $$ SELECT $1[1], $2[1], true, nextval('asked')::text $$",
    );
    let deployment = Deployment::new(database.clone());
    let process = deployment.start(&[]);
    let credentials = deployment.credentials();
    let node = placement_of(&database, &org_of(&credentials)).node;
    let mut phone = 0;
    until("the store asks which servers the nodes are", Duration::from_secs(60), || {
        phone += 1;
        pay(&process, &credentials, phone);
        !database.run("SELECT 1 FROM asked WHERE is_called").is_empty()
    });
    for _ in 0..100 {
        phone += 1;
        pay(&process, &credentials, phone);
    }
    assert_eq!(commits_at(&database, &node), 0);
    // One connection commits for the organization, also its jobs, so at times its last statement is another one.
    until("payouts go through the coordinator", Duration::from_secs(20), || {
        commits_at(&database, &coordinator(&database)) > 0
    });
    process.signal("TERM");
    let (_, said) = process.wait(Duration::from_secs(20));
    assert!(said.contains("it is another server when seen from this machine"), "{said}");
    deployment.verify();
}

/// Connections to the node end under load; each payout exists once. The node is avoided for a while, then used again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_to_a_node_that_end_lose_nothing() {
    while_payouts_run(|database, org| {
        let node = placement_of(database, org).node;
        let server = database.cluster.beside(&node);
        let end = "WITH theirs AS MATERIALIZED (SELECT pid FROM pg_stat_activity \
            WHERE datname = current_database() AND application_name = 'bursar' AND pid <> pg_backend_pid()) \
            SELECT pid FROM theirs WHERE pg_terminate_backend(pid)";
        for round in ["first", "second"] {
            until(&format!("payouts go to the node, {round}"), Duration::from_secs(60), || {
                commits_at(database, &node) > 0
            });
            let mut ended = 0;
            until("connections to it end", Duration::from_secs(60), || {
                ended += server.run(&database.name, end).len();
                ended > 3
            });
        }
    })
    .await;
}
