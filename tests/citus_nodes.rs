//! Nodes come, organizations move to them, and a large one gets a shard of its own, all while payouts run: nothing is lost
//! and nothing done twice.

use std::collections::BTreeSet;
use std::time::Duration;

use bursar::load::Load;

use crate::citus::own;
use crate::harness::judge::{Judge, Verdict, links, load};
use crate::harness::postgres::{Database, aside};
use crate::harness::sending::Sending;
use crate::postgres_processes::Deployment;

/// Where an organization's rows are.
pub struct ShardPlacement {
    /// The shard of `tenants`, which those of the other tables follow.
    shard: String,
    /// `host:port`
    pub node: String,
}

pub fn placement_of(database: &Database, org: &str) -> ShardPlacement {
    let place = format!(
        "SELECT shardid || '|' || nodename || ':' || nodeport FROM citus_shards \
         WHERE shardid = get_shard_id_for_distribution_column('tenants', '{org}')"
    );
    let line = database.run(&place).remove(0);
    let (shard, node) = line.split_once('|').unwrap();
    ShardPlacement { shard: shard.to_owned(), node: node.to_owned() }
}

/// `'host', port`
fn parts(node: &str) -> String {
    let (host, port) = node.rsplit_once(':').unwrap();
    format!("'{host}', {port}")
}

/// A node that takes tables and is not this one.
fn other_than(database: &Database, node: &str) -> String {
    let nodes = "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE shouldhaveshards";
    database.run(nodes).into_iter().find(|other| other != node).unwrap()
}

/// Does something to the nodes of a database, and is told an organization of it, to which two processes send payouts until
/// it is done. Each payout is then there once.
pub async fn while_payouts_run<T: Send>(act: impl FnOnce(&Database, &str) -> T + Send) -> T {
    let database = aside(own);
    let deployment = Deployment::new(database.clone());
    let (process, other) = (deployment.start(&[]), deployment.start(&[]));
    let credentials = deployment.credentials();
    let org = credentials["organization"]["id"].as_str().unwrap().to_owned();
    let loads = [&process, &other].into_iter().zip(0_u64..).map(|(process, place)| Load {
        connections: 2,
        duration: Duration::from_secs(2),
        ..load(process, &credentials, place * 1_000 + 1)
    });
    let sending = Sending::begin(loads.collect());
    // There is load before it, and after it too.
    sending.more(50).await;
    let came_of_it = aside(|| act(&database, &org));
    sending.more(50).await;
    let (sent, _) = sending.end().await;
    let mut judge = Judge::default();
    judge.settle(sent, &load(&process, &credentials, 0)).await;
    assert_eq!(judge.verdict(&links(&load(&process, &credentials, 0))), Verdict::default());
    aside(|| deployment.verify());
    let (sent, acknowledged) = judge.sent_and_acknowledged();
    println!("{sent} payouts, {acknowledged} of them acknowledged at once");
    came_of_it
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organizations_move_and_a_node_is_added_while_payouts_run() {
    let places = while_payouts_run(|database, org| {
        let mut places = vec![placement_of(database, org).node];
        let mut go = |to: &str| {
            let ShardPlacement { shard, node } = placement_of(database, org);
            let (from, to) = (parts(&node), parts(to));
            database.run(&format!("SELECT citus_move_shard_placement({shard}, {from}, {to}, 'force_logical')"));
            places.push(placement_of(database, org).node);
        };
        // To the other worker and back.
        for _ in 0..2 {
            go(&other_than(database, &placement_of(database, org).node));
        }
        // And to a node that is new.
        let spare = database.cluster.citus.as_ref().unwrap().spare.clone().expect("the cluster has a spare server");
        database.run(&format!("SELECT citus_add_node({})", parts(&spare)));
        database.run("SELECT replicate_reference_tables()");
        go(&spare);
        database.run("SELECT rebalance_table_shards('tenants', shard_transfer_mode => 'force_logical')");
        places
    });
    let places = places.await;
    assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), 3, "{places:?}");
}

/// Whether the organization is alone in its shard: of all hashes that one alone leads there.
fn is_alone(database: &Database, org: &str) -> bool {
    let ShardPlacement { shard, .. } = placement_of(database, org);
    let range = format!("SELECT 1 FROM pg_dist_shard WHERE shardid = {shard} AND shardminvalue = shardmaxvalue");
    !database.run(&range).is_empty()
}

/// Writes are held up meanwhile, for a few seconds where there are few rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_organization_gets_a_shard_of_its_own_between_payouts() {
    while_payouts_run(|database, org| {
        assert!(!is_alone(database, org));
        database.run(&format!(
            "SELECT isolate_tenant_to_new_shard('tenants', '{org}', 'CASCADE', shard_transfer_mode => 'block_writes')"
        ));
        assert!(is_alone(database, org));
    })
    .await;
}

/// Nobody is held up where all parts of the shard go to another node. A part that stays lacks a primary key while it is
/// filled, and the extension cannot carry over what is changed meanwhile: it would try for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_organization_gets_a_shard_of_its_own_on_another_node_while_payouts_run() {
    while_payouts_run(|database, org| {
        let ShardPlacement { shard, node } = placement_of(database, org);
        let to = other_than(database, &node);
        let ids = "SELECT nodeid FROM pg_dist_node WHERE nodename || ':' || nodeport = ";
        let id = database.run(&format!("{ids}'{to}'")).remove(0);
        let hash: i64 = database.run(&format!("SELECT worker_hash('{org}'::uuid)"))[0].parse().unwrap();
        database.run(&format!(
            "SELECT citus_split_shard_by_split_points({shard}, ARRAY['{}', '{hash}'], ARRAY[{id}, {id}, {id}], 'force_logical')",
            hash - 1
        ));
        assert!(is_alone(database, org));
        assert_eq!(placement_of(database, org).node, to);
    })
    .await;
}
