# The campaigns, and what the rules ask of them.
import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)

# Jobs use this Python and this source, also where no environment was activated.
sys.path.insert(0, str(ROOT / "src"))
for variable, folder in [
    ("PYTHONPATH", ROOT / "src"),
    ("PATH", Path(sys.executable).parent),
]:
    os.environ[variable] = os.pathsep.join(
        filter(None, [str(folder), os.getenv(variable)])
    )

from rankone.engine import sources
from rankone.pipeline import outputs
from rankone.pipeline.campaigns import Campaigns, ConfigError

# A file that is given by --configfile is a campaign, too, and the one that is made.
try:
    CAMPAIGNS = Campaigns(ROOT / "config", workflow.configfiles)
except ConfigError as error:
    sys.exit(str(error))
CHOSEN = config.get("campaign") or next(
    (Path(file).stem for file in workflow.configfiles), "paper"
)
if not workflow.configfiles:
    for key in config:
        if key != "campaign":
            sys.exit(f"--config has the unknown key {key!r}; allowed: campaign=<name>.")
if CHOSEN not in CAMPAIGNS:
    sys.exit(f"--config campaign is {CHOSEN!r}; allowed: {', '.join(CAMPAIGNS)}.")

# Names that rules have, so that no campaign can be a target under them.
RESERVED = {
    "all",
    "check",
    "publish",
    "discrepancies",
    "readme",
    "renew_expected",
    "compile",
    "simulate",
    "aggregate",
    "slopes",
    "experiment",
    "figure",
    "table",
    "decide",
    "compare",
    "time_policy",
    "time_starts",
    "publish_figures",
}
FORMATS = {"figures": ["pdf", "png", "svg"], "tables": ["csv", "md", "tex", "html"]}


def one_of(names):
    """A wildcard's constraint: these names, or any where a config cannot be read."""
    return "[^/]+" if names is None else "|".join([*names, "-"])


wildcard_constraints:
    campaign=one_of(CAMPAIGNS),
    study=one_of(CAMPAIGNS.names("studies")),
    instance=one_of(CAMPAIGNS.names("instances")),
    policy=one_of(CAMPAIGNS.names("policies")),
    figure=one_of(CAMPAIGNS.names("figures")),
    table=one_of(CAMPAIGNS.names("tables")),
    experiment=one_of(CAMPAIGNS.names("experiments")),
    player="[^/]+",
    first="[0-9]+",
    last="[0-9]+",


def campaign(name):
    """A campaign by its name; a mistake in its file ends everything with one sentence."""
    try:
        return CAMPAIGNS[name]
    except ConfigError as error:
        sys.exit(str(error))


def products(name):
    """Every file that a campaign is run for; the bands need all of its simulations."""
    asked = campaign(name)
    made = [f"results/{name}/bands/{study}.csv" for study in asked.studies]
    for sort, ends in FORMATS.items():
        for entry in getattr(asked, sort):
            made += [f"results/{name}/{sort}/{entry}.{end}" for end in ends]
    return made + ([f"results/{name}/claims.json"] if asked.claims else [])


def code(*rooms):
    """The source files that these modules of rankone are made of, imports included."""
    files = [outputs.file(room) for room in rooms]
    return [os.path.relpath(file) for file in sources.closure(files)]


def policy_code(policy):
    """The source files that decide what a policy's runs are; no other policy's is among them."""
    return [os.path.relpath(file) for file in sources.of_policy(policy)]


def output_code(sort, name, entry):
    """The source files that an output is made by."""
    home = outputs.kind(sort, getattr(campaign(name), sort)[entry]).module
    reader = os.path.relpath(outputs.file("pipeline.outputs"))
    return [reader, *code(home.removeprefix("rankone."))]


def caption(sort, name, entry):
    """The caption of a figure or table: under its own name, or else that of its kind."""
    kind = getattr(campaign(name), sort)[entry]["kind"]
    files = [ROOT / f"workflow/report/{word}.rst" for word in (entry, kind)]
    text = next((file.read_text().strip() for file in files if file.exists()), "")
    return text.replace("{level}", f"{campaign(name).level:.1%}")
