//! What seatfork knows of each agent runtime: resolve, plan, prove, observe.
