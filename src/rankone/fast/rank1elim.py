"""policies/rank1elim.py with the commitments of fast/elimination.py."""

from rankone.fast._elimination import decide
from rankone.policies._elimination import observe, start, supports
from rankone.policies.rank1elim import configure

__all__ = ["configure", "decide", "observe", "start", "supports"]
