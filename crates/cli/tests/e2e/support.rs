//! What the groups share: a world, a parent, the `seatfork` command.
