//! [`Pages`]: the pages that a client loads: which object it requests next, and when each page was loaded. The same on every
//! engine.

use crate::stream::{Stream, stream};
use crate::{Flow, NEVER_NS, PageLoads, Sizes, Think, Workload};

/// A client, which requests the objects of one page after the other, each on a connection that is free.
#[derive(Debug)]
pub struct Pages {
    connections: usize,
    objects: u64,
    request_bytes: u32,
    sizes: Sizes,
    size_chance: Stream,
    think: Think,
    think_chance: Stream,
    /// Of the page under way: objects that are not requested, and those that have not arrived.
    unrequested: u64,
    missing: u64,
    loads: PageLoads,
}

impl Pages {
    /// A client of the run with this seed, its first page due; none: the flow is another workload.
    pub fn of(seed: u64, flow: &Flow) -> Option<Self> {
        let Workload::Pages { connections, objects, sizes, request_bytes, think } = &flow.workload else { return None };
        let chance = |what| stream(seed, &format!("{what}/{}", flow.name));
        let mut pages = Self {
            connections: *connections as usize,
            objects: *objects,
            request_bytes: *request_bytes,
            sizes: sizes.clone(),
            size_chance: chance("object"),
            think: *think,
            think_chance: chance("think"),
            unrequested: 0,
            missing: 0,
            loads: PageLoads::default(),
        };
        pages.begin();
        Some(pages)
    }

    /// How many connections it opens.
    pub const fn connections(&self) -> usize {
        self.connections
    }

    /// Payload of each request, which is one segment.
    pub const fn request_bytes(&self) -> u32 {
        self.request_bytes
    }

    /// It has thought: the next page is due.
    pub const fn begin(&mut self) {
        (self.unrequested, self.missing) = (self.objects, self.objects);
    }

    /// A connection is free, and requests an object. Gives the object's bytes; none: there is none to request now.
    pub fn request(&mut self, now_ns: u64) -> Option<u64> {
        if self.unrequested == 0 {
            return None;
        }
        if self.unrequested == self.objects {
            self.loads.started_ns.push(now_ns);
            self.loads.loaded_ns.push(NEVER_NS);
            self.loads.bytes.push(0);
        }
        self.unrequested -= 1;
        let bytes = self.sizes.bytes_at(self.size_chance.share());
        if let Some(sum) = self.loads.bytes.last_mut() {
            *sum = sum.saturating_add(bytes);
        }
        Some(bytes)
    }

    /// The last byte of an object has arrived. Gives how long the client thinks then, if that was the last of its page.
    pub fn arrive(&mut self, now_ns: u64) -> Option<u64> {
        self.missing -= 1;
        if self.missing > 0 {
            return None;
        }
        if let Some(loaded_ns) = self.loads.loaded_ns.last_mut() {
            *loaded_ns = now_ns;
        }
        Some(match self.think {
            Think::Fixed(ns) => ns,
            Think::Exponential(mean_ns) => self.think_chance.exponential(mean_ns as f64),
        })
    }

    /// Those that it has begun.
    pub const fn loads(&self) -> &PageLoads {
        &self.loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::pages;

    fn client(seed: u64, objects: u64, sizes: Sizes, think: Think) -> Pages {
        let workload = Workload::Pages { connections: 2, objects, sizes, request_bytes: 400, think };
        Pages::of(seed, &Flow { workload, ..pages("web", "cubic", 1, 0) }).unwrap()
    }

    #[test]
    fn a_page_lasts_from_its_first_request_to_its_last_object() {
        let mut pages = client(1, 3, Sizes::Fixed(1_000), Think::Fixed(70));
        assert_eq!([10, 11, 15].map(|at_ns| pages.request(at_ns)), [Some(1_000); 3]);
        assert_eq!(pages.request(16), None, "all are requested");
        assert_eq!([20, 25].map(|at_ns| pages.arrive(at_ns)), [None; 2]);
        assert_eq!(pages.loads().loaded_ns, [NEVER_NS]);
        assert_eq!((pages.arrive(30), pages.request(31)), (Some(70), None));
        pages.begin();
        assert_eq!(pages.request(100), Some(1_000));
        let PageLoads { started_ns, loaded_ns, bytes } = pages.loads();
        assert_eq!((&**started_ns, &**loaded_ns, &**bytes), (&[10, 100][..], &[30, NEVER_NS][..], &[3_000, 1_000][..]));
    }

    #[test]
    fn sizes_and_pauses_follow_from_the_seed_and_have_their_means() {
        let drawn = |seed| {
            let mut pages = client(seed, 1, Sizes::lognormal_of_mean(20_000.0, 1.0), Think::Exponential(1_000_000));
            let mut draw = || {
                pages.begin();
                (pages.request(0).unwrap(), pages.arrive(1).unwrap())
            };
            (0..20_000).map(|_| draw()).collect::<Vec<_>>()
        };
        let (one, other) = (drawn(1), drawn(2));
        assert_eq!(one, drawn(1));
        assert_ne!(one[..10], other[..10]);
        let mean = |each: fn(&(u64, u64)) -> u64| one.iter().map(each).sum::<u64>() as f64 / 20_000.0;
        // Standard errors: sqrt(e - 1) and 1 over sqrt(20,000), of the mean.
        assert!((mean(|each| each.0) / 20_000.0 - 1.0).abs() < 5.0 * 1.31 / 141.0, "{}", mean(|each| each.0));
        assert!((mean(|each| each.1) / 1e6 - 1.0).abs() < 5.0 / 141.0, "{}", mean(|each| each.1));
    }
}
