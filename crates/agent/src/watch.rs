//! [`Watch`]: what else happens on a machine while a run is measured there. It counts; whether that is too much is not
//! the agent's to say.

use crate::error::{Error, Subject};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use std::collections::BTreeMap;
use std::fs;

/// Of `/proc/stat`: `user nice system idle iowait irq softirq steal`.
const FIELDS: usize = 8;
const IDLE: usize = 3;
const WAITING: usize = 4;
const STEAL: usize = 7;
/// Time for programs, in ticks of 10 ms (`USER_HZ`).
const PROGRAMS: [usize; 3] = [0, 1, 2];
const TICK_MS: u64 = 10;
/// Who does a job in an enclosure has a number as small as this.
const ENCLOSED: u32 = 2;

/// What the machine had counted when the watch began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    cores: Vec<[u64; FIELDS]>,
    own_ms: u64,
}

impl Watch {
    /// Begins.
    ///
    /// # Errors
    /// The machine does not tell.
    pub fn begin() -> Result<Self, Error> {
        const STAT: &str = "/proc/stat";
        let text = fs::read_to_string(STAT).about(STAT)?;
        let own_ms = TICK_MS * own_ticks();
        Ok(Self { cores: cores(&text), own_ms })
    }

    /// What has been counted since, as facts of a run: processor time in milliseconds.
    ///
    /// # Errors
    /// The machine does not tell.
    pub fn facts(&self) -> Result<BTreeMap<String, String>, Error> {
        Ok(self.since(&Self::begin()?))
    }

    fn since(&self, now: &Self) -> BTreeMap<String, String> {
        let spent = self.cores.iter().zip(&now.cores).map(|(then, now)| {
            let mut spent = [0; FIELDS];
            (0..FIELDS).for_each(|field| spent[field] = TICK_MS * now[field].saturating_sub(then[field]));
            spent
        });
        let spent: Vec<[u64; FIELDS]> = spent.collect();
        let total = |core: &[u64; FIELDS]| core.iter().sum::<u64>();
        let busy = |core: &[u64; FIELDS]| total(core) - core[IDLE] - core[WAITING] - core[STEAL];
        let programs: u64 = spent.iter().map(|core| PROGRAMS.map(|field| core[field]).iter().sum::<u64>()).sum();
        let busiest = spent.iter().max_by_key(|core| busy(core)).copied().unwrap_or_default();
        [
            ("live.cores", spent.len() as u64),
            ("live.core_ms", spent.iter().map(total).sum()),
            ("live.busy_ms", spent.iter().map(busy).sum()),
            ("live.busiest_core_ms", total(&busiest)),
            ("live.busiest_busy_ms", busy(&busiest)),
            ("live.stolen_ms", spent.iter().map(|core| core[STEAL]).sum()),
            ("live.others_ms", programs.saturating_sub(now.own_ms - self.own_ms)),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .into()
    }
}

/// What all processes have used that can be seen, if these are those of an enclosure, which see but themselves. Each counts with those that
/// it has waited for, as process 1 has for orphans. In `/proc/PID/stat` these are words 14 to 17, and the second may
/// have spaces.
fn own_ticks() -> u64 {
    if std::process::id() > ENCLOSED {
        return used_ticks();
    }
    let ticks = |text: String| -> Option<u64> {
        let rest = text.rsplit_once(')')?.1;
        rest.split_ascii_whitespace().skip(11).take(4).map(|word| word.parse::<u64>().ok()).sum()
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbered = processes.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok());
    numbered.filter_map(|entry| ticks(fs::read_to_string(entry.path().join("stat")).ok()?)).sum()
}

/// What this process has used, and those that it has waited for.
fn used_ticks() -> u64 {
    let used = [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN].map(getrusage);
    let ms = |time: TimeVal| time.num_milliseconds() as u64;
    used.into_iter().flatten().map(|it| (ms(it.user_time()) + ms(it.system_time())) / TICK_MS).sum()
}

/// The cores' counters in `/proc/stat`.
fn cores(text: &str) -> Vec<[u64; FIELDS]> {
    let of_core = |line: &str| {
        let mut columns = line.split_ascii_whitespace();
        let name = columns.next()?.strip_prefix("cpu")?;
        name.parse::<u32>().ok()?;
        let mut fields = [0; FIELDS];
        for field in &mut fields {
            *field = columns.next()?.parse().ok()?;
        }
        Some(fields)
    };
    text.lines().filter_map(of_core).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_use_is_what_is_not_our_own() {
        let text = |first: &str, second: &str| {
            format!("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 {first} 0 0\ncpu1 {second} 0 0\nintr 5\n")
        };
        let then = Watch { cores: cores(&text("0 0 0 0 0 0 0 0", "10 0 0 0 0 0 0 0")), own_ms: 500 };
        let now = Watch { cores: cores(&text("30 5 15 40 0 0 8 2", "20 0 0 90 0 0 0 0")), own_ms: 900 };
        let facts = then.since(&now);
        let of = |name: &str| facts[name].parse::<u64>().expect("a number");
        assert_eq!((of("live.cores"), of("live.core_ms"), of("live.busy_ms")), (2, 2_000, 680));
        assert_eq!((of("live.busiest_core_ms"), of("live.busiest_busy_ms")), (1_000, 580));
        assert_eq!((of("live.stolen_ms"), of("live.others_ms")), (20, 600 - 400));
    }
}
