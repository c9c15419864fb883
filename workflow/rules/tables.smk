# The tables that a campaign's config asks for; the script is the one of the table's kind.


rule table:
    input:
        bands=lambda wildcards: bands_of("tables", wildcards.campaign, wildcards.table),
        code=code("tables", "config", "published", "theory"),
        published=os.path.relpath(sources.PACKAGE / "data/published.csv"),
    output:
        report(
            "results/{campaign}/tables/{table}.html",
            caption="../report/caption.rst",
            category="Tables",
            labels={"table": "{table}", "campaign": "{campaign}"},
        ),
        "results/{campaign}/tables/{table}.csv",
        "results/{campaign}/tables/{table}.md",
        "results/{campaign}/tables/{table}.tex",
    log:
        "results/{campaign}/logs/tables/{table}.log",
    benchmark:
        "results/{campaign}/benchmarks/tables/{table}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        shown=lambda wildcards: shown("tables", wildcards.campaign, wildcards.table),
        kind=lambda wildcards: kind("tables", wildcards.campaign, wildcards.table),
        caption=lambda wildcards: caption("tables", wildcards.campaign, wildcards.table),
    message:
        "Make the table {wildcards.table} of {wildcards.campaign}."
    script:
        "../scripts/{params.kind}.py"
