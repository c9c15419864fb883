# From the runs of the campaign `claims` to a verdict on each claim of the paper.

RULES = CAMPAIGNS["claims"].claims
SLOPED = ["slopes", "slopes_gamma"]  # the studies whose slopes are looked at


rule slopes:
    input:
        runs=lambda wildcards: [
            file
            for cell in CAMPAIGNS[wildcards.campaign].cells(wildcards.study)
            for file in cell["files"]
        ],
        code=code("slopes"),
    output:
        slopes="results/{campaign}/slopes/{study}.csv",
    log:
        "results/{campaign}/logs/slopes/{study}.log",
    benchmark:
        "results/{campaign}/benchmarks/slopes/{study}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        early=RULES["slopes"]["early"],
        late=RULES["slopes"]["late"],
        loglog=lambda wildcards: CAMPAIGNS[wildcards.campaign].parameter("c"),
    message:
        "Take the slopes of study {wildcards.study} of {wildcards.campaign}."
    script:
        "../scripts/slopes.py"


rule audit:
    input:
        code=code("audits"),
    output:
        cases="results/claims/audits/{audit}.csv",
    log:
        "results/claims/logs/audits/{audit}.log",
    benchmark:
        "results/claims/benchmarks/audits/{audit}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        seed=CAMPAIGNS["claims"].seed,
        asked=lambda wildcards: {
            key: value
            for key, value in RULES[wildcards.audit].items()
            if key != "risk"
        },
    message:
        "Try {wildcards.audit} case by case."
    script:
        "../scripts/audit.py"


rule claims:
    input:
        bands=bands("claims"),
        slopes=expand("results/claims/slopes/{study}.csv", study=SLOPED),
        unimodality="results/claims/audits/unimodality.csv",
        exploration="results/claims/audits/leader_exploration.csv",
        code=code("claims", "config"),
        statements=os.path.relpath(sources.PACKAGE / "data/claims.csv"),
    output:
        "results/claims.json",
        report(
            "results/claims/tables/claims.html",
            caption="../report/caption.rst",
            category="Claims",
            labels={"table": "claims", "campaign": "claims"},
        ),
        "results/claims/tables/claims.csv",
        "results/claims/tables/claims.md",
        "results/claims/tables/claims.tex",
    log:
        "results/claims/logs/claims.log",
    benchmark:
        "results/claims/benchmarks/claims.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        rules={
            **RULES,
            "slopes": {
                key: RULES["slopes"][key] for key in ("late", "tolerance", "arrived")
            },
        },
        instances=[
            instance.entry() for instance in CAMPAIGNS["claims"].instances.values()
        ],
        labels=CAMPAIGNS["claims"].labels(),
        caption=(ROOT / "workflow/report/claims.rst")
        .read_text()
        .strip()
        .format(level=RULES["level"]),
    message:
        "Decide the claims."
    script:
        "../scripts/claims.py"
