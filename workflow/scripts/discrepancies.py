"""Write the text on discrepancies, and its main findings."""

from pathlib import Path

from rankone.engine import intact
from rankone.paper import discrepancies
from rankone.pipeline import jobs
from rankone.report import texts

jobs.log_to(snakemake.log[0])

compared = intact.table(snakemake.input.compared, dtype={"K": "Int64", "L": "Int64"})
template = Path(snakemake.input.template).read_text(encoding="utf-8")
lines, matrices = discrepancies.drawn(), snakemake.params.instances
text = discrepancies.write(template, compared, lines, matrices, snakemake.params.gammas)
findings = discrepancies.main_findings(compared, lines, matrices)
for path, content in (
    (snakemake.output.text, text),
    (snakemake.output.findings, findings),
    (snakemake.output.page, texts.page(text, "Discrepancies")),
):
    intact.write(path, content)
