"""The simulator, in Rust (crates/py). Private: `engines.sim`, `cc` and `spec.chance` call it."""

from collections.abc import Mapping
from typing import Any

__all__ = [
    "__version__", "_panic", "algorithms", "attempt", "check_parameters", "drawn", "identity", "measure",
    "measure_json", "measurement", "problems",
]  # fmt: skip

__version__: str

def measure(run_json: str) -> dict[str, Any]:
    """Measures one run, given as the JSON of `run::Run`. Other threads run meanwhile.

    Gives the fields of `engines.measurement.Measurement`, nested as they are, with arrays that are not copied.

    Raises `dumbbell.errors.EngineFailure` when the simulator panics or the run is not one that it can honour.
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

def drawn(request_json: str) -> str:
    """What a spec leaves to chance, drawn: the JSON of a `draw::Answer` to that of a `draw::Request`.

    Raises `dumbbell.errors.EngineFailure` when it is no request, or would not end.
    """

def identity() -> str:
    """SHA-256 over what decides a measurement's bytes: the model's code and the locked packages that it uses."""

def _panic(message: str) -> None:
    """Panics, so that a test can see what a panic becomes."""
