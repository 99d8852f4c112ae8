//! The test kit, tested.

mod history;
mod model_stub;
