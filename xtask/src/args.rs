//! The command line of a task: flags, values, and the names that are left over.

use crate::failure::Failure;

/// The words after the task's name; each question takes out what it answers.
#[derive(Debug)]
pub(crate) struct Args(Vec<String>);

impl Args {
    /// Splits this process's own command line into the task's name and its words.
    pub(crate) fn from_command_line() -> Result<(String, Self), Failure> {
        let mut words = std::env::args().skip(1);
        let name = words.next().ok_or_else(|| Failure::Usage("name a task".to_owned()))?;
        Ok((name, Self(words.collect())))
    }

    #[cfg(test)]
    pub(crate) fn new(words: &[&str]) -> Self {
        Self(words.iter().map(|&word| word.to_owned()).collect())
    }

    /// Takes `flag` out and says whether it stood there.
    pub(crate) fn flag(&mut self, flag: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|word| word != flag);
        self.0.len() != before
    }

    /// Takes the first `flag VALUE` out, if there is one.
    pub(crate) fn value(&mut self, flag: &str) -> Result<Option<String>, Failure> {
        let Some(at) = self.0.iter().position(|word| word == flag) else { return Ok(None) };
        if self.0.get(at + 1).is_none_or(|value| value.starts_with("--")) {
            return Err(Failure::Usage(format!("`{flag}` needs a value")));
        }
        self.0.remove(at);
        Ok(Some(self.0.remove(at)))
    }

    /// The names left over; a flag nobody asked for is refused.
    pub(crate) fn names(self) -> Result<Vec<String>, Failure> {
        match self.0.iter().find(|word| word.starts_with("--")) {
            Some(flag) => Err(Failure::Usage(format!("`{flag}` is not known here"))),
            None => Ok(self.0),
        }
    }

    /// Refuses everything that is left over.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.names()?.first() {
            Some(name) => Err(Failure::Usage(format!("`{name}` is one argument too many"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_values_are_taken_out_and_names_remain() {
        let mut args = Args::new(&["--quick", "a", "--only", "fmt", "b"]);
        assert!(args.flag("--quick"));
        assert!(!args.flag("--quick"));
        assert_eq!(args.value("--only").unwrap().as_deref(), Some("fmt"));
        assert_eq!(args.names().unwrap(), ["a", "b"]);
    }

    #[test]
    fn a_missing_value_an_unknown_flag_and_a_word_too_many_are_usage_errors() {
        assert!(matches!(Args::new(&["--only"]).value("--only"), Err(Failure::Usage(_))));
        assert!(matches!(
            Args::new(&["--only", "--quick"]).value("--only"),
            Err(Failure::Usage(_))
        ));
        assert!(matches!(Args::new(&["--fast"]).names(), Err(Failure::Usage(_))));
        assert!(matches!(Args::new(&["x"]).finish(), Err(Failure::Usage(_))));
    }
}
