# Every published number beside ours, what the differences are made of, and the committed figures.


rule compare:
    input:
        runs=lambda wildcards: [
            file for cell in compared(wildcards) for file in cell["files"]
        ],
        code=code("paper.published"),
        published=os.path.relpath(sources.PACKAGE / "paper/data/published.csv"),
    output:
        compared="results/{campaign}/compared.csv",
    log:
        "results/{campaign}/logs/compared.log",
    benchmark:
        "results/{campaign}/benchmarks/compared.tsv"
    conda:
        "../../environment.yml"
    params:
        cells=compared,
    message:
        "Set the published numbers beside ours."
    script:
        "../scripts/compare.py"


rule discrepancies:
    input:
        compared="results/published/compared.csv",
        template=os.path.relpath(ROOT / "workflow/report/discrepancies.md"),
        drawn=os.path.relpath(sources.PACKAGE / "paper/data/drawn.csv"),
        code=code("paper.discrepancies", "report.texts"),
    output:
        page=report(
            "results/published/discrepancies.html",
            caption="../report/discrepancies.rst",
            category="published",
            subcategory="Text",
            labels={
                "result": "discrepancies: Why published numbers and ours differ",
                "format": "text",
            },
        ),
        text="results/published/discrepancies.md",
        findings="results/published/findings.md",
    log:
        "results/published/logs/discrepancies.log",
    benchmark:
        "results/published/benchmarks/discrepancies.tsv"
    conda:
        "../../environment.yml"
    params:
        instances=lambda wildcards: [
            instance.entry()
            for instance in campaign("claims").studies["figures"].instances
        ],
        gammas=lambda wildcards: [
            policy.parameters["gamma"]
            for policy in campaign("paper").studies["gamma"].policies
        ],
    message:
        "Write what differs, with its evidence."
    script:
        "../scripts/discrepancies.py"


# The committed figures in figures/ are those of config/paper.yaml as it was committed: figures/source.json
# says by its digest of which settings. After a change of the config `all` leaves them alone, and
# `snakemake publish` renews them.
rule publish_figures:
    input:
        lambda wildcards: [
            f"results/paper/figures/{wildcards.figure}.{end}"
            for end in FORMATS["figures"]
        ],
    output:
        multiext("figures/{figure}", *(f".{end}" for end in FORMATS["figures"])),
    log:
        "results/paper/logs/publish/{figure}.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Copy {wildcards.figure} to figures/."
    shell:
        "cp {input} figures/ 2> {log}"


# It has no output, so it runs whenever it is asked for.
rule publish:
    input:
        lambda wildcards: products("paper"),  # committed figures do not stand in for results
        lambda wildcards: published_figures("paper", asked=True),
    log:
        "results/paper/logs/publish.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        source=ROOT / "figures/source.json",
        settings=lambda wildcards: campaign("paper").digest,
    message:
        "Note what figures/ was drawn from."
    shell:
        """
        echo '{{"campaign": "paper", "settings": "{params.settings}"}}' >{params.source} 2>{log}
        """
