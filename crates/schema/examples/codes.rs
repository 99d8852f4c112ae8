//! Writes `docs/codes/` from the pages of this crate.

use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes");
    std::fs::create_dir_all(&docs)?;
    for (name, text) in seatfork_schema::explain::pages() {
        std::fs::write(docs.join(name), text)?;
    }
    Ok(())
}
