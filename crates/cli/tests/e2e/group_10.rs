//! Nothing of the user's runs in phase 1.
