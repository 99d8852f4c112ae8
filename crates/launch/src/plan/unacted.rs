//! What a spec says that seatfork reads and does not act on (SPEC 2): told once.

use seatfork_schema::Runtime;
use seatfork_schema::spec::{DeliveryHint, Member, RigSpec, Startup};

/// The keys, each once, in the order of the SPEC.
pub(super) fn keys(rig: &RigSpec) -> Vec<&'static str> {
    let members = || rig.pods.iter().flat_map(|pod| &pod.members);
    let any = |says: fn(&Member) -> bool| members().any(says);
    let startups = || {
        let pods = rig.pods.iter().map(|pod| &pod.startup);
        std::iter::once(&rig.startup).chain(pods).chain(members().map(|member| &member.startup))
    };
    // A terminal's agent_ref and profile say only that it is one.
    let agents = any(|member| member.runtime != Runtime::Terminal);
    let said = [
        ("agent_ref", agents),
        ("profile", agents),
        ("role", any(|member| member.role.is_some())),
        ("startup.files", startups().any(has_other_files)),
        ("services", rig.services.is_some()),
        ("workspace", rig.workspace.is_some()),
        ("docs", !rig.docs.is_empty()),
        ("culture_file", rig.culture_file.is_some()),
        ("edges", !rig.edges.is_empty() || rig.pods.iter().any(|pod| !pod.edges.is_empty())),
        ("managed_blocks", !rig.managed_blocks.is_empty()),
        ("continuity_policy", rig.pods.iter().any(|pod| pod.continuity_policy.is_some())),
        ("compaction_strategy", any(|member| member.compaction_strategy.is_some())),
        ("mechanic", any(|member| member.mechanic.is_some())),
    ];
    said.into_iter().filter_map(|(key, says)| says.then_some(key)).collect()
}

fn has_other_files(startup: &Startup) -> bool {
    startup.files.iter().any(|file| file.delivery_hint != Some(DeliveryHint::SendText))
}
