//! The store on real files, with real processes.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking, in its helpers too"
)]

mod child;
mod crash;
mod full;
mod launches;
mod lineage;
mod locks;
mod place;
mod races;
mod read_only;
mod released;
mod rescue;
mod seats;
mod support;
mod tokens;
mod walls;
