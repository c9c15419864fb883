# The figures that a campaign's config asks for; the script is the one of the figure's kind.


rule figure:
    input:
        bands=lambda wildcards: bands_of(
            "figures", wildcards.campaign, wildcards.figure
        ),
        code=code("figures", "config"),
    output:
        report(
            "results/{campaign}/figures/{figure}.png",
            caption="../report/caption.rst",
            category="Figures",
            labels={"figure": "{figure}", "campaign": "{campaign}"},
        ),
        "results/{campaign}/figures/{figure}.pdf",
        "results/{campaign}/figures/{figure}.svg",
    log:
        "results/{campaign}/logs/figures/{figure}.log",
    benchmark:
        "results/{campaign}/benchmarks/figures/{figure}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        shown=lambda wildcards: shown("figures", wildcards.campaign, wildcards.figure),
        kind=lambda wildcards: kind("figures", wildcards.campaign, wildcards.figure),
        caption=lambda wildcards: caption(
            "figures", wildcards.campaign, wildcards.figure
        ),
    message:
        "Draw {wildcards.figure} of {wildcards.campaign}."
    script:
        "../scripts/{params.kind}.py"


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
