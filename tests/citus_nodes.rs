//! Nodes are added, organizations move to them, and a large one gets its own shard, all while payouts run: nothing is
//! lost and nothing is done twice.

use std::collections::BTreeSet;
use std::time::Duration;

use bursar::load::Load;

use crate::citus::own;
use crate::harness::judge::{Judge, Verdict, links, load};
use crate::harness::postgres::{Database, aside};
use crate::harness::sending::Sending;
use crate::postgres_processes::Deployment;

/// The node that has an organization's rows.
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

/// Returns another node that takes tables.
fn other_than(database: &Database, node: &str) -> String {
    let nodes = "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE shouldhaveshards";
    database.run(nodes).into_iter().find(|other| other != node).unwrap()
}

/// Changes the nodes of a database by `act`, which gets an organization, while two processes send payouts to it. Each
/// payout then exists once.
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
    // The load runs before and after the change.
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
        // And to a new node.
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

/// Returns whether the organization is alone in its shard: only its hash leads there.
fn is_alone(database: &Database, org: &str) -> bool {
    let ShardPlacement { shard, .. } = placement_of(database, org);
    let range = format!("SELECT 1 FROM pg_dist_shard WHERE shardid = {shard} AND shardminvalue = shardmaxvalue");
    !database.run(&range).is_empty()
}

/// Writes wait during the move, a few seconds for few rows.
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

/// No write waits if all parts of the shard move to another node. A part that remains has no primary key while it is
/// filled, and the extension cannot replicate concurrent changes: it would retry permanently.
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
