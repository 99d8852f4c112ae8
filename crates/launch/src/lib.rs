//! The launch state machine: from a member of a rig to a proved, stored, running seat.
