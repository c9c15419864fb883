# The report: `snakemake --cores all report` makes what the figures need and writes report.html. Whatever else
# was run before is in it, too, and is brought up to date if it was complete; what was not run is named, with
# its command.


rule report:
    input:
        reported,
        code=code("report.page"),
        templates=[
            os.path.relpath(file)
            for file in sorted((sources.PACKAGE / "report/templates").iterdir())
        ],
        captions=[
            os.path.relpath(file)
            for file in sorted((ROOT / "workflow/report").glob("*.rst"))
        ],
    output:
        page="report.html",
    log:
        "results/logs/report.log",
    benchmark:
        "results/benchmarks/report.tsv"
    conda:
        "../../environment.yml"
    params:
        config=ROOT / "config",
        captions=ROOT / "workflow/report",
        also=" ".join(f"--also {file}" for file in workflow.configfiles),
        campaign=CHOSEN,
    message:
        "Write report.html."
    shell:
        "python -m rankone.report.page --config {params.config:q} {params.also}"
        " --captions {params.captions:q} --campaign {params.campaign:q} --out {output.page:q}"
        " > {log} 2>&1"
