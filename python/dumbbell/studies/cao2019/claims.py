"""What formulas cannot say: iperf3's clock of a transfer, and the cells that others have."""

from dumbbell.studies.cao2019.cells import digitised_gain, replicated_gain
from dumbbell.studies.cao2019.clock import delivered_by_then, written_s

__all__ = ["delivered_by_then", "digitised_gain", "replicated_gain", "written_s"]
