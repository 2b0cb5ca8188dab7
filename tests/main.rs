//! The tests that drive the program from outside.
