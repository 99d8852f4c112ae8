//! A private tmux server for agent panes: argv never through a shell, exact targets, prompt waiting.
