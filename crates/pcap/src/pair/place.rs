//! One of the two captures, a TCP segment after the other.

use crate::analysis::FrameCounts;
use crate::file::{Cut, FileError, Reader};
use crate::header::{Segment, parse};
use serde::Serialize;
use std::io::{self, Read};

/// Opens a capture at its beginning; a pair is read several times.
pub type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read + Send>>;

/// What is known of one of the captures at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlaceReport {
    /// What its frames are.
    pub frames: FrameCounts,
    /// When its first frame was captured, ns since 1970 by its clock.
    pub start_ns: Option<i64>,
    /// When its last frame was captured, ns since 1970 by its clock.
    pub end_ns: Option<i64>,
    /// Where it breaks off.
    pub cut: Option<Cut>,
    /// Where it is damaged: what came before is in the report.
    pub damage: Option<String>,
    /// TCP connections that only this capture has.
    pub own_connections: u64,
    /// Segments of them.
    pub own_segments: u64,
}

/// A segment and when it was captured.
#[derive(Clone, Copy)]
pub struct Seen {
    pub time_ns: i64,
    pub segment: Segment,
}

/// A capture that is being read.
pub struct Place {
    reader: Reader,
    next: Option<Seen>,
    report: PlaceReport,
}

impl Place {
    pub fn open(open: Open<'_>) -> Result<Self, FileError> {
        let source = open().map_err(|error| FileError::Read { offset: 0, error })?;
        let mut place = Self { reader: Reader::new(source)?, next: None, report: PlaceReport::default() };
        place.advance()?;
        Ok(place)
    }

    /// The next segment.
    #[inline]
    pub const fn next(&self) -> Option<&Seen> {
        self.next.as_ref()
    }

    /// Takes the next segment.
    #[inline]
    pub fn take(&mut self) -> Result<Option<Seen>, FileError> {
        let taken = self.next;
        self.advance()?;
        Ok(taken)
    }

    fn advance(&mut self) -> Result<(), FileError> {
        self.next = loop {
            let frame = match self.reader.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break None,
                Err(error) if self.report.frames.frames == 0 => return Err(error),
                Err(error) => {
                    self.report.damage = Some(error.to_string());
                    break None;
                }
            };
            let time_ns = frame.time_ns;
            let report = &mut self.report;
            report.frames.frames += 1;
            report.frames.wire_bytes += u64::from(frame.wire_bytes);
            report.frames.time_reversals += u64::from(report.end_ns.is_some_and(|last| time_ns < last));
            report.start_ns = Some(report.start_ns.map_or(time_ns, |first| first.min(time_ns)));
            report.end_ns = Some(report.end_ns.map_or(time_ns, |last| last.max(time_ns)));
            let parsed = parse(frame.link_type, frame.captured, frame.wire_bytes);
            if let Some(segment) = report.frames.count(&parsed) {
                break Some(Seen { time_ns, segment: *segment });
            }
        };
        Ok(())
    }

    /// What is known once it was read to its end.
    pub fn report(&self) -> PlaceReport {
        let mut report = self.report.clone();
        report.frames.untimed = self.reader.untimed_frames();
        report.cut = self.reader.cut().cloned();
        report
    }
}
