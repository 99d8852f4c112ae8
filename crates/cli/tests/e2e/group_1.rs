//! The rig that works: two forks, one fresh seat, one terminal.
