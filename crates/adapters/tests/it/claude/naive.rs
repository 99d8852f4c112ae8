//! The effective history read a second time: naively, slowly, from the rows themselves.

use serde_json::Value;

pub(super) fn is_chain(row: &Value) -> bool {
    row["uuid"].is_string() && row["type"] != "progress"
}

pub(super) fn is_message(row: &Value) -> bool {
    matches!(row["type"].as_str(), Some("user" | "assistant"))
}

fn field(row: &Value, name: &str) -> Option<String> {
    row[name].as_str().map(ToOwned::to_owned)
}

/// The uuids of the effective history, in an order a child may have.
pub(super) fn naive(rows: &[Value]) -> Vec<String> {
    let mut view = View::new(rows);
    view.compact();
    let tip = view.tip();
    let mut spine = Vec::new();
    let mut now = Some(tip);
    while let Some(uuid) = now {
        now = view.up(&uuid);
        spine.push(uuid);
    }
    spine.reverse();
    view.with_companions(&spine)
}

/// Each uuid once, its last row, in the order of first rows; progress rows bridged.
struct View<'a> {
    rows: &'a [Value],
    order: Vec<String>,
    parent: Vec<Option<String>>,
    alive: Vec<bool>,
}

impl<'a> View<'a> {
    fn new(rows: &'a [Value]) -> Self {
        let mut view = View { rows, order: Vec::new(), parent: Vec::new(), alive: Vec::new() };
        for row in rows.iter().filter(|row| is_chain(row)) {
            let uuid = field(row, "uuid").unwrap();
            if !view.order.contains(&uuid) {
                view.order.push(uuid);
            }
        }
        view.parent = view.order.iter().map(|uuid| view.bridged(view.row(uuid))).collect();
        view.alive = vec![true; view.order.len()];
        view
    }

    fn row(&self, uuid: &str) -> &'a Value {
        self.rows.iter().rev().find(|row| row["uuid"] == uuid).unwrap()
    }

    fn at(&self, uuid: &str) -> Option<usize> {
        self.order.iter().position(|one| one == uuid)
    }

    fn up(&self, uuid: &str) -> Option<String> {
        self.parent[self.at(uuid).unwrap()].clone()
    }

    fn is_alive(&self, uuid: &str) -> bool {
        self.at(uuid).is_some_and(|at| self.alive[at])
    }

    fn is_main(&self, uuid: &str) -> bool {
        self.is_alive(uuid) && self.row(uuid)["isSidechain"] != true
    }

    fn bridged(&self, row: &Value) -> Option<String> {
        let mut parent = field(row, "parentUuid");
        let progress = |uuid: &String| {
            self.rows.iter().find(|row| row["uuid"] == *uuid && row["type"] == "progress")
        };
        while let Some(row) = parent.as_ref().and_then(progress) {
            parent = field(row, "parentUuid");
        }
        parent
    }

    fn compact(&mut self) {
        let is_boundary = |uuid: &String| self.row(uuid)["subtype"] == "compact_boundary";
        let boundary = self.order.iter().rposition(is_boundary);
        let keeps =
            |uuid: &String| is_boundary(uuid) && self.row(uuid)["compactMetadata"].is_object();
        let (Some(boundary), true) = (boundary, self.order.iter().any(keeps)) else { return };
        let preserved =
            self.row(&self.order[boundary])["compactMetadata"]["preservedMessages"].clone();
        let kept: Vec<String> = preserved["uuids"]
            .as_array()
            .map(|all| all.iter().map(|one| one.as_str().unwrap().to_owned()).collect())
            .unwrap_or_default();
        if let Some(end) = kept.last() {
            let anchor = preserved["anchorUuid"].as_str().unwrap();
            let mut above = anchor.to_owned();
            for one in &kept {
                let at = self.at(one).unwrap();
                self.parent[at] = Some(above.clone());
                above.clone_from(one);
            }
            for place in 0..self.order.len() {
                if self.parent[place].as_deref() == Some(anchor) && self.order[place] != kept[0] {
                    self.parent[place] = Some(end.clone());
                }
            }
        }
        for place in 0..boundary {
            self.alive[place] = kept.contains(&self.order[place]);
        }
        for place in 0..self.order.len() {
            let orphan = self.parent[place]
                .as_ref()
                .is_some_and(|up| self.at(up).is_some() && !self.is_alive(up));
            if let Some(end) = kept.last()
                && self.alive[place]
                && orphan
                && is_message(self.row(&self.order[place]))
            {
                self.parent[place] = Some(end.clone());
            }
        }
    }

    fn tip(&self) -> String {
        let mut checkpoint: Option<(String, bool)> = None;
        let mut newest = None;
        for row in self.rows {
            if row["type"] == "last-prompt" {
                if let Some(leaf) = field(row, "leafUuid") {
                    let same = checkpoint
                        .as_ref()
                        .is_some_and(|(old, explicit)| *old == leaf && *explicit);
                    checkpoint = Some((leaf, row["explicit"] == true || same));
                }
            } else if is_chain(row) {
                if row["isSidechain"] != true {
                    newest = field(row, "uuid").filter(|uuid| self.is_alive(uuid)).or(newest);
                    if let Some(checkpoint) = &mut checkpoint {
                        checkpoint.1 = false;
                    }
                }
                if row["subtype"] == "compact_boundary" {
                    checkpoint = None;
                }
            }
        }
        let newest = newest.filter(|uuid| self.is_main(uuid)).unwrap();
        match checkpoint.filter(|(at, _)| self.is_main(at)) {
            Some((at, explicit)) if explicit || !self.is_below(&newest, &at) => at,
            _ => newest,
        }
    }

    fn is_below(&self, low: &str, high: &str) -> bool {
        let mut now = Some(low.to_owned());
        while let Some(uuid) = now {
            let one_step = self.batch(high).is_some() && self.batch(&uuid) == self.batch(high);
            if uuid == high || one_step {
                return true;
            }
            now = self.up(&uuid);
        }
        false
    }

    /// The reply with tool calls that a row is a part of, or answers.
    fn batch(&self, uuid: &str) -> Option<String> {
        let owner = if self.answers(uuid) { self.up(uuid)? } else { uuid.to_owned() };
        let owner = self.row(&owner);
        let calls = owner["message"]["content"][0]["type"] == "tool_use";
        if calls { field(&owner["message"], "id") } else { None }
    }

    fn answers(&self, uuid: &str) -> bool {
        self.row(uuid)["message"]["content"][0]["type"] == "tool_result"
    }

    fn reply(&self, uuid: &str) -> Option<String> {
        let row = self.row(uuid);
        if row["type"] == "assistant" { field(&row["message"], "id") } else { None }
    }

    /// What belongs to a reply on the spine stands right after its last part there: other parts first, then answers.
    fn with_companions(&self, spine: &[String]) -> Vec<String> {
        let mut whole = Vec::new();
        for (place, uuid) in spine.iter().enumerate() {
            whole.push(uuid.clone());
            let Some(id) = self.reply(uuid) else { continue };
            if spine[place + 1..].iter().any(|later| self.reply(later).as_ref() == Some(&id)) {
                continue;
            }
            let beside = |one: &&String| self.is_main(one) && !spine.contains(one);
            let parts = self.order.iter().filter(beside);
            whole.extend(parts.filter(|one| self.reply(one).as_ref() == Some(&id)).cloned());
            let answers = self.order.iter().filter(beside).filter(|one| self.answers(one));
            let of = |one: &&String| {
                self.up(one).filter(|up| self.is_main(up)).and_then(|up| self.reply(&up)).as_ref()
                    == Some(&id)
            };
            whole.extend(answers.filter(of).cloned());
        }
        whole
    }
}
