//! Runtimes and machines that fail.
