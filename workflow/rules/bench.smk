# How fast it is: `snakemake --cores all bench`, or `make bench`. Nothing else needs this.

# Every policy there is, under the first label that the paper's campaign has for its file.
TIMED = {name: name for name in sources.policies()}
for entry in reversed(CAMPAIGNS["paper"].policies.values()):
    TIMED[entry.policy] = entry.label


rule bench_policy:
    input:
        code=lambda wildcards: policy_code(wildcards.file),
        bench=code("bench"),
    output:
        times="results/bench/policies/{file}.csv",
    log:
        "results/bench/logs/{file}.log",
    benchmark:
        "results/bench/benchmarks/{file}.tsv"
    conda:
        "../../environment.yml"
    threads: 64  # at most: it takes all cores, so that nothing else runs beside it
    resources:
        mem_mb=1000,
        runtime=60,
    message:
        "Time {wildcards.file}, fast and plain by turns."
    shell:
        "python -m rankone.pipeline.benchmark --policy {wildcards.file} --out {output.times} > {log} 2>&1"


rule bench_start:
    input:
        code=code("bench"),
    output:
        times="results/bench/starts.csv",
    log:
        "results/bench/logs/starts.log",
    benchmark:
        "results/bench/benchmarks/starts.tsv"
    conda:
        "../../environment.yml"
    threads: 64
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        snakefile=ROOT / "Snakefile",
    message:
        "Time the start of a job and the whole paper, with a cold and a warm cache."
    shell:
        "python -m rankone.pipeline.benchmark --snakefile {params.snakefile} --cores {threads}"
        " --out {output.times} > {log} 2>&1"


rule bench:
    input:
        times=expand("results/bench/policies/{file}.csv", file=TIMED),
        starts="results/bench/starts.csv",
        code=code("bench", "figures", "tables"),
    output:
        report(
            "results/bench/speed.png",
            caption="../report/caption.rst",
            category="Speed",
            labels={"figure": "speed", "campaign": "bench"},
        ),
        "results/bench/speed.pdf",
        "results/bench/speed.svg",
        report(
            "results/bench/speed.html",
            caption="../report/caption.rst",
            category="Speed",
            labels={"table": "speed", "campaign": "bench"},
        ),
        "results/bench/speed.csv",
        "results/bench/speed.md",
        "results/bench/speed.tex",
        "results/bench/summary.md",
        "results/bench/starts.md",
    log:
        "results/bench/logs/bench.log",
    benchmark:
        "results/bench/benchmarks/bench.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        policies=[{"name": name, "label": label} for name, label in TIMED.items()],
        caption=(ROOT / "workflow/report/bench.rst").read_text().strip(),
    message:
        "Put the times into a table and a picture."
    script:
        "../scripts/bench.py"
