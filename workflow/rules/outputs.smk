# The figures, tables and claims that a campaign's config asks for. Which function makes an output, and
# what it takes, is read from the config and from the function's signature (pipeline/outputs.py).


rule figure:
    input:
        unpack(sources_of("figures", "figure")),
    output:
        png=report(
            "results/{campaign}/figures/{figure}.png",
            caption="../report/caption.rst",
            category="{campaign}",
            subcategory="Figures",
            labels=labels_of("figures", "figure"),
        ),
        pdf="results/{campaign}/figures/{figure}.pdf",
        svg="results/{campaign}/figures/{figure}.svg",
    log:
        "results/{campaign}/logs/figures/{figure}.log",
    benchmark:
        "results/{campaign}/benchmarks/figures/{figure}.tsv"
    conda:
        "../../environment.yml"
    params:
        given=lambda wildcards: outputs.values(
            campaign(wildcards.campaign), "figures", wildcards.figure
        ),
        caption=lambda wildcards: caption(
            "figures", wildcards.campaign, wildcards.figure
        ),
    message:
        "Draw {wildcards.figure} of {wildcards.campaign}."
    script:
        "../scripts/figure.py"


rule table:
    input:
        unpack(sources_of("tables", "table")),
    output:
        html=report(
            "results/{campaign}/tables/{table}.html",
            caption="../report/caption.rst",
            category="{campaign}",
            subcategory="Tables",
            labels=labels_of("tables", "table"),
        ),
        csv="results/{campaign}/tables/{table}.csv",
        md="results/{campaign}/tables/{table}.md",
        tex="results/{campaign}/tables/{table}.tex",
    log:
        "results/{campaign}/logs/tables/{table}.log",
    benchmark:
        "results/{campaign}/benchmarks/tables/{table}.tsv"
    conda:
        "../../environment.yml"
    params:
        given=lambda wildcards: outputs.values(
            campaign(wildcards.campaign), "tables", wildcards.table
        ),
        caption=lambda wildcards: caption("tables", wildcards.campaign, wildcards.table),
    message:
        "Make the table {wildcards.table} of {wildcards.campaign}."
    script:
        "../scripts/table.py"


rule decide:
    input:
        evidence=lambda wildcards: sorted(
            {
                file
                for found in evidence(wildcards).values()
                for files in found.values()
                for file in files
            }
        ),
        code=code("paper.claims", "pipeline.outputs"),
    output:
        verdicts="results/{campaign}/claims.json",
    log:
        "results/{campaign}/logs/claims.log",
    benchmark:
        "results/{campaign}/benchmarks/claims.tsv"
    conda:
        "../../environment.yml"
    params:
        claims=lambda wildcards: campaign(wildcards.campaign).claims,
        given=lambda wildcards: {
            name: outputs.values(campaign(wildcards.campaign), "claims", name)
            for name in campaign(wildcards.campaign).claims
        },
        evidence=evidence,
    message:
        "Decide the claims of {wildcards.campaign}."
    script:
        "../scripts/decide.py"
