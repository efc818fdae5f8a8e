"""An experiment: one path, its flows, and what to measure, as a spec says it."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import Field, PrivateAttr, Tag, ValidationError
from pydantic.types import Discriminator

from dumbbell import cc
from dumbbell.spec.diagnosis import problems_of, without
from dumbbell.spec.inspection import experiment_problems
from dumbbell.spec.problem import Problem, SpecError
from dumbbell.spec.quantity import Time
from dumbbell.spec.run import Trace
from dumbbell.spec.section import UNKNOWN, Section, Swept, Unsettled, form
from dumbbell.spec.tables import MOST_FLOWS, Duration, Flow, Host, Instant, Measure, Name, Path, TimeLimit
from dumbbell.spec.trace import TraceError, read_trace
