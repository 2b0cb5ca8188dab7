//! Values that the first request for them computes: a program starts without them.

use std::sync::{Arc, LazyLock};

pub(super) type Later<T> = Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>;

pub(super) fn later<T>(compute: impl FnOnce() -> T + Send + 'static) -> Later<T> {
    Arc::new(LazyLock::new(Box::new(compute)))
}
