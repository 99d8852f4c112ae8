//! The typed rig spec, its refusals, and the words seatfork uses: no YAML text, no I/O.
