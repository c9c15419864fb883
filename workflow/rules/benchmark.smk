# How fast it is: `snakemake --cores all benchmark`, or `make bench`. Nothing else needs this.


rule time_policy:
    input:
        code=lambda wildcards: policy_code(played(wildcards).policy),
        bench=code("pipeline.benchmark"),
    output:
        times="results/{campaign}/times/{policy}.csv",
    log:
        "results/{campaign}/logs/times/{policy}.log",
    benchmark:
        "results/{campaign}/benchmarks/times/{policy}.tsv"
    conda:
        "../../environment.yml"
    threads: 64  # at most: it takes all cores, so that nothing else runs beside it
    resources:
        runtime=240,
    params:
        policy=lambda wildcards: played(wildcards).policy,
        sizes=lambda wildcards: campaign(wildcards.campaign).benchmark["sizes"],
        horizons=lambda wildcards: campaign(wildcards.campaign).benchmark["horizons"],
    message:
        "Time {wildcards.policy}, fast and plain by turns."
    shell:
        "python -m rankone.pipeline.benchmark --policy {params.policy:q} --name {wildcards.policy}"
        " --sizes {params.sizes} --horizons {params.horizons} --out {output.times} > {log} 2>&1"


rule time_starts:
    input:
        code=code("pipeline.benchmark"),
    output:
        times="results/{campaign}/starts.csv",
    log:
        "results/{campaign}/logs/starts.log",
    benchmark:
        "results/{campaign}/benchmarks/starts.tsv"
    conda:
        "../../environment.yml"
    threads: 64
    resources:
        runtime=240,
    params:
        snakefile=ROOT / "Snakefile",
    message:
        "Time the start of a job and the whole paper, with a cold and a warm cache."
    shell:
        "python -m rankone.pipeline.benchmark --snakefile {params.snakefile} --cores {threads}"
        " --out {output.times} > {log} 2>&1"
