# One command regenerates the paper:   snakemake --cores 8
#
# Every file config/<name>.yaml is a campaign with results under results/<name>/, and <name> is a target:
#   snakemake --cores 8 smoke      the paper in small
#   snakemake --cores 8 claims     a verdict on each claim of the paper
# A config file of your own, anywhere:   snakemake -s <here>/Snakefile --cores 8 --configfile mine.yaml
# Further targets: check (compare with tests/expected), publish (renew figures/), discrepancies, readme, report
# (everything on one page, report.html).

from snakemake.utils import min_version

min_version("9.0")


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/summarise.smk"
include: "workflow/rules/outputs.smk"
include: "workflow/rules/published.smk"
include: "workflow/rules/benchmark.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/readme.smk"
include: "workflow/rules/report.smk"


localrules:
    all,


rule all:
    default_target: True
    input:
        lambda wildcards: products(CHOSEN),
        lambda wildcards: published_figures(CHOSEN),
    message:
        f"All of {CHOSEN} is in results/{CHOSEN}/."


# A job that was sent to a node is run by the Snakemake that came with it: Slurm's executor would
# start a further one for each job of a group, which takes longer than most of the jobs.
if not workflow.is_main_process:
    workflow.localrules(*(rule.name for rule in workflow.rules))


# A target for each campaign whose name can be one: its file is not read before it is asked for.
for name in CAMPAIGNS:
    if name.isidentifier() and not workflow.is_rule(name):

        rule:
            name:
                name
            input:
                lambda wildcards, name=name: products(name),
            localrule: True
            message:
                f"All of {name} is in results/{name}/."
