# From the runs of the campaign `claims` to a verdict on each claim of the paper.

RULES = CAMPAIGNS["claims"].claims
SLOPED = ["slopes", "slopes_gamma"]  # the studies whose slopes are looked at


def runs_of(campaign, study):
    """The files of all runs of a study."""
    files = CAMPAIGNS[campaign].studies[study].files()
    return [f"results/{campaign}/runs/{study}/{file}.npz" for file in files]


def loglog(campaign):
    """The c of every policy that explores at the level ln t + c ln ln t."""
    found = CAMPAIGNS[campaign].policies.values()
    return {one.name: one.parameters["c"] for one in found if "c" in one.parameters}


def labels(campaign):
    """The labels of all policies and instances."""
    named = CAMPAIGNS[campaign]
    every = [*named.policies.values(), *named.instances.values()]
    return {one.name: one.label for one in every}


rule slopes:
    input:
        runs=lambda wildcards: runs_of(wildcards.campaign, wildcards.study),
        code=code("slopes"),
    output:
        slopes="results/{campaign}/slopes/{study}.csv",
    log:
        "results/{campaign}/logs/slopes/{study}.log",
    benchmark:
        "results/{campaign}/benchmarks/slopes/{study}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        early=RULES["slopes"]["early"],
        late=RULES["slopes"]["late"],
        loglog=lambda wildcards: loglog(wildcards.campaign),
    message:
        "Take the slopes of study {wildcards.study} of {wildcards.campaign}."
    script:
        "../scripts/slopes.py"


rule audit:
    input:
        code=code("audits"),
    output:
        cases="results/claims/audits/{audit}.csv",
    log:
        "results/claims/logs/audits/{audit}.log",
    benchmark:
        "results/claims/benchmarks/audits/{audit}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        seed=CAMPAIGNS["claims"].seed,
        asked=lambda wildcards: {
            key: value
            for key, value in RULES[wildcards.audit].items()
            if key != "risk"
        },
    message:
        "Try {wildcards.audit} case by case."
    script:
        "../scripts/audit.py"


rule claims:
    input:
        bands=bands("claims"),
        slopes=expand("results/claims/slopes/{study}.csv", study=SLOPED),
        unimodality="results/claims/audits/unimodality.csv",
        exploration="results/claims/audits/leader_exploration.csv",
        code=code("claims", "config"),
        statements=os.path.relpath(sources.PACKAGE / "data/claims.csv"),
    output:
        "results/claims.json",
        report(
            "results/claims/tables/claims.html",
            caption="../report/caption.rst",
            category="Claims",
            labels={"table": "claims", "campaign": "claims"},
        ),
        "results/claims/tables/claims.csv",
        "results/claims/tables/claims.md",
        "results/claims/tables/claims.tex",
    log:
        "results/claims/logs/claims.log",
    benchmark:
        "results/claims/benchmarks/claims.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        rules={
            **RULES,
            "slopes": {
                key: RULES["slopes"][key] for key in ("late", "tolerance", "arrived")
            },
        },
        instances=[
            instance.entry() for instance in CAMPAIGNS["claims"].instances.values()
        ],
        labels=labels("claims"),
        caption=(ROOT / "workflow/report/claims.rst")
        .read_text()
        .strip()
        .format(level=RULES["level"]),
    message:
        "Decide the claims."
    script:
        "../scripts/claims.py"
