//! The algorithms there are, by name, and [`Controller`], one of them at work.
//!
//! A variant of an algorithm is a set of parameters, never code: no variant is known here.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use units::{Rate, Segments, Time};

use crate::parameter::{Values, unknown};
use crate::{
    Ack, Algorithm, CongestionControl, Delivery, Inspection, Loss, ParameterError, RecoveryState, Restart, Start,
    Timeout, Window,
};

/// One line an algorithm, in the order of their names: its module, which has the static `ALGORITHM`, its type there, and
/// how that is held. The list and the dispatch follow from it.
macro_rules! algorithms {
    ($($module:ident::$type:ident as $storage:ty),* $(,)?) => {
        /// All algorithms, by name.
        static ALGORITHMS: &[&Algorithm] = &[$(&crate::$module::ALGORITHM),*];

        /// An algorithm at work. An enum and no trait object: the calls are on the path of every ACK, and can be inlined.
        #[derive(Clone, Debug)]
        pub enum Controller {
            $(#[doc = concat!("See `", stringify!($module), "`.")] $type($storage)),*
        }

        impl Controller {
            fn new(values: &Values<'_>, start: &Start) -> Self {
                let name = values.algorithm.name;
                $(if name == crate::$module::ALGORITHM.name {
                    return Self::$type(crate::$module::$type::new(values, start).into());
                })*
                unreachable!("{name} is not in the table")
            }

            /// The algorithm itself, wherever it lies.
            #[inline]
            pub fn state(&self) -> &dyn CongestionControl {
                match self {
                    $(Self::$type(cc) => Borrow::<crate::$module::$type>::borrow(cc)),*
                }
            }
        }

        /// Calls the same method on whichever it is.
        macro_rules! each {
            ($controller:ident, $cc:ident => $call:expr) => {
                match $controller {
                    $(Controller::$type($cc) => $call),*
                }
            };
        }
    };
}

algorithms! {
    bbr::Bbr as Box<crate::Bbr>, // several times larger than the others
    bbr3::Bbr3 as Box<crate::Bbr3>,
    bbr_proposals::BbrProposals as Box<crate::BbrProposals>,
    cubic::Cubic as crate::Cubic,
    dctcp::Dctcp as crate::Dctcp,
    prague::Prague as Box<crate::Prague>,
    reno::Reno as crate::Reno,
}

/// All algorithms, sorted by name.
pub fn algorithms() -> &'static [&'static Algorithm] {
    ALGORITHMS
}

/// The algorithm called `name`.
pub fn algorithm(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.name == name)
}

fn find(name: &str) -> Result<&'static Algorithm, ParameterError> {
    algorithm(name).ok_or_else(|| {
        let hint = unknown(name, ALGORITHMS.iter().map(|algorithm| algorithm.name));
        ParameterError(format!("unknown algorithm {hint}"))
    })
}

/// Everything that is wrong with an algorithm's name and parameters; empty when [`build`] will succeed.
pub fn check(name: &str, parameters: &BTreeMap<String, f64>) -> Vec<ParameterError> {
    match find(name) {
        Ok(algorithm) => algorithm.check(parameters),
        Err(error) => vec![error],
    }
}

/// The algorithm `name` with its defaults but for `parameters`, at the moment its connection is established.
pub fn build(name: &str, parameters: &BTreeMap<String, f64>, start: &Start) -> Result<Controller, Vec<ParameterError>> {
    let algorithm = find(name).map_err(|error| vec![error])?;
    let errors = algorithm.check(parameters);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Controller::new(&Values { algorithm, given: parameters }, start))
}

impl CongestionControl for Controller {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        each!(self, cc => cc.on_ack(ack, window));
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        each!(self, cc => cc.on_delivery(delivery));
    }

    fn on_congestion(&mut self, window: &Window) -> Segments {
        each!(self, cc => cc.on_congestion(window))
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        each!(self, cc => cc.on_timeout(timeout));
    }

    #[inline]
    fn watches_losses(&self) -> bool {
        each!(self, cc => cc.watches_losses())
    }

    fn on_lost(&mut self, loss: &Loss, window: &Window, now: Time, delivered: u64) {
        each!(self, cc => cc.on_lost(loss, window, now, delivered));
    }

    fn on_probe_repair(&mut self, was_app_limited: bool, window: &Window, now: Time, delivered: u64) {
        each!(self, cc => cc.on_probe_repair(was_app_limited, window, now, delivered));
    }

    fn on_state(&mut self, state: RecoveryState, window: &mut Window) {
        each!(self, cc => cc.on_state(state, window));
    }

    fn on_undo(&mut self, window: &Window, prior_cwnd: Segments) -> Segments {
        each!(self, cc => cc.on_undo(window, prior_cwnd))
    }

    fn on_restart(&mut self, restart: &Restart, window: &mut Window) {
        each!(self, cc => cc.on_restart(restart, window));
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        each!(self, cc => cc.pacing_rate())
    }

    fn paces(&self) -> bool {
        each!(self, cc => cc.paces())
    }

    #[inline]
    fn owns_window(&self) -> bool {
        each!(self, cc => cc.owns_window())
    }

    #[inline]
    fn limits_flight(&self) -> bool {
        each!(self, cc => cc.limits_flight())
    }

    #[inline]
    fn min_burst(&self) -> Option<Segments> {
        each!(self, cc => cc.min_burst())
    }

    #[inline]
    fn max_burst(&self) -> Segments {
        each!(self, cc => cc.max_burst())
    }

    #[inline]
    fn send_buffer_factor(&self) -> u32 {
        each!(self, cc => cc.send_buffer_factor())
    }

    fn phases(&self) -> &'static [&'static str] {
        each!(self, cc => cc.phases())
    }

    fn inspect(&self) -> Inspection {
        each!(self, cc => cc.inspect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::event::samples;
    use crate::parameter::samples::given;

    #[test]
    fn every_algorithm_can_be_built_with_its_defaults_and_with_every_extreme() {
        assert!(!algorithms().is_empty());
        for algorithm in algorithms() {
            let controller = build(algorithm.name, &BTreeMap::new(), &samples::start()).unwrap();
            assert!(!controller.phases().is_empty());
            for parameter in algorithm.parameters {
                for value in [parameter.range.0, parameter.range.1] {
                    let pairs = given(&[(parameter.name, value)]);
                    assert_eq!(
                        build(algorithm.name, &pairs, &samples::start()).err(),
                        Some(check(algorithm.name, &pairs)).filter(|e| !e.is_empty())
                    );
                }
            }
        }
    }

    #[test]
    fn every_parameter_is_read() {
        for algorithm in algorithms() {
            let built =
                |pairs: &[_]| build(algorithm.name, &given(pairs), &samples::start()).map(|cc| format!("{cc:?}"));
            let defaults = built(&[]).unwrap();
            for parameter in algorithm.parameters {
                let (low, high) = parameter.range;
                let mut others = [low, high].into_iter().filter_map(|value| built(&[(parameter.name, value)]).ok());
                assert!(others.any(|other| other != defaults), "{}: {}", algorithm.name, parameter.name);
            }
        }
    }

    #[test]
    fn every_parameter_says_what_it_is_and_where_its_default_comes_from() {
        for parameter in algorithms().iter().flat_map(|algorithm| algorithm.parameters) {
            let name = parameter.name;
            assert!(!parameter.about.is_empty() && !parameter.source.is_empty(), "{name}");
            let (low, high) = parameter.range;
            assert!((low..=high).contains(&parameter.default), "{name}");
            assert!(parameter.kind == Kind::Number || parameter.default.fract() == 0.0, "{name}");
        }
    }

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(algorithms().is_sorted_by(|a, b| a.name < b.name));
        for algorithm in algorithms() {
            let mut names: Vec<_> = algorithm.parameters.iter().map(|p| p.name).collect();
            names.sort_unstable();
            assert!(names.is_sorted_by(|a, b| a < b), "{}", algorithm.name);
        }
    }

    #[test]
    fn an_unknown_algorithm_is_answered_with_the_nearest() {
        let errors = check("bbrr", &given(&[("cwnd_gain", 1.0)]));
        assert_eq!(errors.len(), 1);
        let expected = "unknown algorithm \"bbrr\"; did you mean \"bbr\"? known: bbr, bbr3, cubic";
        assert!(errors[0].0.starts_with(expected), "{errors:?}");
        assert_eq!(build("bbrr", &BTreeMap::new(), &samples::start()).err(), Some(check("bbrr", &BTreeMap::new())));
    }

    #[test]
    fn a_parameter_of_another_algorithm_is_unknown() {
        let errors = check("cubic", &given(&[("probe_gain", 1.1), ("beta", 0.8)]));
        assert_eq!(errors.len(), 1);
        assert!(errors[0].0.starts_with("cubic: unknown parameter \"probe_gain\""), "{errors:?}");
    }

    #[test]
    fn nothing_is_built_from_bad_values_and_all_are_named() {
        let pairs = given(&[("cwnd_gain", f64::NAN), ("min_cwnd", 4.5), ("cycle_len", 1e9)]);
        assert_eq!(build("bbr", &pairs, &samples::start()).unwrap_err().len(), 3);
    }

    #[test]
    fn a_clone_behaves_as_its_original() {
        let mut original = build("bbr", &BTreeMap::new(), &samples::start()).unwrap();
        let mut clone = original.clone();
        let mut windows = [Window { cwnd: 10, ssthresh: Segments::MAX }; 2];
        original.on_ack(&samples::ack(), &mut windows[0]);
        clone.on_ack(&samples::ack(), &mut windows[1]);
        assert_eq!(windows[0], windows[1]);
        assert_eq!(original.pacing_rate(), clone.pacing_rate());
    }
}
