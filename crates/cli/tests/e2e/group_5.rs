//! Dialogs: seen, told, never answered.
