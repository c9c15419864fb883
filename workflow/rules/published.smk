# Every published number beside ours, and what the differences are made of.

# The studies that are set beside published numbers.
STUDIES = {
    "claims": ["gamma", "figures", "large", "close"],
    "published": list(CAMPAIGNS["published"].studies),
}
BESIDE = [
    cell
    for campaign, studies in STUDIES.items()
    for study in studies
    for cell in CAMPAIGNS[campaign].cells(study)
    if cell["instance"].get("published") and cell["policy"]["published"]
]
LIMIT = 3.5  # combined standard errors: what a comparison is called beyond


rule published:
    input:
        runs=[file for cell in BESIDE for file in cell["files"]],
        code=code("published", "pictures"),
        published=os.path.relpath(sources.PACKAGE / "data/published.csv"),
    output:
        report(
            "results/published/tables/published.html",
            caption="../report/caption.rst",
            category="Published numbers",
            labels={"table": "published", "campaign": "published"},
        ),
        "results/published/tables/published.csv",
        "results/published/tables/published.md",
        "results/published/tables/published.tex",
        all="results/published/compared.csv",
        variants=expand(
            "results/published/tables/variants.{end}", end=FORMATS["tables"]
        ),
        figures=report(
            expand(
                "results/published/figures/published.{end}", end=FORMATS["figures"]
            ),
            caption="../report/caption.rst",
            category="Published numbers",
            labels={"figure": "published", "campaign": "published"},
        ),
    log:
        "results/published/logs/published.log",
    benchmark:
        "results/published/benchmarks/published.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        cells=BESIDE,
        limit=LIMIT,
        caption=(ROOT / "workflow/report/published.rst").read_text().strip(),
        caption_variants=(ROOT / "workflow/report/variants.rst").read_text().strip(),
    message:
        "Set the published numbers beside ours."
    script:
        "../scripts/published.py"


rule discrepancies:
    input:
        compared="results/published/compared.csv",
        template=os.path.relpath(ROOT / "workflow/report/discrepancies.md"),
        drawn=os.path.relpath(sources.PACKAGE / "data/drawn.csv"),
        code=code("discrepancies"),
    output:
        text="results/discrepancies.md",
    log:
        "results/published/logs/discrepancies.log",
    benchmark:
        "results/published/benchmarks/discrepancies.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        instances=[
            cell.entry() for cell in CAMPAIGNS["claims"].studies["figures"].instances
        ],
        # looked up when the job is, so that a paper without that study still has its other targets
        gammas=lambda wildcards: [
            policy.parameters["gamma"]
            for policy in CAMPAIGNS["paper"].studies["gamma"].policies
        ],
        limit=LIMIT,
    message:
        "Write what differs, with its evidence."
    script:
        "../scripts/discrepancies.py"
