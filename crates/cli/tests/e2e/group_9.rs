//! Convergence: twice, down and up, in use, mended, edited, renamed, at once, forgotten.

mod conflicts;
mod life;
mod rotated;
mod spec;
