# Whether the committed results still come out: the results of each campaign in tests/expected,
# compared with what is committed there. `make check` does this in an empty folder, from nothing.


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
        option="",
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
