//! Sources of every kind.
