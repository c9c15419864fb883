# The README's tables and the pictures only it has: `snakemake --cores all readme` after results have changed.

from rankone.pipeline.readme import files as blocks


localrules:
    readme,


# It has no output, so it runs whenever it is asked for.
rule readme:
    input:
        blocks((ROOT / "README.md").read_text(encoding="utf-8")),
        pictures=["results/bench/speed.png", "results/published/figures/published.png"],
    log:
        "results/logs/readme.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=100,
        runtime=10,
    params:
        readme=ROOT / "README.md",
    message:
        "Fill the tables of the README."
    shell:
        "(python -m rankone.pipeline.readme {params.readme} && cp {input.pictures} figures/) > {log} 2>&1"
