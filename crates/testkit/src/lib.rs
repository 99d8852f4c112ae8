//! Test support for seatfork: a fake runtime, a loopback model stub, a test environment.
