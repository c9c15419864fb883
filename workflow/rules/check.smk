# Whether the committed results still come out: bands, pulls, plain runs and claims of each campaign in
# tests/expected, and the pixels of the paper's figures. `make check` does this in an empty folder, from nothing.


# How often arms were pulled, with a digest of all runs.
rule pulls:
    input:
        runs=lambda wildcards: [
            file
            for study in campaign(wildcards.campaign).studies
            for cell in campaign(wildcards.campaign).cells(study)
            for file in cell["files"]
        ],
        code=code("pipeline.pulls"),
    output:
        pulls="results/{campaign}/pulls.csv",
    log:
        "results/{campaign}/logs/pulls.log",
    benchmark:
        "results/{campaign}/benchmarks/pulls.tsv"
    conda:
        "../../environment.yml"
    params:
        cells=lambda wildcards: {
            study: campaign(wildcards.campaign).cells(study)
            for study in campaign(wildcards.campaign).studies
        },
    message:
        "Count the pulls in the studies of {wildcards.campaign}."
    script:
        "../scripts/pulls.py"


# A few short runs of each policy round by round.
rule plain:
    input:
        code=lambda wildcards: sorted(
            {
                file
                for policy in campaign(wildcards.campaign).policies.values()
                for file in policy_code(policy.policy)
            }
            | {*code("pipeline.plain")}
        ),
    output:
        plain="results/{campaign}/plain.csv",
    log:
        "results/{campaign}/logs/plain.log",
    benchmark:
        "results/{campaign}/benchmarks/plain.tsv"
    conda:
        "../../environment.yml"
    params:
        given=lambda wildcards: {
            "policies": [
                policy.entry()
                for policy in campaign(wildcards.campaign).policies.values()
            ],
            "instance": next(
                iter(campaign(wildcards.campaign).instances.values())
            ).entry(),
            "seed": campaign(wildcards.campaign).seed,
        },
    message:
        "Play the policies of {wildcards.campaign} round by round."
    script:
        "../scripts/plain.py"


# It has no output, so it runs whenever it is asked for.
rule check:
    input:
        checked,
    log:
        "results/logs/check.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        expected=EXPECTED,
        campaigns=CHECKED,
        option=lambda wildcards: f"--figures {ROOT / 'figures'} --settings {campaign('paper').digest}",
    message:
        "Compare the results with tests/expected."
    shell:
        "python -m rankone.pipeline.expected {params.option} results {params.expected}"
        " {params.campaigns} 2>&1 | tee {log}"


# After a change of results that is meant: renew them, look at git diff, commit.
use rule check as renew_expected with:
    log:
        "results/logs/renew_expected.log",
    params:
        expected=EXPECTED,
        campaigns=CHECKED,
        option="--renew",
    message:
        "Put the results into tests/expected."
