"""Write the text on discrepancies, and its main findings."""

import sys
from pathlib import Path

from rankone.engine import intact
from rankone.paper import discrepancies
from rankone.report import texts

sys.stderr = open(snakemake.log[0], "w", buffering=1)

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
