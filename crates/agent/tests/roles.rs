//! The agent's roles as whoever starts it sees them. What needs a kernel is tested with the engine.

use std::path::PathBuf;
use std::process::{Command, Output};

/// This process, which starts the agent.
fn parent() -> String {
    std::process::id().to_string()
}

fn agent(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dumbbell-agent")).args(arguments).output().expect("the agent was built")
}

/// A new folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("there is room");
    folder
}

/// What a program does in the kernel's place, started in the root of a folder of its own; and that folder.
fn booted(test: &str, kernel: &[&str]) -> (Output, PathBuf) {
    let folder = folder(test);
    let root = folder.join("root");
    std::fs::create_dir(&root).expect("there is room");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dumbbell-agent"));
    command.args(["boot", &parent()]).args(kernel).current_dir(root).env_remove("TMPDIR");
    (command.output().expect("the agent was built"), folder)
}

#[test]
fn it_tells_its_version() {
    let output = agent(&["--version"]);
    assert!(output.status.success());
    assert_eq!(output.stdout, format!("dumbbell-agent {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
}

#[test]
fn a_role_that_it_does_not_know_is_an_error() {
    for arguments in [&[][..], &["boot"], &["boot", "/bin/sh", "-c"], &["run", "job.json"], &["dance"]] {
        let output = agent(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn boot_becomes_the_kernel_with_its_addresses_fixed() {
    // A shell in the kernel's place tells what it is.
    let script = "cat /proc/self/personality && exec cat /proc/self/stat";
    let (output, _) = booted("boot_becomes", &["/bin/sh", "-c", script]);
    let text = String::from_utf8(output.stdout).expect("numbers");
    let (personality, stat) = text.split_once('\n').expect("two lines");
    assert_eq!(u32::from_str_radix(personality, 16).expect("a number") & 0x0004_0000, 0x0004_0000);
    let fields: Vec<&str> = stat.split(' ').collect();
    assert_eq!(fields[0], fields[4], "it leads its process group");
}

#[test]
fn a_kernel_that_is_not_there_is_named() {
    let (output, _) = booted("not_there", &["/nowhere/linux"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/linux"));
}

#[test]
fn boot_says_whether_the_kernel_is_confined_and_it_is_then() {
    let script =
        "echo inside >> mine; echo outside >> ../../outside-of-confined; cat mine; chmod 777 mine || echo no modes";
    let (output, folder) = booted("confined", &["/bin/sh", "-c", script]);
    let confinement = std::fs::read_to_string(folder.join("confinement")).expect("it was written");
    let outside = folder.join("../outside-of-confined");
    if confinement.starts_with("confined (Landlock ABI ") {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "inside\nno modes\n");
        assert!(!outside.exists());
    } else {
        assert_eq!(confinement, "not confined");
        std::fs::remove_file(outside).expect("it was written to");
    }
}

#[test]
fn boot_is_refused_once_its_parent_is_gone() {
    let output = agent(&["boot", &i32::MAX.to_string(), "/bin/true"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"dumbbell-agent: whoever started this is gone\n");
}

#[test]
fn what_goes_wrong_is_an_outcome() {
    let folder = folder("what_goes_wrong");
    let (job, outcome) = (folder.join("job.json"), folder.join("outcome.json"));
    std::fs::write(&job, "{").expect("there is room");
    let paths = [&job, &outcome].map(|path| path.to_str().expect("a plain path"));
    assert!(agent(&["run", paths[0], paths[1]]).status.success());
    let text = std::fs::read_to_string(&outcome).expect("it was written");
    assert!(text.starts_with("{\"failed\":\"read ") && text.contains("job.json"), "{text}");
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 2, "no temporary file is left");
}

#[test]
fn an_outcome_that_cannot_be_written_is_an_error() {
    let output = agent(&["run", "job.json", "/nowhere/outcome.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/outcome.json"));
}
