"""The simulator and the spec, in Rust (crates/py). Private: `engines.sim`, `cc`, `problem` and `spec` call it."""

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeAlias, TypedDict, final

__all__ = [
    "Experiment", "__version__", "_panic", "ack_samples", "algorithms", "amounts", "analyze_capture", "assignment",
    "attempt", "capture", "check_parameters", "choose", "compare_captures", "identity", "instead_of", "is_path", "keys",
    "links", "linux_controls", "magnitude", "measure", "measure_json", "measurement", "number_and_unit", "placeholders",
    "problems", "quantity", "quantity_kinds", "quoted", "red_mean_bits", "rtt_offset_ns", "run_id", "schema",
    "show_quantity", "start_jitter_ns", "suggestion", "tc_lines", "to_toml", "variants",
    "visible",
]  # fmt: skip

__version__: str

def measure(run_json: str) -> dict[str, Any]:
    """Measures one run, given as the JSON of `run::Run`. Other threads run meanwhile.

    Gives the fields of `engines.measurement.Measurement`, nested as they are, with arrays that are not copied.

    Raises `dumbbell.errors.EngineFailure` when the simulator panics or the run is not one that it can honour.
    """

def capture(run_json: str, folder: str | PathLike[str]) -> dict[str, Any]:
    """Measures as `measure` does, and writes the run's captures into a folder that is there.

    Raises `OSError` when a file cannot be written.
    """

def ack_samples(
    file: str | PathLike[str], senders: list[str], window_ns: tuple[int, int]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Of each flow, by its sender's address and port, the fields of `AckSamples` and of `Histogram`.

    Raises `dumbbell.errors.EngineFailure` when it is no capture.
    """

def analyze_capture(file: str | PathLike[str], bin_ns: int, sink: object) -> str:
    """Analyses a capture, of which "-" is standard input; gives the JSON of its report.

    `sink` has methods that take batches: `connections` JSON, `bins`, `needless` and, unless it is None, `packets`
    columns by their names.

    Raises:
        ValueError: it is no capture.
        OSError: it cannot be read.
    """

def compare_captures(first: str | PathLike[str], second: str | PathLike[str], bin_ns: int, same_clock: bool) -> str:
    """Compares two captures of the same traffic; gives the JSON of a report.

    Raises:
        ValueError: one is no capture, which a note names, or they have no packet in common.
        OSError: one cannot be read, which a note names.
    """

def attempt(run_json: str, most_s: float) -> dict[str, Any]:
    """Measures one run for so many seconds at most; gives the fields of `engines.attempt.Attempt`.

    Raises `dumbbell.errors.EngineFailure` as `measure` does.
    """

def measure_json(run_json: str) -> bytes:
    """Measures one run; the JSON of `run::Measurement`, in one line.

    Raises `dumbbell.errors.EngineFailure` as `measure` does.
    """

def measurement(json: bytes) -> dict[str, Any]:
    """What another process measured, given as the JSON of `run::Measurement`; in the same form.

    Raises `dumbbell.errors.EngineFailure` when it is none.
    """

def problems(run_json: str) -> list[tuple[str, str]]:
    """`(path, message)` of every field that the simulator cannot honour."""

def algorithms() -> list[dict[str, Any]]:
    """Every algorithm of the registry, with its parameters; `cc` has their fields."""

def check_parameters(algorithm: str, parameters: Mapping[str, float]) -> list[str]:
    """What is wrong with these parameters of this algorithm; empty when nothing is."""

_Problems: TypeAlias = list[tuple[str, str, str]]
"""`(path, message, hint)` of all that is wrong; in place of what was asked for."""

class _Resolved(TypedDict):
    """A run as JSON, and what `spec.resolve.Resolved` has beside it."""

    run: str
    groups: list[str]
    ccs: list[str]
    bdp_bytes: float
    start_jitter_ns: int
    rtt_spread_ns: int

@final
class Experiment:
    """A spec in which nothing is wrong; a point is known by its number."""

    @staticmethod
    def load(
        source: str | Mapping[str, Any],
        where: str,
        name: str | None,
        overrides: Mapping[str, Any],
        read: Callable[[str], str | tuple[str, str]],
        registry: list[str] | None,
    ) -> Experiment | _Problems:
        """Makes an experiment of words, or of a text in TOML that a problem calls `where`.

        `name`: of one that says none; `overrides`: values by the paths of their fields; `read` gives the text of a
        file, or a message and a hint; `registry`: the names of the algorithms that it may name.
        """
    @property
    def name(self) -> str: ...
    @property
    def seeds(self) -> int | list[int]:
        """How many, or those that are listed."""
    @property
    def registry(self) -> list[str]: ...
    def axes(self) -> list[tuple[str, list[Any]]]:
        """`(path, values)` of every list where one value belongs."""
    def bundles(self) -> list[list[str]]:
        """The paths of the axes, those that vary together in one list."""
    def __len__(self) -> int:
        """How many points it has."""
    def values(self, point: int) -> dict[str, Any]:
        """Each swept value of a point, by its path."""
    def fields_at(self, point: int) -> dict[str, Any]:
        """The experiment as it is at a point, without its lists."""
    def resolve(self, point: int, seed: int, live: bool) -> _Resolved | _Problems: ...
    def get(self, path: str) -> Any:  # noqa: ANN401 (whatever a field may have)
        """What a field has, written or by default, as written; None: nothing."""
    def filled_bytes(self, point: int) -> float | None:
        """Room of the bottleneck's queue in bdp or as a time, in bytes before they are whole."""
    def is_written(self, path: str) -> bool: ...
    def expectations(self) -> list[dict[str, Any]]:
        """What its runs must show: the fields of `dumbbell.spec.expectation.Expectation` each."""
    def fields(self) -> dict[str, Any]:
        """As it was written."""

def assignment(text: str) -> tuple[str, Any] | _Problems:
    """The field that `path=value` of a command line sets, and its value."""

def is_path(text: str) -> bool:
    """Whether a text is written as the path of a field."""

def to_toml(fields: Mapping[str, Any]) -> str:
    """Fields as a spec file."""

def choose(written: str, registry: list[str] | None = None) -> tuple[str, str, dict[str, float]] | _Problems:
    """The algorithm or variant that a text names, its algorithm, and the parameters that differ from the defaults."""

def run_id(run: str, groups: list[str], ccs: list[str], bdp_bytes: float, engine: str, identity: str) -> str:
    """The name of a run, given as JSON, with the group and the congestion control of each flow, on an engine."""

def magnitude(text: str) -> float | None:
    """The number by which quantities are put in order; None of a text that is none."""

def start_jitter_ns(seed: int, flow: str, jitter_ns: int) -> int:
    """A flow's own part of the start jitter, uniform below a bound."""

def red_mean_bits(min_bytes: int, max_bytes: int, frame_bytes: int) -> tuple[int, int]:
    """Bits that the mean of RED with these thresholds takes with its fraction, and the most that Linux has."""

def tc_lines(run_json: str) -> list[tuple[str, str]]:
    """What manages each queue that is not drop-tail, in `tc`'s own syntax, by the table of the spec."""

def rtt_offset_ns(seed: int, flow: str, spread_ns: int) -> int:
    """What a flow's base round-trip time is longer by, uniform below a bound."""

def quantity(kind: str, value: object) -> tuple[str, tuple[int, int], int] | _Problems:
    """Unit, number (numerator and denominator) and value in base units of a quantity."""

def show_quantity(kind: str, value: int) -> str:
    """A value in base units as text that reads back as the same value."""

def quantity_kinds() -> list[tuple[str, str, list[tuple[str, int]], list[tuple[str, str]]]]:
    """Of every kind of quantity its name, its noun, its units, each with its base units, and examples: unit, number."""

def number_and_unit(text: str) -> tuple[float, str] | None:
    """The number at the beginning of any text, and the unit behind it."""

def amounts(field: str, value: object, path: Mapping[str, Any]) -> dict[str, float]:
    """The columns that a swept value has as a number; `path`: the words of the experiment's path there."""

def keys() -> list[dict[str, Any]]:
    """Every key of a spec: the fields of `spec.keys.Key`."""

def links() -> list[tuple[str, str, list[tuple[str, Any, str]]]]:
    """Of every preset of links its name, what it is, and of each of its keys the path in `[path]`, value and source."""

def schema() -> str:
    """The keys of a spec as a JSON Schema (2020-12), in JSON."""

def placeholders() -> list[tuple[str, str]]:
    """What may stand in braces in the words of a program, and what it stands for."""

def linux_controls() -> list[tuple[str, str]]:
    """Every congestion control of Linux's own tree, and what it is."""

def variants() -> str:
    """The variants of algorithms, in TOML."""

def suggestion(word: str, known: list[str]) -> str:
    """The known word that was probably meant, or all of them; or what there is instead."""

def instead_of(word: str) -> str | None:
    """What there is instead of something that this version has not."""

def quoted(value: object) -> str:
    """A value as a message shows it."""

def visible(text: str) -> str:
    """A text whose every letter prints."""

def identity() -> str:
    """SHA-256 over what decides a measurement's bytes: the model's code and the locked packages that it uses."""

def _panic(message: str) -> None:
    """Panics, so that a test can see what a panic becomes."""
