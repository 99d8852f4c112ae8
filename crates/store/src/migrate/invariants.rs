//! The guarantees of SPEC 11 as queries that find nothing in a sound store.

/// For schema version 1: name, and a query for offending rows.
pub(super) const V1: &[(&str, &str)] = &[
    (
        "a token is no source of its seat",
        "SELECT 1 FROM occupants o JOIN launches l ON l.seat_id=o.seat_id
         WHERE o.ended_at IS NULL AND lower(trim(l.source_id))=lower(trim(o.resume_token))",
    ),
    (
        "a token is its realized launch's child",
        "SELECT 1 FROM occupants o LEFT JOIN launches l ON l.launch_id=o.launch_id AND l.seat_id=o.seat_id
         WHERE l.state IS NOT 'realized' OR l.intent='resume' OR l.child_id IS NOT o.resume_token OR l.child_scope IS NOT o.scope",
    ),
    (
        "a realized launch has its occupant",
        "SELECT 1 FROM launches l WHERE l.state='realized' AND l.intent<>'resume'
         AND NOT EXISTS(SELECT 1 FROM occupants o WHERE o.launch_id=l.launch_id)",
    ),
    (
        "a realized child has its lineage",
        "SELECT 1 FROM launches l WHERE l.state='realized' AND l.intent<>'resume' AND l.child_id IS NOT NULL
         AND NOT EXISTS(SELECT 1 FROM lineage x WHERE x.launch_id=l.launch_id AND x.child_id=l.child_id)",
    ),
    (
        "one current occupant per seat",
        "SELECT 1 FROM occupants WHERE ended_at IS NULL GROUP BY seat_id HAVING count(*)>1",
    ),
    (
        "one seat per token",
        "SELECT 1 FROM occupants WHERE ended_at IS NULL AND resume_token IS NOT NULL
         GROUP BY runtime,scope,token_key HAVING count(*)>1",
    ),
    (
        "one open launch per seat",
        "SELECT 1 FROM launches WHERE state IN('declared','resolved','forking') GROUP BY seat_id HAVING count(*)>1",
    ),
    (
        "a retired seat is empty",
        "SELECT 1 FROM seats s WHERE s.retired_at IS NOT NULL AND (
           EXISTS(SELECT 1 FROM occupants o WHERE o.seat_id=s.seat_id AND o.ended_at IS NULL)
           OR EXISTS(SELECT 1 FROM launches l WHERE l.seat_id=s.seat_id AND l.state IN('declared','resolved','forking')))",
    ),
    (
        "live names are free of each other",
        "SELECT 1 FROM seats WHERE retired_at IS NULL GROUP BY lower(name) HAVING count(*)>1",
    ),
    (
        "a child keeps the source's runtime and another id",
        "SELECT 1 FROM launches WHERE source_id IS NOT NULL AND lower(trim(child_id))=lower(trim(source_id))",
    ),
    (
        "forked is proved",
        "SELECT 1 FROM launches WHERE outcome='forked' AND (proof_status IS NOT 'proved' OR child_id IS NULL)",
    ),
];
