# Whether the committed results can still be had: make them again from nothing, and compare.


# On a cluster it stays where it is started, and its own Snakemake is a local one.
localrules:
    check,
    renew_expected,


# It has no output and no benchmark, so it runs whenever it is asked for; and it runs a Snakemake of
# its own in an emptied folder, so nothing that was made before can satisfy it.
rule check:
    log:
        "results/logs/check.log",
    conda:
        "../../environment.yml"
    threads: 64  # at most: Snakemake takes the cores that it was given
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        snakefile=ROOT / "Snakefile",
        folder="results/check",
        bands=[file for campaign in CHECKED for file in bands(campaign)],
        campaigns=CHECKED,
        option="",
    message:
        "Make the results again from scratch and compare them with tests/expected."
    shell:
        "rm -rf {params.folder}"
        " && python -m snakemake --snakefile {params.snakefile} --cores {threads}"
        " --directory {params.folder} {params.bands}"
        " && python -m rankone.pipeline.expected {params.option} {params.folder}/results tests/expected"
        " {params.campaigns} 2>&1 | tee {log}"


# After a change of results that is meant: renew them, look at git diff, commit.
use rule check as renew_expected with:
    log:
        "results/logs/renew_expected.log",
    params:
        snakefile=ROOT / "Snakefile",
        folder="results/check",
        bands=[file for campaign in CHECKED for file in bands(campaign)],
        campaigns=CHECKED,
        option="--renew",
    message:
        "Make the results again from scratch and put them into tests/expected."
