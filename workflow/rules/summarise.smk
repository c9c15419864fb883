# From the runs of a study to its bands and slopes, and the experiments that are no study.


def cells(wildcards):
    """The cells of a study: where their runs are, and what these must be of."""
    return campaign(wildcards.campaign).cells(wildcards.study)


def runs_of(wildcards):
    return [file for cell in cells(wildcards) for file in cell["files"]]


rule aggregate:
    input:
        runs=runs_of,
        code=code("stats.bands"),
    output:
        bands="results/{campaign}/bands/{study}.csv",
    log:
        "results/{campaign}/logs/bands/{study}.log",
    benchmark:
        "results/{campaign}/benchmarks/bands/{study}.tsv"
    conda:
        "../../environment.yml"
    params:
        cells=cells,
    message:
        "Aggregate the runs of study {wildcards.study} of {wildcards.campaign}."
    script:
        "../scripts/aggregate.py"


rule slopes:
    input:
        runs=runs_of,
        code=code("stats.slopes"),
    output:
        slopes="results/{campaign}/slopes/{study}.csv",
    log:
        "results/{campaign}/logs/slopes/{study}.log",
    benchmark:
        "results/{campaign}/benchmarks/slopes/{study}.tsv"
    conda:
        "../../environment.yml"
    params:
        cells=cells,
        windows=lambda wildcards: campaign(wildcards.campaign)
        .studies[wildcards.study]
        .windows,
        loglog=lambda wildcards: campaign(wildcards.campaign).parameter("c"),
    message:
        "Take the slopes of study {wildcards.study} of {wildcards.campaign}."
    script:
        "../scripts/slopes.py"


def experiment_code(wildcards):
    """The code of an experiment, and that of the policy which it plays."""
    asked = campaign(wildcards.campaign)
    files = output_code("experiments", wildcards.campaign, wildcards.experiment)
    if wildcards.player in asked.policies:
        files += policy_code(asked.policies[wildcards.player].policy)
    return files


rule experiment:
    input:
        code=experiment_code,
        compiled=lambda wildcards: [
            compiled(policy)
            for name, policy in campaign(wildcards.campaign).policies.items()
            if name == wildcards.player
        ],
    output:
        cases="results/{campaign}/experiments/{experiment}/{player}.csv",
    log:
        "results/{campaign}/logs/experiments/{experiment}/{player}.log",
    benchmark:
        "results/{campaign}/benchmarks/experiments/{experiment}/{player}.tsv"
    conda:
        "../../environment.yml"
    params:
        given=lambda wildcards: outputs.values(
            campaign(wildcards.campaign),
            "experiments",
            wildcards.experiment,
            wildcards.player,
        ),
    message:
        "Experiment {wildcards.experiment} of {wildcards.campaign} ({wildcards.player})."
    script:
        "../scripts/experiment.py"
