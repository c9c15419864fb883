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

from rankone.engine import sources
from rankone.pipeline.campaigns import ConfigError, campaigns

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

FORMATS = {"figures": ["pdf", "png", "svg"], "tables": ["csv", "md", "tex", "html"]}

# The campaigns whose bands are committed in tests/expected, for `check` to compare with.
CHECKED = ["paper"]


wildcard_constraints:
    campaign="[^/]+",
    study="[^/]+",
    instance="[^/]+",
    policy="[^/]+",
    first="[0-9]+",
    last="[0-9]+",


def products(campaign):
    """Every file that a campaign is run for; the bands need all of its simulations."""
    return bands(campaign) + [
        f"results/{campaign}/{sort}/{name}.{end}"
        for sort, ends in FORMATS.items()
        for name in getattr(CAMPAIGNS[campaign], sort)
        for end in ends
    ]


def bands(campaign):
    """The bands of all studies of a campaign."""
    studies = CAMPAIGNS[campaign].studies
    return [f"results/{campaign}/bands/{name}.csv" for name in studies]


def published(campaign):
    """The committed copies of the paper's figures; no other campaign has any."""
    names = CAMPAIGNS[campaign].figures if campaign == "paper" else []
    return [f"figures/{name}.{end}" for name in names for end in FORMATS["figures"]]


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


def shown(sort, campaign, name):
    """What a figure or table shows, as its script takes it."""
    return CAMPAIGNS[campaign].output(sort, name)


def kind(sort, campaign, name):
    """The kind of a figure or table, which is the name of its script."""
    return shown(sort, campaign, name)["kind"]


def bands_of(sort, campaign, name):
    """The bands of the study that a figure or table is about; figure 1 is about none."""
    study = shown(sort, campaign, name).get("study")
    return [f"results/{campaign}/bands/{study}.csv"] if study else []


def caption(sort, campaign, name):
    """The caption of a figure or table: under its own name, or else that of its kind."""
    files = [
        ROOT / f"workflow/report/{word}.rst"
        for word in (name, kind(sort, campaign, name))
    ]
    return next(file for file in files if file.exists()).read_text().strip()
