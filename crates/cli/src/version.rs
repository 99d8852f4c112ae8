//! What build this is (SPEC 13).

/// Version, commit and whether the tree was changed, in one line; the commit is `unknown` outside a checkout.
pub(crate) const LONG: &str = env!("SEATFORK_VERSION");
