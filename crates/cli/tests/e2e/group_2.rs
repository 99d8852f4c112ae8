//! Negative twins: children that are not what they should be.
