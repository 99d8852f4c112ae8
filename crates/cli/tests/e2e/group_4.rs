//! Ids that are none, and ids nobody has.
