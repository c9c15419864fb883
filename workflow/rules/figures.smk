# One rule a figure; a campaign's config says which it draws and from what.


rule figure1:
    input:
        code=code("figures"),
    output:
        figure_files("figure1"),
    log:
        "results/{campaign}/logs/figure1.log",
    benchmark:
        "results/{campaign}/benchmarks/figure1.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        figure=lambda wildcards: CAMPAIGNS[wildcards.campaign].figure("figure1"),
    message:
        "Draw figure 1 of {wildcards.campaign}: neighbours, and an increasing path."
    script:
        "../scripts/figure1.py"


rule figure2:
    input:
        bands=figure_bands("figure2"),
        code=code("figures"),
    output:
        figure_files("figure2"),
    log:
        "results/{campaign}/logs/figure2.log",
    benchmark:
        "results/{campaign}/benchmarks/figure2.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        figure=lambda wildcards: CAMPAIGNS[wildcards.campaign].figure("figure2"),
    message:
        "Draw figure 2 of {wildcards.campaign}: the regret of UTS by gamma."
    script:
        "../scripts/figure2.py"


rule figure3:
    input:
        bands=figure_bands("figure3"),
        code=code("figures"),
    output:
        figure_files("figure3"),
    log:
        "results/{campaign}/logs/figure3.log",
    benchmark:
        "results/{campaign}/benchmarks/figure3.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        figure=lambda wildcards: CAMPAIGNS[wildcards.campaign].figure("figure3"),
    message:
        "Draw figure 3 of {wildcards.campaign}: the regret of the policies by instance."
    script:
        "../scripts/figure3.py"


rule figure4:
    input:
        bands=figure_bands("figure4"),
        code=code("figures"),
    output:
        figure_files("figure4"),
    log:
        "results/{campaign}/logs/figure4.log",
    benchmark:
        "results/{campaign}/benchmarks/figure4.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        figure=lambda wildcards: CAMPAIGNS[wildcards.campaign].figure("figure4"),
    message:
        "Draw figure 4 of {wildcards.campaign}: the regret against ln t, and lower bounds."
    script:
        "../scripts/figure4.py"


# The paper's figures are committed; copies, so that a clone that holds them still makes its own.
rule publish_figures:
    input:
        [f"results/paper/{file}" for file in published("paper")],
    output:
        published("paper"),
    log:
        "results/paper/logs/publish_figures.log",
    benchmark:
        "results/paper/benchmarks/publish_figures.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=100,
        runtime=10,
    message:
        "Copy the paper's figures to figures/."
    shell:
        "cp {input} figures/ 2> {log}"
