//! CSV files that a spec names: the writes of a traced application, arrivals, a distribution of sizes.

use crate::key::FileKind;
use crate::number::rounded;
use crate::problem::{Refusal, quoted};
use crate::tree::Unknown;
use run::Write;
use std::collections::BTreeMap;
use std::path::Path;

const MOST_LINES: usize = 1_000_000;
const LONGEST_S: u128 = 1_000_000;
const LARGEST_WRITE_BYTES: u64 = 1_000_000_000_000;
const NS_PER_S: u128 = 1_000_000_000;
/// Of a number of seconds behind the point.
const MOST_PLACES: usize = 18;

/// What was read of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// In order of time.
    Writes(Vec<Write>),
    /// In order of time.
    Arrivals(ArrivalTimes),
    /// Sizes in order, and the share that is no larger than each; the last one is 1.
    Cdf(Vec<(u64, f64)>),
}

/// What the files have that a spec names.
#[derive(Clone, Debug, Default)]
pub struct Contents(BTreeMap<(FileKind, String), Content>);

impl Contents {
    /// What a file has.
    pub(crate) fn get(&self, kind: FileKind, name: &str) -> Result<&Content, Unknown> {
        self.0.get(&(kind, name.to_owned())).ok_or(Unknown)
    }

    pub(crate) fn has(&self, file: &(FileKind, String)) -> bool {
        self.0.contains_key(file)
    }

    pub(crate) fn add(&mut self, file: (FileKind, String), content: Content) {
        self.0.insert(file, content);
    }
}

/// Arrivals as a file lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalTimes {
    /// When each arrives, ns after the flow's start.
    pub at_ns: Vec<u64>,
    /// How large each is; None: the file has times only.
    pub bytes: Option<Vec<u64>>,
}

/// Where the text of a file comes from, by its name in the spec.
pub trait Files {
    /// The text of a file.
    ///
    /// # Errors
    /// When there is none, in words.
    fn text(&self, name: &str) -> Result<String, Refusal>;
}

impl FileKind {
    /// Reads what a file has.
    ///
    /// # Errors
    /// What of it is no such file.
    pub fn read(self, text: &str, name: &str) -> Result<Content, Refusal> {
        let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        let lines = Lines { text, name: &name, kind: self };
        match self {
            Self::Writes => lines.writes(),
            Self::Arrivals => lines.arrivals(),
            Self::Cdf => lines.cdf(),
        }
    }

    const fn columns(self) -> &'static str {
        match self {
            Self::Writes => "two columns: time in seconds, bytes",
            Self::Arrivals => "a column of times in seconds, and if wanted one of bytes",
            Self::Cdf => "two columns: bytes, and the share of transfers that are no larger",
        }
    }

    const fn headers(self) -> [&'static [&'static str]; 2] {
        match self {
            Self::Writes | Self::Arrivals => [&["time", "time_s", "time (s)"], &["bytes"]],
            Self::Cdf => [&["bytes", "size"], &["share", "cdf"]],
        }
    }
}

struct Lines<'a> {
    text: &'a str,
    name: &'a str,
    kind: FileKind,
}

impl Lines<'_> {
    fn writes(&self) -> Result<Content, Refusal> {
        let mut writes: Vec<Write> = Vec::new();
        self.each(|cells, place| {
            let [time, size] = cells else { return Err(self.has_columns(cells, place)) };
            let before_ns = writes.last().map_or(0, |write| write.at_ns);
            let at_ns = time_ns(time, place, before_ns, "order the writes by time")?;
            writes.push(Write { at_ns, bytes: bytes(size, place, 1)? });
            self.room(writes.len(), "writes")
        })?;
        if writes.is_empty() { Err(self.has_no("writes")) } else { Ok(Content::Writes(writes)) }
    }

    fn arrivals(&self) -> Result<Content, Refusal> {
        let (mut at_ns, mut sizes): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        self.each(|cells, place| {
            let (time, size) = match cells {
                [time] => (time, None),
                [time, size] => (time, Some(size)),
                _ => return Err(self.has_columns(cells, place)),
            };
            if !at_ns.is_empty() && size.is_some() == sizes.is_empty() {
                return Err(self.has_columns(cells, place));
            }
            let before_ns = at_ns.last().copied().unwrap_or(0);
            at_ns.push(time_ns(time, place, before_ns, "order the arrivals by time")?);
            if let Some(size) = size {
                sizes.push(bytes(size, place, 1)?);
            }
            self.room(at_ns.len(), "arrivals")
        })?;
        if at_ns.is_empty() {
            return Err(self.has_no("arrivals"));
        }
        Ok(Content::Arrivals(ArrivalTimes { at_ns, bytes: (!sizes.is_empty()).then_some(sizes) }))
    }

    fn cdf(&self) -> Result<Content, Refusal> {
        let mut points: Vec<(u64, f64)> = Vec::new();
        let mut last = String::new();
        self.each(|cells, place| {
            let [size, share] = cells else { return Err(self.has_columns(cells, place)) };
            let size = bytes(size, place, points.len().min(1) as u64)?;
            let Some(share) = decimal(share, 3).and_then(|_| share.parse::<f64>().ok()) else {
                return Err(Refusal::new(format!("{place}: {} is no share", quoted(share)), "a number from 0 to 1"));
            };
            if share > 1.0 {
                let hint = "from 0 to 1: divide percentages by 100";
                return Err(Refusal::new(format!("{place}: a share of {}", cells[1]), hint));
            }
            if points.last().is_some_and(|(before, lower)| size <= *before || share < *lower) {
                let hint = "order the sizes; each share includes those before";
                return Err(Refusal::new(format!("{place}: size and share must grow"), hint));
            }
            points.push((size, share));
            place.clone_into(&mut last);
            self.room(points.len(), "sizes")
        })?;
        match points.last() {
            None => Err(self.has_no("sizes")),
            Some((_, share)) if *share < 1.0 => {
                let message = format!("{last} is the last one, and its share is {share}");
                Err(Refusal::new(message, "end with the largest size, 1"))
            }
            Some(_) => Ok(Content::Cdf(points)),
        }
    }

    /// The cells of each line that has any, and how a message calls it; the header is left out.
    fn each(&self, mut take: impl FnMut(&[&str], &str) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(self.text.as_bytes());
        let mut record = csv::StringRecord::new();
        let no_text = |_| Refusal::new(format!("{} is no CSV text", quoted(self.name)), self.kind.columns());
        let (mut line, mut at) = (1, 0);
        while reader.read_record(&mut record).map_err(no_text)? {
            let start = record.position().map_or(at, |position| position.byte() as usize);
            let empty_lines = self.text[start..].bytes().take_while(|letter| b"\r\n".contains(letter)).count();
            line += self.text[at..start + empty_lines].matches('\n').count();
            at = start + empty_lines;
            let cells: Vec<&str> = record.iter().map(str::trim).collect();
            if cells.iter().all(|cell| cell.is_empty()) || (line == 1 && self.is_header(&cells)) {
                continue;
            }
            take(&cells, &format!("{} line {line}", quoted(self.name)))?;
        }
        Ok(())
    }

    fn is_header(&self, cells: &[&str]) -> bool {
        let headers = self.kind.headers();
        let named = |(cell, names): (&&str, &&[&str])| names.contains(&&*cell.to_lowercase());
        cells.len() <= headers.len() && cells.iter().zip(&headers).all(named)
    }

    fn has_columns(&self, cells: &[&str], place: &str) -> Refusal {
        Refusal::new(format!("{place} has {} columns", cells.len()), self.kind.columns())
    }

    fn has_no(&self, what: &str) -> Refusal {
        Refusal::new(format!("{} has no {what}", quoted(self.name)), self.kind.columns())
    }

    fn room(&self, lines: usize, what: &str) -> Result<(), Refusal> {
        if lines <= MOST_LINES {
            return Ok(());
        }
        Err(Refusal::new(format!("{} has too many {what}", quoted(self.name)), format!("at most {MOST_LINES}")))
    }
}

fn time_ns(time: &str, place: &str, before_ns: u64, hint: &str) -> Result<u64, Refusal> {
    let scale = 10_u128.pow(MOST_PLACES as u32);
    let Some(scaled) = decimal(time, MOST_PLACES).filter(|scaled| *scaled <= LONGEST_S * scale) else {
        let hint = format!("a number from 0 to {LONGEST_S}");
        return Err(Refusal::new(format!("{place}: {} is no time in seconds", quoted(time)), hint));
    };
    let at_ns = rounded(scaled * NS_PER_S, scale) as u64;
    if at_ns < before_ns {
        return Err(Refusal::new(format!("{place}: the time runs backward"), hint));
    }
    Ok(at_ns)
}

fn bytes(size: &str, place: &str, least: u64) -> Result<u64, Refusal> {
    let is_short = (1..=13).contains(&size.len()) && size.bytes().all(|digit| digit.is_ascii_digit());
    let number = if is_short { size.parse().ok() } else { None };
    number.filter(|number| (least..=LARGEST_WRITE_BYTES).contains(number)).ok_or_else(|| {
        let hint = format!("a whole number from {least} to {LARGEST_WRITE_BYTES}");
        Refusal::new(format!("{place}: {} is no number of bytes", quoted(size)), hint)
    })
}

/// Digits, of which so many stand before a point, times 10^18; None of what is not just digits and a point.
fn decimal(text: &str, most_integer_digits: usize) -> Option<u128> {
    let (integer, places) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    if integer.len() + places.len() == 0 || integer.len() > most_integer_digits || places.len() > MOST_PLACES {
        return None;
    }
    if !is_digits(integer) || !is_digits(places) {
        return None;
    }
    let fraction = format!("{places:0<MOST_PLACES$}").parse::<u128>().ok()?;
    let integer = if integer.is_empty() { 0 } else { integer.parse::<u128>().ok()? };
    Some(integer * 10_u128.pow(MOST_PLACES as u32) + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(kind: FileKind, text: &str) -> String {
        let Refusal { message, hint } = kind.read(text, "folder/a.csv").expect_err(text);
        format!("{message}; {hint}")
    }

    #[test]
    fn a_file_is_read_with_or_without_a_header() {
        let text = "time,bytes\n0,1000\n\n0.5 , 2000\n";
        let writes = vec![Write { at_ns: 0, bytes: 1000 }, Write { at_ns: 500_000_000, bytes: 2000 }];
        assert_eq!(FileKind::Writes.read(text, "a.csv"), Ok(Content::Writes(writes)));
        let times = ArrivalTimes { at_ns: vec![0, 1], bytes: None };
        assert_eq!(FileKind::Arrivals.read("0\n0.0000000005000001\n", "a.csv"), Ok(Content::Arrivals(times)));
        let cdf = vec![(0, 0.1), (1000, 1.0)];
        assert_eq!(FileKind::Cdf.read("size,cdf\n0,.1\n1000,1.\n", "a.csv"), Ok(Content::Cdf(cdf)));
    }

    #[test]
    fn what_is_no_such_file_says_where() {
        for (kind, text, said) in [
            (FileKind::Writes, "", "\"a.csv\" has no writes; two columns: time in seconds, bytes"),
            (FileKind::Writes, "0,1,2", "\"a.csv\" line 1 has 3 columns; two columns: time in seconds, bytes"),
            (FileKind::Writes, "1,1\n\n0,1", "\"a.csv\" line 3: the time runs backward; order the writes by time"),
            (FileKind::Writes, "x,1", "\"a.csv\" line 1: \"x\" is no time in seconds; a number from 0 to 1000000"),
            (
                FileKind::Writes,
                "1000000.1,1",
                "\"a.csv\" line 1: \"1000000.1\" is no time in seconds; a number from 0 to 1000000",
            ),
            (
                FileKind::Writes,
                "0,0",
                "\"a.csv\" line 1: \"0\" is no number of bytes; a whole number from 1 to 1000000000000",
            ),
            (
                FileKind::Arrivals,
                "0\n1,5",
                "\"a.csv\" line 2 has 2 columns; a column of times in seconds, and if wanted one of bytes",
            ),
            (FileKind::Cdf, "1,50", "\"a.csv\" line 1: a share of 50; from 0 to 1: divide percentages by 100"),
            (
                FileKind::Cdf,
                "5,0.5\n4,1",
                "\"a.csv\" line 2: size and share must grow; order the sizes; each share includes those before",
            ),
            (
                FileKind::Cdf,
                "5,0.5",
                "\"a.csv\" line 1 is the last one, and its share is 0.5; end with the largest size, 1",
            ),
        ] {
            assert_eq!(refused(kind, text), said);
        }
    }
}
