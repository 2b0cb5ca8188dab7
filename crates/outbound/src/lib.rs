//! Calls to external servers: the one HTTP client with its guard of addresses, and the providers of messages.

use bursar_base::{clock, ids, language};

/// Outgoing HTTP calls, and the addresses that they may reach.
pub mod outbound;
/// Providers of messages: a mail server, a gateway to phones.
pub mod providers;
