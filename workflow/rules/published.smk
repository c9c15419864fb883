# Every published number beside ours, and what the differences are made of.

# The studies that are set beside published numbers.
BESIDE = {
    "claims": ["gamma", "figures", "large", "close"],
    "published": list(CAMPAIGNS["published"].studies),
}
LIMIT = 3.5  # combined standard errors: what a comparison is called beyond
BESIDE_FIGURES = expand(
    "results/published/figures/published.{end}", end=FORMATS["figures"]
)


def beside():
    """The cells of these studies whose instance and policy were published, with their files."""
    return [
        {
            "instance": instance.entry(),
            "policy": policy.entry(),
            "files": [
                f"results/{campaign}/runs/{study}/{instance.name}/{policy.name}/{batch}.npz"
                for batch in CAMPAIGNS[campaign].studies[study].batches(policy.name)
            ],
        }
        for campaign, studies in BESIDE.items()
        for study in studies
        for instance in CAMPAIGNS[campaign].studies[study].instances
        for policy in CAMPAIGNS[campaign].studies[study].policies
        if instance.published and policy.published
    ]


rule published:
    input:
        runs=[file for cell in beside() for file in cell["files"]],
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
            BESIDE_FIGURES,
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
        cells=beside(),
        limit=LIMIT,
        caption=(ROOT / "workflow/report/published.rst").read_text().strip(),
        caption_variants=(ROOT / "workflow/report/variants.rst").read_text().strip(),
    message:
        "Set the published numbers beside ours."
    script:
        "../scripts/published.py"
