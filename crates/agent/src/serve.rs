//! The role `serve`: answers requests of a controller that may be on another machine.
//!
//! One line of JSON on standard input is a request, one on standard output its answer, in order; the role ends with its
//! input. Nothing of a request becomes part of a command line. Whoever starts it chooses how lines travel: `ssh` does.

mod description;
mod hello;
mod interfaces;
mod tasks;

use crate::clock::{monotonic_ns, realtime_ns};
use crate::failure::Failure;
use crate::path::{PathSamples, Ports, Reflect, Survey};
use description::Description;
use hello::Hello;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Read, Write};
use tasks::{TaskAnswer, TaskRequest};

/// A longer line is no request: the controller sends less.
const LINE_BYTES: u64 = 1 << 26;

/// A line of the controller's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    /// What the answer repeats.
    id: u64,
    request: Request,
}

/// What can be asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Which agent this is, and where it runs.
    Hello,
    /// What both clocks read.
    Clock,
    /// What this machine has that a run may need.
    Describe {
        /// Also which queueing disciplines its kernel can make. To try them may load modules of the kernel, and so changes the
        /// machine: only who may shape traffic there asks for it.
        means: bool,
    },
    /// What is about a task, a job that goes on without its controller.
    Task(TaskRequest),
    /// To be the receiving end of a path that is measured, while this connection lives.
    Reflect(Reflect),
    /// To measure a path, at its sending end.
    Path(Survey),
}

/// A line of this agent's.
#[derive(Debug, Serialize)]
struct Reply {
    /// The request's; none: it could not be read.
    id: Option<u64>,
    #[serde(flatten)]
    content: Content,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Content {
    Answer(Answer),
    /// Why there is no answer.
    Error(String),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Hello(Hello),
    Clock(Readings),
    Describe(Box<Description>),
    Task(TaskAnswer),
    Reflect(Ports),
    Path(Box<PathSamples>),
}

/// What both clocks read at one time.
#[derive(Debug, Serialize)]
struct Readings {
    /// `CLOCK_REALTIME`, nanoseconds since 1970.
    realtime_ns: u64,
    /// `CLOCK_MONOTONIC`.
    monotonic_ns: u64,
}

/// The role itself.
///
/// # Errors
/// Standard input cannot be read, standard output not be written, or a line is too long.
pub fn serve() -> Result<(), Failure> {
    answer_all(std::io::stdin().lock(), std::io::stdout().lock())
}

/// Answers each line until the last; a line that its sender could not end is none.
fn answer_all(mut requests: impl BufRead, mut answers: impl Write) -> Result<(), Failure> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = requests.by_ref().take(LINE_BYTES + 1);
        limited.read_until(b'\n', &mut line).map_err(|error| Failure::of("read a request", error))?;
        let is_too_long = line.len() as u64 > LINE_BYTES;
        if !is_too_long && line.pop() != Some(b'\n') {
            return Ok(());
        }
        let reply =
            if is_too_long { refusal(None, format!("a line of more than {LINE_BYTES} bytes")) } else { reply(&line) };
        let mut text = serde_json::to_vec(&reply).map_err(|error| Failure::of("spell an answer", error))?;
        text.push(b'\n');
        let written = answers.write_all(&text).and_then(|()| answers.flush());
        written.map_err(|error| Failure::of("write an answer", error))?;
        if is_too_long {
            // Where the next request begins is not known.
            return Err(Failure("a request that is too long".to_owned()));
        }
    }
}

fn reply(line: &[u8]) -> Reply {
    let envelope: Envelope = match serde_json::from_slice(line) {
        Ok(envelope) => envelope,
        Err(error) => return refusal(None, format!("not a request: {error}")),
    };
    match answer(&envelope.request) {
        Ok(answer) => Reply { id: Some(envelope.id), content: Content::Answer(answer) },
        Err(failure) => refusal(Some(envelope.id), failure.0),
    }
}

fn answer(request: &Request) -> Result<Answer, Failure> {
    Ok(match request {
        Request::Hello => Answer::Hello(Hello::new()?),
        Request::Clock => Answer::Clock(Readings { realtime_ns: realtime_ns()?, monotonic_ns: monotonic_ns()? }),
        Request::Describe { means } => Answer::Describe(Box::new(Description::new(*means)?)),
        Request::Task(request) => Answer::Task(request.answer()?),
        Request::Reflect(reflect) => Answer::Reflect(reflect.begin()?),
        Request::Path(survey) => Answer::Path(Box::new(survey.measure()?)),
    })
}

const fn refusal(id: Option<u64>, why: String) -> Reply {
    Reply { id, content: Content::Error(why) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// What is answered to some lines, and how it ends.
    fn answered(lines: &[u8]) -> (Vec<Value>, Result<(), Failure>) {
        let mut answers = Vec::new();
        let end = answer_all(lines, &mut answers);
        let text = String::from_utf8(answers).expect("UTF-8");
        (text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(), end)
    }

    #[test]
    fn each_line_has_its_answer() {
        let (answers, end) = answered(
            b"{\"id\":7,\"request\":\"clock\"}\nwhat\n{\"id\":8,\"request\":\"dance\"}\n{\"id\":9,\"request\":\"hello\"}\n",
        );
        assert_eq!((answers.len(), end), (4, Ok(())));
        assert_eq!(answers[0]["id"], 7);
        assert!(answers[0]["answer"]["clock"]["realtime_ns"].as_u64().expect("a number") > 1_700_000_000_000_000_000);
        for refused in &answers[1..3] {
            assert!(refused["id"].is_null() && refused["error"].as_str().expect("a text").starts_with("not a request"));
        }
        assert_eq!(answers[3]["answer"]["hello"]["sha256"].as_str().expect("a text").len(), 64);
    }

    #[test]
    fn more_than_a_request_is_none() {
        for line in [
            &b"{\"id\":1,\"request\":\"clock\",\"shell\":\"sh\"}\n"[..],
            b"{\"id\":1,\"request\":{\"describe\":{\"means\":false,\"path\":\"/\"}}}\n",
            b"{\"id\":-1,\"request\":\"clock\"}\n",
            b"\xff\n",
            b"\n",
        ] {
            let (answers, end) = answered(line);
            assert_eq!((answers.len(), end), (1, Ok(())));
            assert!(answers[0].get("error").is_some(), "{answers:?}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_none() {
        assert_eq!(answered(b"{\"id\":7,\"request\":\"clock\"}"), (Vec::new(), Ok(())));
    }

    #[test]
    fn a_line_that_is_too_long_is_the_last() {
        let mut lines = vec![b' '; LINE_BYTES as usize - 25];
        lines.extend(b"{\"id\":7,\"request\":\"clock\"}");
        let most = [&lines[lines.len() - LINE_BYTES as usize + 1..], b"\n"].concat();
        assert_eq!(most.len() as u64, LINE_BYTES);
        assert_eq!(answered(&most).0[0]["id"], 7);
        let (answers, end) = answered(&[b" ", &most[..], &most[..]].concat());
        assert_eq!((answers.len(), end.is_err()), (1, true));
        assert!(answers[0]["error"].as_str().expect("a text").contains(&format!("more than {LINE_BYTES} bytes")));
    }

    #[test]
    fn a_description_has_this_machine() {
        let (answers, _) = answered(b"{\"id\":1,\"request\":{\"describe\":{\"means\":false}}}\n");
        let description = &answers[0]["answer"]["describe"];
        let interfaces = description["interfaces"].as_array().expect("a list");
        let loopback = interfaces.iter().find(|each| each["name"] == "lo").expect("every namespace has one");
        assert_eq!(loopback["qdisc"], "noqueue");
        assert!(description["means"].is_null() && !description["available"].as_array().expect("a list").is_empty());
    }
}
