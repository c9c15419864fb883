# The generated parts of the README and of docs/: `snakemake --cores all readme` after results have changed.

from rankone.pipeline.readme import files as blocks


# It has no output, so it runs whenever it is asked for.
rule readme:
    input:
        blocks((ROOT / "README.md").read_text(encoding="utf-8")),
        pictures="results/published/figures/published.png",
        discrepancies="results/published/discrepancies.md",
    log:
        "results/logs/readme.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        root=ROOT,
    message:
        "Fill the generated parts of README.md and docs/."
    shell:
        "(python -m rankone.pipeline.readme {params.root}/README.md"
        " && cp {input.pictures} {params.root}/figures/"
        " && cp {input.discrepancies} {params.root}/docs/) > {log} 2>&1"
