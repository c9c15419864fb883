# What goes beyond the paper, besides the figures and tables that config/beyond.yaml names.

BEYOND = CAMPAIGNS["beyond"]
ENSEMBLES = ["beta", "perturbed", "zeros"]
PICTURES = ["decades", "scaling", "sensitivity", *ENSEMBLES]


rule decades:
    input:
        runs=[file for cell in BEYOND.cells("horizon") for file in cell["files"]],
        code=code("slopes"),
    output:
        "results/beyond/pictures/decades.csv",
    log:
        "results/beyond/logs/pictures/decades.log",
    benchmark:
        "results/beyond/benchmarks/pictures/decades.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        cells=BEYOND.cells("horizon"),
        level=RULES["level"],
    message:
        "Take the slopes from decade to decade."
    script:
        "../scripts/decades.py"


rule ensemble:
    input:
        compiled=lambda wildcards: f"results/compiled/{BEYOND.policies[wildcards.policy].policy}",
        code=lambda wildcards: [
            *policy_code(BEYOND.policies[wildcards.policy].policy),
            *code("ensembles"),
        ],
    output:
        cases="results/beyond/ensembles/{ensemble}/{policy}.csv",
    log:
        "results/beyond/logs/ensembles/{ensemble}/{policy}.log",
    benchmark:
        "results/beyond/benchmarks/ensembles/{ensemble}/{policy}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        asked=lambda wildcards: BEYOND.ensembles[wildcards.ensemble],
        policy=lambda wildcards: {
            **BEYOND.policies[wildcards.policy].entry(),
            "policy": BEYOND.policies[wildcards.policy].policy,
            "parameters": BEYOND.policies[wildcards.policy].parameters,
        },
        seed=BEYOND.seed,
    message:
        "Play {wildcards.policy} on all cases of {wildcards.ensemble}."
    script:
        "../scripts/ensemble.py"


rule ties:
    input:
        code=code("ties", "config"),
    output:
        report(
            "results/beyond/tables/ties.html",
            caption="../report/caption.rst",
            category="Beyond the paper",
            labels={"table": "ties", "campaign": "beyond"},
        ),
        "results/beyond/tables/ties.csv",
        "results/beyond/tables/ties.md",
        "results/beyond/tables/ties.tex",
    log:
        "results/beyond/logs/ties.log",
    benchmark:
        "results/beyond/benchmarks/ties.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        asked=BEYOND.ensembles["ties"],
        instance=BEYOND.instances[BEYOND.ensembles["ties"]["instance"]].entry(),
        seed=BEYOND.seed,
        caption=(ROOT / "workflow/report/ties.rst").read_text().strip(),
    message:
        "Break ties at random and by first index."
    script:
        "../scripts/ties.py"


rule picture:
    input:
        decades="results/beyond/pictures/decades.csv",
        scaling="results/beyond/bands/scaling.csv",
        sensitivity="results/beyond/bands/sensitivity.csv",
        ensembles=expand(
            "results/beyond/ensembles/{ensemble}/{policy}.csv",
            ensemble=ENSEMBLES,
            policy=BEYOND.ensembles["policies"],
        ),
        code=code("pictures", "config", "theory"),
    output:
        report(
            "results/beyond/pictures/{picture}.png",
            caption="../report/caption.rst",
            category="Beyond the paper",
            labels={"figure": "{picture}", "campaign": "beyond"},
        ),
        "results/beyond/pictures/{picture}.pdf",
        "results/beyond/pictures/{picture}.svg",
    log:
        "results/beyond/logs/pictures/{picture}.log",
    benchmark:
        "results/beyond/benchmarks/pictures/{picture}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        studies={
            name: {
                "policies": [policy.entry() for policy in study.policies],
                "instances": [instance.entry() for instance in study.instances],
                "horizon": study.horizon,
            }
            for name, study in BEYOND.studies.items()
        },
        ensembles=BEYOND.ensembles,
        caption=lambda wildcards: (ROOT / f"workflow/report/{wildcards.picture}.rst")
        .read_text()
        .strip(),
    message:
        "Draw {wildcards.picture}."
    script:
        "../scripts/picture.py"
