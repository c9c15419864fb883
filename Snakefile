# One command regenerates the paper:   snakemake --cores 8
#
# Targets: all (the default), smoke (the same, small), beyond, claims, published, discrepancies, bench,
# readme, check (are the committed results still what comes out?) and renew_expected (make them so).
# Every file config/<name>.yaml is a campaign with its results under results/<name>/; `all` makes the
# paper's, or the one that is named:   snakemake --cores all --config campaign=mine

from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/bench.smk"
include: "workflow/rules/readme.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/published.smk"
include: "workflow/rules/beyond.smk"


localrules:
    all,
    smoke,
    beyond,


rule all:
    default_target: True
    input:
        products(CHOSEN),
        published(CHOSEN),
    message:
        f"All of {CHOSEN} is in results/{CHOSEN}/."


rule smoke:
    input:
        products("smoke"),
    message:
        "All of the small run is in results/smoke/."


rule beyond:
    input:
        products("beyond"),
        "results/beyond/tables/ties.csv",
        expand("results/beyond/pictures/{picture}.png", picture=PICTURES),
        products("claims"),  # figures 5 and 6
    message:
        "All of what goes beyond the paper is in results/beyond/."
