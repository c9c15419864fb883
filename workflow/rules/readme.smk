# The README's tables and its picture of speed: `snakemake --cores all readme` after results have changed.

from rankone.readme import files as blocks


localrules:
    readme,


# It has no output, so it runs whenever it is asked for.
rule readme:
    input:
        blocks((ROOT / "README.md").read_text(encoding="utf-8")),
        picture="results/bench/speed.png",
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
        "(python -m rankone.readme {params.readme} && cp {input.picture} figures/) > {log} 2>&1"
