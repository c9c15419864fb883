# From the runs of a study to its bands.


rule aggregate:
    input:
        runs=lambda wildcards: expand(
            "results/{campaign}/runs/{study}/{file}.npz",
            campaign=wildcards.campaign,
            study=wildcards.study,
            file=CAMPAIGNS[wildcards.campaign].studies[wildcards.study].files(),
        ),
        code=code("aggregate"),
    output:
        bands="results/{campaign}/bands/{study}.csv",
    log:
        "results/{campaign}/logs/bands/{study}.log",
    benchmark:
        "results/{campaign}/benchmarks/bands/{study}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    message:
        "Aggregate the runs of study {wildcards.study} of {wildcards.campaign}."
    script:
        "../scripts/aggregate.py"
