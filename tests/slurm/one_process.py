"""The study of million.yaml in one process: are its bands those in the given file?"""

import sys
from pathlib import Path

import rankone
from rankone.engine import intact
from rankone.pipeline import campaigns
from rankone.stats import bands

STUDY = Path(__file__).with_name("million.yaml")


def main(name: str) -> int:
    file = Path(name)
    if not (file.parent / intact.FOLDER / f"{file.name}{intact.SUFFIX}").exists():
        print(f"{file} has no checksum beside it", file=sys.stderr)
        return 1
    campaign = campaigns.load(STUDY)
    (study,) = campaign.studies.values()
    (instance,), (policy,) = study.instances, study.policies
    rows = sorted({int(t) for t in intact.table(file)["t"]})  # its checksum is looked at, too
    found = rankone.simulate(
        policy.policy,
        campaigns.build(instance.entry()),
        study.horizon,
        study.runs,
        seed=campaign.seed,
        checkpoints=rows,
        **policy.parameters,
    )
    table = bands.table([(instance.name, policy.name, found)]).to_csv(index=False)
    if table.encode() != intact.read(file):
        print(f"{file} differs from\n{table}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
