# Runs of one policy on one instance; nothing but values on the command line decides what they are.


# Once per policy, so that simulations that start together do not all compile the same thing.
rule compile:
    input:
        code=lambda wildcards: policy_code(to_compile(wildcards)),
    output:
        done=touch("results/compiled/{file}"),
    log:
        "results/compiled/{file}.log",
    benchmark:
        "results/compiled/{file}.tsv"
    conda:
        "../../environment.yml"
    params:
        policy=to_compile,
    message:
        "Compile {wildcards.file}, unless that was done before."
    shell:
        "python -m rankone compile {params.policy:q} > {log} 2>&1"


# The code is named here too: after an edit another campaign may have compiled it already.
rule simulate:
    input:
        compiled=lambda wildcards: compiled(played(wildcards)),
        code=lambda wildcards: policy_code(played(wildcards).policy),
    output:
        runs="results/{campaign}/runs/{study}/{instance}/{policy}/{first}-{last}.npz",
    log:
        "results/{campaign}/logs/runs/{study}/{instance}/{policy}/{first}-{last}.log",
    benchmark:
        "results/{campaign}/benchmarks/runs/{study}/{instance}/{policy}/{first}-{last}.tsv"
    # On a cluster only: short jobs share a place in the queue.
    group:
        place_in_queue if workflow.is_main_process else None
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda wildcards, attempt: simulation(wildcards).megabytes(attempt),
        runtime=lambda wildcards, attempt: simulation(wildcards).minutes(attempt),
    params:
        arguments=lambda wildcards: campaign(wildcards.campaign).arguments(
            wildcards.study, wildcards.instance, wildcards.policy
        ),
        runs=lambda wildcards: int(wildcards.last) - int(wildcards.first) + 1,
    message:
        "Simulate {wildcards.policy} on {wildcards.instance}, runs {wildcards.first} to"
        " {wildcards.last} (study {wildcards.study} of {wildcards.campaign})."
    shell:
        "NUMBA_NUM_THREADS={threads} python -m rankone simulate {params.arguments}"
        " --runs {params.runs} --first-run {wildcards.first} --out {output.runs} > {log} 2>&1"
