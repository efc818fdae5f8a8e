//! Broken specs: whatever a text says, the crate answers, with little work and in little memory.
//!
//! `DUMBBELL_FUZZ_SPECS` says how many, `DUMBBELL_FUZZ_SEED` with which seed; `make fuzz-specs` tries ten million. What fails is
//! printed with both.

use spec::{Description, Experiment, Files, Refusal, Registry, descriptions, parse, toml};
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

const FEW: u64 = 2_000;
const MOST_BYTES: usize = 100_000_000;
/// Asked for one after the other: what works on and on asks for more.
const MOST_REQUESTED_BYTES: usize = 3_000_000_000;
const POINTS: usize = 3;
/// As many flows as a group may have, each with its own parameters: chance seldom draws them.
const LARGEST: &str = "duration = \"9 s\"\npath = { rate = \"9 Mbit/s\", rtt = \"9 ms\", buffer = \"9 kB\" }\n\
                       flows = [{ cc = \"bbr_4_17\", count = 100000 }]\n";

/// Hops, a way back and routes, what lines do in time and to packets, and clients that load pages, which few specs of the project have.
const NETWORKS: [&str; 5] = [
    "duration = \"9 s\"\n[path]\nrtt = \"40 ms\"\nbottleneck = \"core\"\n[[path.back.hops]]\nname = \"out\"\n\
     rate = \"2 Mbit/s\"\nbuffer = \"10 packets\"\ndelay = \"3 ms\"\n[[path.back.hops]]\nname = \"home\"\n\
     rate = \"1 Mbit/s\"\nbuffer = \"1 bdp\"\n[[hops]]\nname = \"first\"\nrate = \"100 Mbit/s\"\nbuffer = \"1 bdp\"\n\
     delay = \"2 ms\"\n[[hops]]\nname = \"core\"\nrate = [\"50 Mbit/s\", \"20 Mbit/s\"]\nbuffer = \"20 ms\"\nloss = \"1 %\"\n\
     [[hops.change]]\nat = \"2 s\"\nrate = \"9 Mbit/s\"\n[[flows]]\ncc = \"bbr\"\nroute = [\"first\", \"core\"]\n\
     [[flows]]\ncc = \"cubic\"\ndirection = \"up\"\nroute = [\"home\", \"core\"]\n",
    "duration = \"9 s\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"40 ms\"\nbuffer = \"1 bdp\"\n[path.back]\nrate = \"1 Mbit/s\"\n\
     buffer = \"20 ms\"\ndelay = \"9 ms\"\n[[flows]]\ncc = \"reno\"\ndirection = \"up\"\nrtt = \"50 ms\"\n\
     [[flows]]\nworkload = { media = { least = \"90 kbit/s\", most = \"2 Mbit/s\", frames = 25, deadline = \"90 ms\" } }\n",
    "duration = \"9 s\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"40 ms\"\nbuffer = \"1 bdp\"\nduplicate = \"1 %\"\ncorrupt = \"1 %\"\n\
     aggregation = \"4 ms\"\nack_filter = true\nreorder = [\"none\", { share = \"2 %\", by = \"15 ms\" }, { spread = \"8 ms\", \
     delay = \"9 ms\", distribution = \"normal\", correlation = \"25 %\" }]\nloss = { gilbert_elliott = { loss = \"1 %\", burst = 5 } }\n\
     [[path.change]]\nat = \"1 s\"\nover = \"1 s\"\nevery = \"3 s\"\nrate = \"0 bit/s\"\nrtt = \"9 ms\"\nbuffer = \"0.5 bdp\"\n\
     [[path.change]]\nat = \"2 s\"\nevery = \"3 s\"\nrate = \"9 Mbit/s\"\n[[flows]]\ncc = \"bbr\"\n",
    "duration = \"9 s\"\n[path]\nlink = \"starlink\"\nshaper = \"police\"\nburst = \"9 kB\"\npeak = \"900 Mbit/s\"\nexceed = \"mark\"\n\
     [path.back]\nrate = \"1 Mbit/s\"\nbuffer = \"20 ms\"\ndelay = \"9 ms\"\nloss = { gilbert_elliott = { p = \"1 %\", r = \"9 %\", \
     h = \"1 %\", k = \"99 %\" } }\n[[path.back.change]]\nat = \"1 s\"\nover = \"10 ms\"\nevery = \"20 ms\"\ndelay = \"2 ms\"\n\
     [[flows]]\ncc = \"reno\"\n",
    "duration = \"9 s\"\npath = { rate = \"9 Mbit/s\", rtt = \"9 ms\", buffer = \"9 kB\" }\n[[flows]]\ncc = \"bbr\"\ncount = 2\n\
     workload = { pages = { objects = 50, size = [\"20 kB\", { pareto = { minimum = \"1 kB\", shape = 1.2 } }], request = \"400 B\", \
     think = [\"1 s\", { exponential = \"2 s\" }], connections = 6 } }\n",
];

/// Counts what is held.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static REQUESTED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is handed on to the system's allocator; the counts are beside it.
#[expect(unsafe_code, reason = "an allocator is a set of unsafe functions")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let allocated = ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(allocated, Ordering::Relaxed);
        REQUESTED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Numbers that follow from a seed (xorshift64*).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Files with writes, times and sizes, and one that is not there.
struct FewFiles;

impl Files for FewFiles {
    fn text(&self, name: &str) -> Result<String, Refusal> {
        match name.len() % 4 {
            0 => Ok("0,1000\n0.25,2000\n".to_owned()),
            1 => Ok("0.5\n1\n2.25\n".to_owned()),
            2 => Ok("1000,0.2\n10000,1\n".to_owned()),
            _ => Err(Refusal::new("no such file", "")),
        }
    }
}

/// Specs of the project, and among five one with hops.
fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("examples"), root.join("python/dumbbell/studies/claypool2019")];
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|it| it == "toml"));
    let mut specs: Vec<String> = texts.map(|path| std::fs::read_to_string(path).expect("text")).collect();
    specs.sort();
    specs.retain(|text| text.contains("[[flows]]"));
    let drawn_as_often = specs.len() / (4 * NETWORKS.len()) + 1;
    specs.extend(NETWORKS.iter().cycle().take(drawn_as_often * NETWORKS.len()).map(|text| (*text).to_owned()));
    specs
}

/// What a spec may have in it, and what it may not.
fn fragments(keys: &[Description]) -> Vec<String> {
    let odd = "[|]|[[|]]|{|}|=|\"|'|,|\n|#|0|-1|1e999|nan|inf|true|\u{0}|9223372036854775807|\"\u{202e}\"|\"1e60 ms\"|\"-0 s\"|\
               \"1 bdp\"|\"flows[9]\"|[[\"a\", \"b\"]]|[path]|[[path.change]]|[[flows]]|[[hops]]|[[hops.change]]|[path.back]|[[path.back.hops]]|[host]|[measure]|count = 1000|load = 10|\
               1979-05-27|zip = [[\"path.rtt\", \"path.rate\"]]";
    let mut fragments: Vec<String> = odd.split('|').map(str::to_owned).collect();
    for key in keys {
        let name = key.path.rsplit('.').next().unwrap_or_default();
        fragments.push(name.to_owned());
        for value in key.examples.iter().chain(&key.extremes).chain(&key.default) {
            let written = toml(&vec![("x".to_owned(), value.clone())]);
            let value = written.trim_start_matches("x = ").trim_end();
            fragments.extend([format!("{name} = {value}"), format!("{name} = [{value}]"), value.to_owned()]);
        }
    }
    fragments
}

fn broken(draw: &mut Draw, sources: &[String], fragments: &[String]) -> String {
    let mut lines: Vec<String> = draw.one(sources).lines().map(str::to_owned).collect();
    for _ in 0..=draw.below(6) {
        let place = draw.below(lines.len());
        let word = draw.one(fragments).clone();
        if lines.is_empty() {
            break;
        }
        match draw.below(6) {
            0 => lines.insert(place, word),
            1 => drop(lines.remove(place)),
            2 => lines.push(lines[place].clone()),
            3 => lines[place] = format!("{}= {word}", lines[place].split('=').next().unwrap_or_default()),
            _ => {
                let letters: Vec<char> = lines[place].chars().collect();
                let cut = draw.below(letters.len() + 1);
                let rest = (cut + draw.below(4)).min(letters.len());
                lines[place] =
                    letters[..cut].iter().copied().chain(word.chars()).chain(letters[rest..].iter().copied()).collect();
            }
        }
    }
    lines.join("\n")
}

/// Reads a text and resolves some of its points; says whether it was right.
fn attempt(text: &str) -> bool {
    let Ok(fields) = parse(text, "spec") else { return false };
    let Ok(experiment) = Experiment::load(&fields, &FewFiles, Registry::known()) else { return false };
    for number in 0..experiment.len().min(POINTS) {
        let _ = experiment.point(number).resolve(1, false).map(|resolved| resolved.id("sim", "fuzz"));
    }
    let written = experiment.to_toml();
    assert_eq!(
        parse(&written, "again").map(|fields| toml(&fields)),
        Ok(written.clone()),
        "it reads back as it was written"
    );
    true
}

#[test]
fn whatever_a_text_says_is_answered() {
    let number = |name: &str, usual| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let (count, seed) = (number("DUMBBELL_FUZZ_SPECS", FEW), number("DUMBBELL_FUZZ_SEED", 1));
    let (sources, fragments) = (sources(), fragments(&descriptions()));
    assert!(sources.len() > 3 && fragments.len() > 200);
    for text in NETWORKS {
        assert!(attempt(text), "what is broken is right before: {text}");
    }
    let mut right = 0_u64;
    for case in 0..=count {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case);
        let text = if case == 0 { LARGEST.to_owned() } else { broken(&mut draw, &sources, &fragments) };
        let (requested, before) = (REQUESTED.load(Ordering::Relaxed), ALLOCATED.load(Ordering::Relaxed));
        PEAK.store(before, Ordering::Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| attempt(&text)));
        let peak = PEAK.load(Ordering::Relaxed) - before;
        right += u64::from(outcome.unwrap_or_else(|_| panic!("seed {seed}, case {case} panics:\n{text}")));
        let requested = REQUESTED.load(Ordering::Relaxed) - requested;
        assert!(peak < MOST_BYTES, "seed {seed}, case {case} takes {peak} B:\n{text}");
        assert!(requested < MOST_REQUESTED_BYTES, "seed {seed}, case {case} asks for {requested} B:\n{text}");
    }
    assert!(right > count / 100, "{right} of {count} are right: too few");
}
