//! Seats, launches, occupants and lineage in SQLite, with the wrong states made impossible.
