# Every published number beside ours, what the differences are made of, and the committed figures.


def compared(wildcards):
    """The cells that a campaign sets beside published numbers, of its own studies and of others."""
    found = []
    for name, studies in campaign(wildcards.campaign).compare.items():
        other = campaign(name)
        for study in studies:
            for cell in other.cells(study):
                instance = other.instances[cell["instance"]].entry()
                policy = other.policies[cell["policy"]].entry()
                if instance.get("published") and policy["published"]:
                    found.append({**cell, "about": (instance, policy)})
    return found


rule compare:
    input:
        runs=lambda wildcards: [
            file for cell in compared(wildcards) for file in cell["files"]
        ],
        code=code("paper.published"),
        published=os.path.relpath(sources.PACKAGE / "paper/data/published.csv"),
    output:
        compared="results/{campaign}/compared.csv",
    log:
        "results/{campaign}/logs/compared.log",
    benchmark:
        "results/{campaign}/benchmarks/compared.tsv"
    conda:
        "../../environment.yml"
    params:
        cells=compared,
    message:
        "Set the published numbers beside ours."
    script:
        "../scripts/compare.py"


rule discrepancies:
    input:
        compared="results/published/compared.csv",
        template=os.path.relpath(ROOT / "workflow/report/discrepancies.md"),
        drawn=os.path.relpath(sources.PACKAGE / "paper/data/drawn.csv"),
        code=code("paper.discrepancies"),
    output:
        text="results/published/discrepancies.md",
        findings="results/published/findings.md",
    log:
        "results/published/logs/discrepancies.log",
    benchmark:
        "results/published/benchmarks/discrepancies.tsv"
    conda:
        "../../environment.yml"
    params:
        instances=lambda wildcards: [
            instance.entry()
            for instance in campaign("claims").studies["figures"].instances
        ],
        gammas=lambda wildcards: [
            policy.parameters["gamma"]
            for policy in campaign("paper").studies["gamma"].policies
        ],
    message:
        "Write what differs, with its evidence."
    script:
        "../scripts/discrepancies.py"


# The committed figures in figures/ are those of config/paper.yaml as it was committed: figures/source.json
# says by its digest of which settings. After a change of the config `all` leaves them alone, and
# `snakemake publish` renews them.
def published_figures(name, asked=False):
    import hashlib
    import json
    from dataclasses import asdict

    if name != "paper" or Path.cwd() != ROOT:
        return []
    files = [
        f"figures/{entry}.{end}"
        for entry in campaign("paper").figures
        for end in FORMATS["figures"]
    ]
    source = ROOT / "figures/source.json"
    if asked or not source.exists():
        return files
    if json.loads(source.read_text())["settings"] == settings_of("paper"):
        return files
    print(
        "figures/ is left alone: config/paper.yaml is not the one it was drawn from"
        " (`snakemake publish` renews it).",
        file=sys.stderr,
    )
    return []


def settings_of(name):
    """A digest of all that a campaign's config says."""
    import hashlib
    import json
    from dataclasses import asdict

    text = json.dumps(asdict(campaign(name)), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


rule publish_figures:
    input:
        lambda wildcards: [
            f"results/paper/figures/{wildcards.figure}.{end}"
            for end in FORMATS["figures"]
        ],
    output:
        multiext("figures/{figure}", *(f".{end}" for end in FORMATS["figures"])),
    log:
        "results/paper/logs/publish/{figure}.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Copy {wildcards.figure} to figures/."
    shell:
        "cp {input} figures/ 2> {log}"


# It has no output, so it runs whenever it is asked for.
rule publish:
    input:
        lambda wildcards: published_figures("paper", asked=True),
    log:
        "results/paper/logs/publish.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        source=ROOT / "figures/source.json",
        settings=lambda wildcards: settings_of("paper"),
    message:
        "Note what figures/ was drawn from."
    shell:
        """
        echo '{{"campaign": "paper", "settings": "{params.settings}"}}' >{params.source} 2>{log}
        """
