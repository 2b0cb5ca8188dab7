//! Connections to banks: how the bank knows its customer, when it takes files, and how much money may move.
//!
//! *Invariant*: a connection in use was tested with the bank, and the person who approved it is not the person who
//! changed it last.
//!
//! Start at `rules.rs`.

mod change;
mod create;
mod http;
mod inputs;
mod json;
mod model;
mod pause;
mod poll;
mod review;
mod rows;
mod rules;
mod test_file;

pub use change::{ChangeConnection, ConnectionPatch};
pub use create::CreateConnection;
pub use http::routes;
pub use json::BankConnectionJson;
pub use model::{BankConnection, ConnectionStatus};
pub use pause::{PauseAllConnections, PauseConnection, ResumeConnection, stop};
pub use poll::EndPoll;
pub use review::{ApproveConnection, TestConnection};
pub use rows::{find, of_org, poll};
pub use rules::transitions;
