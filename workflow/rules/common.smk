# The campaigns, and what the other rules ask of them.
import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)

# Jobs use this Python and this source, also where no environment was activated.
sys.path.insert(0, str(ROOT / "src"))
for name, folder in [
    ("PYTHONPATH", ROOT / "src"),
    ("PATH", Path(sys.executable).parent),
]:
    os.environ[name] = os.pathsep.join(filter(None, [str(folder), os.getenv(name)]))

from rankone import sources
from rankone.config import ConfigError, campaigns

try:
    CAMPAIGNS = campaigns(
        ROOT / "config", ROOT / "workflow/schemas/campaign.schema.yaml"
    )
except ConfigError as error:
    sys.exit(str(error))  # one sentence, where an exception would print a trace

CHOSEN = config.get("campaign", "paper")
if unknown := [key for key in config if key != "campaign"]:
    sys.exit(f"--config has the unknown key {unknown[0]!r}; allowed: campaign=<name>.")
if CHOSEN not in CAMPAIGNS:
    sys.exit(f"--config campaign is {CHOSEN!r}; allowed: {', '.join(CAMPAIGNS)}.")

FIGURE_FORMATS = ["pdf", "png", "svg"]
TABLE_FORMATS = ["csv", "md", "tex", "html"]
TABLES = []

# The campaigns whose bands are committed in tests/expected, for `check` to compare with.
CHECKED = ["smoke"]


wildcard_constraints:
    campaign="[^/]+",
    study="[^/]+",
    instance="[^/]+",
    policy="[^/]+",
    first="[0-9]+",
    last="[0-9]+",


def products(campaign):
    """Every file that a campaign is run for; the bands need all of its simulations."""
    plan = CAMPAIGNS[campaign]
    files = bands(campaign)
    for name in plan.figures:
        files += [f"results/{campaign}/figures/{name}.{end}" for end in FIGURE_FORMATS]
    for name in TABLES if plan.tables else []:
        files += [f"results/{campaign}/tables/{name}.{end}" for end in TABLE_FORMATS]
    return files


def bands(campaign):
    """The bands of all studies of a campaign."""
    return [
        f"results/{campaign}/bands/{name}.csv" for name in CAMPAIGNS[campaign].studies
    ]


def published(campaign):
    """The committed copies of the paper's figures; no other campaign has any."""
    names = CAMPAIGNS[campaign].figures if campaign == "paper" else []
    return [f"figures/{name}.{end}" for name in names for end in FIGURE_FORMATS]


def code(*modules):
    """The source files that these modules of rankone are made of, imports included."""
    files = [sources.PACKAGE / f"{module}.py" for module in modules]
    return [os.path.relpath(file) for file in sources.closure(files)]


def policy_code(policy):
    """The source files that decide what a policy's runs are; no other policy's is among them."""
    return [os.path.relpath(file) for file in sources.of_policy(policy)]


def played(wildcards):
    """The policy's file behind a name in the config."""
    return CAMPAIGNS[wildcards.campaign].policies[wildcards.policy].policy


def figure_bands(name):
    """The bands of the study that a figure shows."""

    def find(wildcards):
        study = CAMPAIGNS[wildcards.campaign].figures[name]["study"]
        return f"results/{wildcards.campaign}/bands/{study}.csv"

    return find


def figure_files(name):
    """A figure in all its formats, of which the report shows the PNG."""
    stem = f"results/{{campaign}}/figures/{name}"
    shown = report(
        f"{stem}.png",
        caption=f"../report/{name}.rst",
        category="Figures",
        labels={"figure": name.removeprefix("figure"), "campaign": "{campaign}"},
    )
    return [shown, *(f"{stem}.{end}" for end in FIGURE_FORMATS if end != "png")]
