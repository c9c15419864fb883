"""Entries for the tests of charts, and plotly's own opinion of a chart."""

import json

import pandas as pd
import plotly.graph_objects as go

from rankone.report import traces
from rankone.report.traces import Chart

POLICIES = [
    {"name": "uts", "label": "UTS"},
    {"name": "osub", "label": "OSUB"},
    {"name": "rank1elim_kl", "label": "Rank1ElimKL"},
    {"name": "ts", "label": "TS", "draw": False},
]
INSTANCES = [{"name": name, "label": name, "shape": (4, 4)} for name in ("K4", "K8")]
CONSTANTS = pd.DataFrame({"unimodal": [7.58, 17.7], "lai_robbins": [15.4, 60.1]}, ["K4", "K8"])


def valid(chart: Chart) -> Chart:
    """As plotly's own schema sees it: an unknown attribute or value is an error there."""
    for panel in chart.panels:
        words = json.dumps({"data": panel.data, "layout": panel.layout}, allow_nan=False)
        for colour in (traces.INK, traces.MARKED, traces.CELL, traces.BEST, traces.WORST):
            words = words.replace(colour, "#aabbcc")
        go.Figure(json.loads(words))
    return chart
