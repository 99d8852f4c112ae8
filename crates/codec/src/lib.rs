//! Rig specs from and to YAML text, and refusals rendered for people and programs.
