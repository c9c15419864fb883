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
# A job has one core: NumPy would start a thread for each that the machine has.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from rankone.engine import sources
from rankone.pipeline import cluster, costs, outputs, progress
from rankone.pipeline.campaigns import Campaigns, ConfigError


def refuse(sentence):
    """End everything with one sentence; 2 is the exit code of a mistake, as on the command line."""
    print(sentence, file=sys.stderr)
    sys.exit(2)


# A file that is given by --configfile is a campaign, too, and the one that is made.
try:
    CAMPAIGNS = Campaigns(ROOT / "config", workflow.configfiles)
except ConfigError as error:
    refuse(error)
CHOSEN = config.get("campaign") or next(
    (Path(file).stem for file in workflow.configfiles), "paper"
)
if not workflow.configfiles:
    for key in config:
        if key != "campaign":
            refuse(f"--config has the unknown key {key!r}; allowed: campaign=<name>.")
if CHOSEN not in CAMPAIGNS:
    refuse(f"--config campaign is {CHOSEN!r}; allowed: {', '.join(CAMPAIGNS)}.")

# The campaigns whose results are committed, for `check` to compare with.
EXPECTED = ROOT / "tests/expected"
CHECKED = sorted(folder.name for folder in EXPECTED.glob("*") if folder.is_dir())

FORMATS = {"figures": ["pdf", "png", "svg"], "tables": ["csv", "md", "tex", "html"]}

# The campaigns that have sections in the report, if they were run.
SECTIONS = ["claims", "published", "league", "beyond", "benchmark"]
TEXTS = [f"results/published/{name}" for name in ("findings.md", "discrepancies.md")]


def one_of(section):
    """A wildcard's constraint: the names in that section of the campaigns.

    Any name where a config cannot be read; and in the Snakemake of a single job, which has its
    names from the one that sent it, and starts sooner if it reads its own campaign only.
    """
    names = CAMPAIGNS.names(section) if workflow.is_main_process else None
    return "[^/]+" if names is None else "|".join([*names, "-"])


wildcard_constraints:
    campaign="|".join([*CAMPAIGNS, "-"]),
    study=one_of("studies"),
    instance=one_of("instances"),
    policy=one_of("policies"),
    figure=one_of("figures"),
    table=one_of("tables"),
    experiment=one_of("experiments"),
    player="[^/]+",
    first="[0-9]+",
    last="[0-9]+",


def campaign(name):
    """A campaign by its name; a mistake in its file ends everything with one sentence.

    The policies are asked once, before the first job is sent, and not again in each job.
    """
    try:
        return CAMPAIGNS[name] if workflow.is_main_process else CAMPAIGNS.peek(name)
    except ConfigError as error:
        refuse(error)


# Before Snakemake itself looks closer: it writes such a file out in full, aliases and all.
if workflow.configfiles:
    campaign(CHOSEN)


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
    """The caption of a figure or table."""
    return outputs.caption(ROOT / "workflow/report", campaign(name), sort, entry)


def labels_of(sort, name):
    """How Snakemake's report lists a figure or table: by its name, and what it is about.

    In one label: of two that have two values each it makes switches, and fails where a pair of
    values has no result.
    """

    def labels(wildcards):
        entry = wildcards[name]
        about = outputs.about(caption(sort, wildcards.campaign, entry))
        return {"result": f"{entry}: {about}", "format": name}

    return labels


def played(wildcards):
    """The policy behind a name in the config: a name of the package, or the path of a file."""
    return campaign(wildcards.campaign).policies[wildcards.policy]


# The policies by the name of their file, as they are asked for.
PLAYED = {}


def compiled(policy):
    """The mark that a policy has been compiled."""
    PLAYED[policy.file] = policy.policy
    return f"results/compiled/{policy.file}"


def to_compile(wildcards):
    """The policy of that name; a job on a cluster node has only its own rule to go by."""
    if wildcards.file in sources.policies():
        return wildcards.file
    for name in CAMPAIGNS if wildcards.file not in PLAYED else ():
        try:
            policies = CAMPAIGNS.peek(name).policies.values()
        except ConfigError:  # whoever needs that campaign is told
            continue
        PLAYED.update({policy.file: policy.policy for policy in policies})
    return PLAYED[wildcards.file]


def simulation(wildcards):
    """What the job of some runs needs."""
    return costs.simulation(
        campaign(wildcards.campaign),
        wildcards.study,
        wildcards.instance,
        wildcards.policy,
        int(wildcards.last) - int(wildcards.first) + 1,
    )


def place_in_queue(wildcards):
    """The group that a simulation is sent with, if it is short."""
    return "simulations" if simulation(wildcards).short() else None


def study_of(wildcards):
    return campaign(wildcards.campaign).studies[wildcards.study]


def cells(wildcards):
    """The cells of a study: where their runs are, and what these must be of."""
    return campaign(wildcards.campaign).cells(wildcards.study)


def runs_of(wildcards):
    return [file for cell in cells(wildcards) for file in cell["files"]]


def experiment_code(wildcards):
    """The code of an experiment, and that of the policy which it plays."""
    asked = campaign(wildcards.campaign)
    files = output_code("experiments", wildcards.campaign, wildcards.experiment)
    if wildcards.player in asked.policies:
        files += policy_code(asked.policies[wildcards.player].policy)
    return files


def sources_of(sort, name):
    """An input function: the files that an output is made from, by the parameter they fill."""

    def found(wildcards):
        asked = campaign(wildcards.campaign)
        files = outputs.files(asked, sort, wildcards[name])
        return {**files, "code": output_code(sort, wildcards.campaign, wildcards[name])}

    return found


def evidence(wildcards):
    """The files that each claim of a campaign is decided from."""
    asked = campaign(wildcards.campaign)
    return {name: outputs.files(asked, "claims", name) for name in asked.claims}


def compared(wildcards):
    """The cells that a campaign sets beside published numbers, of its own studies and of others."""
    found = []
    for name, studies in campaign(wildcards.campaign).compare.items():
        other = campaign(name)
        for study in studies:
            for cell in other.cells(study):
                instance = other.instances[cell["instance"]].entry()
                policy = other.policies[cell["policy"]].entry()
                if instance.get("published") and policy["published"]:
                    found.append({**cell, "about": (instance, policy)})
    return found


def published_figures(name, asked=False):
    """The committed figures, if these are results of the settings that they were drawn from."""
    if name != "paper" or Path.cwd() != ROOT:
        return []
    names = campaign(name).figures
    files = [f"figures/{entry}.{end}" for entry in names for end in FORMATS["figures"]]
    source = ROOT / "figures/source.json"
    if asked or not source.exists() or campaign(name).digest in source.read_text():
        return files
    told = "figures/ is left alone: config/paper.yaml is not the one it was drawn from"
    print(f"{told} (`snakemake publish` renews it).", file=sys.stderr)
    return []


def reported(wildcards):
    """What the report shows: the chosen campaign, and of the others those that are complete."""
    others = [
        products(name) for name in SECTIONS if name in CAMPAIGNS and name != CHOSEN
    ]
    others.append(TEXTS)
    complete = [files for files in others if all(Path(file).exists() for file in files)]
    return [*products(CHOSEN), *(file for files in complete for file in files)]


def checked(wildcards):
    """What is compared with committed results: tables of all campaigns, figures of the paper."""
    files = []
    for name in CHECKED:
        asked, folder = campaign(name), f"results/{name}"
        files += [f"{folder}/bands/{study}.csv" for study in asked.studies]
        files += [f"{folder}/pulls.csv", f"{folder}/plain.csv"]
        files += [f"{folder}/claims.json"] if asked.claims else []
        if name == "paper":
            files += [f"{folder}/figures/{figure}.png" for figure in asked.figures]
    return files


onstart:
    # Snakemake's default limit of 100 jobs a second makes it plan again a second after it planned, and
    # once more a second for each job that has ended: a core is busy with it after a hundred jobs.
    limit = getattr(workflow.scheduler, "job_rate_limiter", None)
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
    # Snakemake says how many jobs are done; this says how many cells are, and the time left.
    if asked_for := [
        job for job in workflow.dag.needrun_jobs() if job.rule.name == "simulate"
    ]:
        seconds = {
            job.jobid: 1 + simulation(job.wildcards).seconds() - costs.START
            for job in asked_for
        }
        logger.addHandler(progress.Cells(seconds, logger.info))
    # Snakemake's executor for Slurm waits for ever where there is no sbatch.
    if getattr(workflow.executor_plugin, "name", "") == "slurm":
        words = workflow.resource_settings.default_resources.args
        given = dict(word.split("=", 1) for word in words)
        reason = cluster.refusal(
            {
                "account": given.get("slurm_account"),
                "partition": given.get("slurm_partition"),
                "qos": workflow.executor_settings.qos,
            }
        )
        if reason:
            raise WorkflowError(reason)
