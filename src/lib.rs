//! bursar
