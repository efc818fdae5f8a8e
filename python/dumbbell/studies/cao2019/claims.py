"""What formulas cannot say: iperf3's clock of a transfer."""

from dumbbell.studies.cao2019.clock import delivered_by_then, written_s

__all__ = ["delivered_by_then", "written_s"]
