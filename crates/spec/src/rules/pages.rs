//! The rules of clients that load pages.

use super::Problems;
use super::flow::Subject;
use super::source::sizes;
use crate::problem::Problem;
use crate::tree::Unknown;
use run::SEGMENT_HEADERS_BYTES;

pub(super) fn pages(subject: &Subject<'_>, problems: Problems<'_>) -> Result<(), Unknown> {
    let Some(workload) = subject.workload("pages")? else { return Ok(()) };
    let (pages, path) = (workload.table("pages")?, format!("{}.workload.pages", subject.place));
    let room = subject.point.network()?.path.integer("mtu")? - u64::from(SEGMENT_HEADERS_BYTES);
    if pages.count("request")? > room {
        let message = format!("longer than what path.mtu leaves a segment, {room} B");
        problems.push(Problem::new(format!("{path}.request"), message, format!("at most \"{room} B\"")));
    }
    sizes(&pages, &format!("{path}.size"), false, problems)
}
