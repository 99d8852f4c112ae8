//! Convergence: twice, down and up, in use, mended, edited, renamed, at once, forgotten.
