# From the runs of a study to its bands and slopes, and the experiments that are no study.


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
    resources:
        mem_mb=lambda wildcards, attempt: costs.summary_megabytes(
            study_of(wildcards), attempt
        ),
        runtime=lambda wildcards, attempt: costs.summary_minutes(
            study_of(wildcards), attempt
        ),
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
    resources:
        mem_mb=lambda wildcards, attempt: costs.summary_megabytes(
            study_of(wildcards), attempt
        ),
        runtime=lambda wildcards, attempt: costs.summary_minutes(
            study_of(wildcards), attempt
        ),
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
    resources:
        runtime=lambda wildcards, attempt: 120 * attempt,
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
