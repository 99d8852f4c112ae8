//! Negative twins: children that are not what they should be.

mod at_birth;
mod later;
