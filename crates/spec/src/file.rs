//! CSV files that a spec names: the writes of a traced application, arrivals, a distribution of sizes.

use crate::key::FileKind;
use crate::number::rounded;
use crate::problem::{Refusal, quoted};
use crate::tree::Unknown;
use run::{Change, Trace, Write};
use std::collections::BTreeMap;
use std::path::Path;

const MOST_LINES: usize = 1_000_000;
const MOST_DELIVERIES: usize = 10_000_000;
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
    /// A line in the course of time.
    Link(RecordedLine),
}

/// A line as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLine {
    /// What it did.
    pub trace: Trace,
    /// Of a table of rates their mean over time, up to the last of them, or where that is nothing the last that is something;
    /// None: it has no rates, or is deliveries.
    mean_rate_bps: Option<u64>,
}

impl RecordedLine {
    /// None: it has rates, and all are 0.
    fn table(changes: Vec<Change>) -> Option<Self> {
        let rates = changes.iter().filter_map(|change| Some((change.at_ns, change.rate_bps?))).collect::<Vec<_>>();
        let bits: u128 = rates.windows(2).map(|pair| u128::from(pair[0].1) * u128::from(pair[1].0 - pair[0].0)).sum();
        let span_ns = rates.last().map_or(0, |last| u128::from(last.0 - rates[0].0));
        let mean = bits.checked_div(span_ns).and_then(|mean| u64::try_from(mean).ok());
        let last = rates.iter().rev().map(|rate| rate.1).find(|rate_bps| *rate_bps > 0);
        let mean_rate_bps = mean.filter(|mean_bps| *mean_bps > 0).or(last);
        (mean_rate_bps.is_some() || rates.is_empty())
            .then(|| Self { trace: Trace::Changes(changes.into()), mean_rate_bps })
    }

    /// The rate in the mean, where a delivery is of a frame of so many bytes.
    pub fn mean_rate_bps(&self, frame_bytes: u64) -> Option<u64> {
        let Trace::Deliveries(at_ms) = &self.trace else { return self.mean_rate_bps };
        let bits = at_ms.len() as u128 * u128::from(frame_bytes) * 8;
        u64::try_from(bits * 1_000 / u128::from(*at_ms.last()?)).ok()
    }
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
            Self::Link => lines.link().map(Content::Link),
        }
    }

    const fn columns(self) -> &'static str {
        match self {
            Self::Writes => "two columns: time in seconds, bytes",
            Self::Arrivals => "a column of times in seconds, and if wanted one of bytes",
            Self::Cdf => "two columns: bytes, and the share of transfers that are no larger",
            Self::Link => {
                "a time in ms for each packet, or a table of time in seconds, rate in bit/s, delay in seconds, loss"
            }
        }
    }

    const fn headers(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Writes | Self::Arrivals => &[&["time", "time_s", "time (s)"], &["bytes"]],
            Self::Cdf => &[&["bytes", "size"], &["share", "cdf"]],
            Self::Link => &[&["time", "time_s"], &["rate", "rate_bps"], &["delay", "delay_s"], &["loss"]],
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

    /// Of deliveries each line is a time; all else is a table, whose header may leave columns out.
    fn link(&self) -> Result<RecordedLine, Refusal> {
        let lines = self.text.lines().zip(1_usize..).map(|(line, number)| (line.trim(), number));
        let mut lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).peekable();
        let Some((first, _)) = lines.peek() else { return Err(self.has_no("line")) };
        if first.bytes().all(|letter| letter.is_ascii_digit()) {
            return self.deliveries(lines);
        }
        let known = self.kind.headers();
        let mut columns = [0, 1, 2, 3].map(Some);
        let names: Vec<String> = first.split(',').map(|name| name.trim().to_lowercase()).collect();
        if names[0].starts_with(|letter: char| letter.is_alphabetic()) {
            columns = [0, 1, 2, 3].map(|column| names.iter().position(|name| known[column].contains(&&**name)));
            if columns[0].is_none() || columns.iter().flatten().count() < names.len() {
                let message = format!("{} line 1: the columns are {}", quoted(self.name), names.join(", "));
                return Err(Refusal::new(message, "time, and of rate, delay and loss some"));
            }
            lines.next();
        }
        let mut changes: Vec<Change> = Vec::new();
        for (line, number) in lines {
            let place = format!("{} line {number}", quoted(self.name));
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() > columns.len() {
                return Err(self.has_columns(&cells, &place));
            }
            let cell = |column: usize| {
                columns[column].and_then(|at: usize| cells.get(at)).copied().filter(|cell| !cell.is_empty())
            };
            let before_ns = changes.last().map_or(0, |change| change.at_ns + 1);
            let at_ns =
                time_ns(cell(0).unwrap_or_default(), &place, before_ns, "order the lines by time, one for each")?;
            let number = |column, (what, scale, most, hint): (&str, u128, u128, &str)| {
                let read = |text| {
                    let scaled =
                        decimal(text, MOST_PLACES).map(|exact| rounded(exact * scale, 10_u128.pow(MOST_PLACES as u32)));
                    scaled
                        .filter(|number| *number <= most)
                        .ok_or_else(|| Refusal::new(format!("{place}: {} is no {what}", quoted(text)), hint))
                };
                cell(column).map(read).transpose().map(|number| number.map(|number| number as u64))
            };
            changes.push(Change {
                rate_bps: number(1, ("rate in bit/s", 1, 1_000_000_000_000, "a number from 0 to 1000000000000"))?,
                delay_ns: number(2, ("delay in seconds", NS_PER_S, 100 * NS_PER_S, "a number from 0 to 100"))?,
                loss_ppb: number(3, ("share", NS_PER_S, NS_PER_S - 1, "a number from 0 to below 1"))?
                    .map(|ppb| ppb as u32),
                ..Change::at(at_ns)
            });
            self.room(changes.len(), "lines")?;
        }
        if changes.is_empty() {
            return Err(self.has_no("line"));
        }
        RecordedLine::table(changes).ok_or_else(|| {
            Refusal::new(format!("{}: all rates are 0", quoted(self.name)), "a line that carries something")
        })
    }

    /// In the mean less than a bit a second, also with packets of the least MTU.
    fn hardly_delivers(at_ms: &[u32]) -> bool {
        const LEAST_BITS: u64 = 8 * 576;
        at_ms.last().is_some_and(|last_ms| at_ms.len() as u64 * LEAST_BITS * 1_000 < u64::from(*last_ms))
    }

    fn deliveries<'a>(&self, lines: impl Iterator<Item = (&'a str, usize)>) -> Result<RecordedLine, Refusal> {
        let mut at_ms: Vec<u32> = Vec::new();
        for (line, number) in lines {
            let place = format!("{} line {number}", quoted(self.name));
            let Some(moment) = line.parse::<u32>().ok() else {
                return Err(Refusal::new(
                    format!("{place}: {} is no time in ms", quoted(line)),
                    "an integer, 0 or more",
                ));
            };
            if at_ms.last().is_some_and(|before| moment < *before) {
                return Err(Refusal::new(format!("{place}: the time runs backward"), "order the deliveries by time"));
            }
            at_ms.push(moment);
            if at_ms.len() > MOST_DELIVERIES {
                let message = format!("{} has too many deliveries", quoted(self.name));
                return Err(Refusal::new(message, format!("at most {MOST_DELIVERIES}")));
            }
        }
        if at_ms.last() == Some(&0) {
            let message = format!("{}: all deliveries are at 0 ms", quoted(self.name));
            return Err(Refusal::new(message, "the last time is when all come again"));
        }
        if Self::hardly_delivers(&at_ms) {
            let message = format!("{}: so few deliveries are less than 1 bit/s", quoted(self.name));
            return Err(Refusal::new(message, "times in ms"));
        }
        Ok(RecordedLine { trace: Trace::Deliveries(at_ms.into()), mean_rate_bps: None })
    }

    /// The cells of each line that has any, and how a message calls it; the header, and lines that begin with `#`, are left out.
    fn each(&self, mut take: impl FnMut(&[&str], &str) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .from_reader(self.text.as_bytes());
        let mut record = csv::StringRecord::new();
        let no_text = |_| Refusal::new(format!("{} is no CSV text", quoted(self.name)), self.kind.columns());
        let (mut line, mut at, mut is_first) = (1, 0, true);
        while reader.read_record(&mut record).map_err(no_text)? {
            let start = record.position().map_or(at, |position| position.byte() as usize);
            let begin = start + left_out(&self.text[start..]);
            line += self.text[at..begin].matches('\n').count();
            at = begin;
            let cells: Vec<&str> = record.iter().map(str::trim).collect();
            let is_header = std::mem::take(&mut is_first) && self.is_header(&cells);
            if cells.iter().all(|cell| cell.is_empty()) || is_header {
                continue;
            }
            take(&cells, &format!("{} line {line}", quoted(self.name)))?;
        }
        Ok(())
    }

    fn is_header(&self, cells: &[&str]) -> bool {
        let headers = self.kind.headers();
        let named = |(cell, names): (&&str, &&[&str])| names.contains(&&*cell.to_lowercase());
        cells.len() <= headers.len() && cells.iter().zip(headers).all(named)
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

/// The bytes of the lines before the first that has cells: empty ones, and those that begin with `#`.
fn left_out(text: &str) -> usize {
    let is_left_out = |line: &&str| line.starts_with('#') || line.trim_matches(['\r', '\n']).is_empty();
    text.split_inclusive('\n').take_while(is_left_out).map(str::len).sum()
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
        let commented = "# where it is from\n\ntime,bytes\n# more\n0,1000\n";
        let writes = vec![Write { at_ns: 0, bytes: 1000 }];
        assert_eq!(FileKind::Writes.read(commented, "a.csv"), Ok(Content::Writes(writes)));
        let times = ArrivalTimes { at_ns: vec![0, 1], bytes: None };
        assert_eq!(FileKind::Arrivals.read("0\n0.0000000005000001\n", "a.csv"), Ok(Content::Arrivals(times)));
        let cdf = vec![(0, 0.1), (1000, 1.0)];
        assert_eq!(FileKind::Cdf.read("size,cdf\n0,.1\n1000,1.\n", "a.csv"), Ok(Content::Cdf(cdf)));
    }

    #[test]
    fn a_line_is_deliveries_or_a_table() {
        let read = |text: &str| match FileKind::Link.read(text, "a.csv") {
            Ok(Content::Link(line)) => line,
            other => panic!("{other:?}"),
        };
        let deliveries = read("# mahimahi\n0\n4\n4\n10\n");
        assert_eq!(deliveries.trace, Trace::Deliveries([0, 4, 4, 10].into()));
        assert_eq!(deliveries.mean_rate_bps(1_500), Some(4 * 12_000 * 100));
        let table = read("time,rate,delay,loss\n0,10e0\n".replace("10e0", "10000000").as_str());
        assert_eq!(table.mean_rate_bps(1), Some(10_000_000));
        let table = read("# of a radio\ntime,delay,rate\n0,.02,8000000\n1,,0\n3,0.0305,2000000\n");
        let delayed = |change: Change, ms: u64| Change { delay_ns: Some(ms * 500_000), ..change };
        let changes = [
            delayed(Change::of_rate(0, 8_000_000), 40),
            Change::of_rate(1_000_000_000, 0),
            delayed(Change::of_rate(3_000_000_000, 2_000_000), 61),
        ];
        assert_eq!((table.trace.clone(), table.mean_rate_bps(1)), (Trace::Changes(changes.into()), Some(2_666_666)));
        let plain = read("0,1000\n0.01,,,.5\n");
        let lossy = Change { loss_ppb: Some(500_000_000), ..Change::at(10_000_000) };
        assert_eq!(plain.trace, Trace::Changes([Change::of_rate(0, 1_000), lossy].into()));
        assert_eq!(read("time,loss\n1,0.1\n").mean_rate_bps(1), None);
        assert_eq!(read("time,rate\n0,0\n10,50\n20,0").mean_rate_bps(1), Some(25));
        assert_eq!(read("time,rate\n0,0\n10,50\n").mean_rate_bps(1), Some(50), "it is up from 10 s on");
    }

    #[test]
    fn what_is_no_line_says_where() {
        let columns =
            "a time in ms for each packet, or a table of time in seconds, rate in bit/s, delay in seconds, loss";
        for (text, said) in [
            ("", format!("\"a.csv\" has no line; {columns}")),
            ("# a comment\n", format!("\"a.csv\" has no line; {columns}")),
            ("time,rate\n", format!("\"a.csv\" has no line; {columns}")),
            ("time,rate\n0,0\n1,0\n", "\"a.csv\": all rates are 0; a line that carries something".to_owned()),
            ("4294967295\n", "\"a.csv\": so few deliveries are less than 1 bit/s; times in ms".to_owned()),
            ("5\n4\n", "\"a.csv\" line 2: the time runs backward; order the deliveries by time".to_owned()),
            ("5\n6,1\n", "\"a.csv\" line 2: \"6,1\" is no time in ms; an integer, 0 or more".to_owned()),
            ("0\n0\n", "\"a.csv\": all deliveries are at 0 ms; the last time is when all come again".to_owned()),
            (
                "rate,delay\n1,1\n",
                "\"a.csv\" line 1: the columns are rate, delay; time, and of rate, delay and loss some".to_owned(),
            ),
            (
                "time,speed\n1,1\n",
                "\"a.csv\" line 1: the columns are time, speed; time, and of rate, delay and loss some".to_owned(),
            ),
            (
                "1,5\n1,6\n",
                "\"a.csv\" line 2: the time runs backward; order the lines by time, one for each".to_owned(),
            ),
            ("1,-5\n", "\"a.csv\" line 1: \"-5\" is no rate in bit/s; a number from 0 to 1000000000000".to_owned()),
            ("1,5,200\n", "\"a.csv\" line 1: \"200\" is no delay in seconds; a number from 0 to 100".to_owned()),
            ("1,5,2,1\n", "\"a.csv\" line 1: \"1\" is no share; a number from 0 to below 1".to_owned()),
            ("1,2,3,4,5\n", format!("\"a.csv\" line 1 has 5 columns; {columns}")),
        ] {
            assert_eq!(refused(FileKind::Link, text), said, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_such_file_says_where() {
        for (kind, text, said) in [
            (FileKind::Writes, "", "\"a.csv\" has no writes; two columns: time in seconds, bytes"),
            (FileKind::Writes, "0,1,2", "\"a.csv\" line 1 has 3 columns; two columns: time in seconds, bytes"),
            (
                FileKind::Writes,
                "#\n1,1\n# x\n\n0,1",
                "\"a.csv\" line 5: the time runs backward; order the writes by time",
            ),
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
