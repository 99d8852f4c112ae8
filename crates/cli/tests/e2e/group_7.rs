//! A store that cannot be written between fork and store.
