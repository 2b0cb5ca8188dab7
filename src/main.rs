//! The `bursar` program.

fn main() {}
