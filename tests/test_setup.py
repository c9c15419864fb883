"""The set-up files agree with each other and tell nothing about the machine they were made on.

Each check is a function of text that returns what is wrong, so that it can be shown broken text.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rankone

ROOT = Path(__file__).resolve().parents[1]
PLATFORMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"},
    "darwin": {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64"},
    "win32": {"sys_platform": "win32", "platform_system": "Windows", "platform_machine": "AMD64"},
}
# in pieces, or this file would hold what it forbids
PUBLIC_REGISTRIES = {
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("conda", "anaconda", "org"),
    ]
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# --- pyproject.toml, requirements.lock and environment.yml are in step ---


def locked(lock: str) -> list[Requirement]:
    """The pins of a lock, hashes left out."""
    lines = lock.replace("\\\n", " ").splitlines()
    return [Requirement(line.split(" --hash")[0]) for line in lines if re.match(r"\w", line)]


def wanted(project: str) -> list[Requirement]:
    """What pyproject.toml asks for, to build, to run and to develop."""
    table = tomllib.loads(project)
    extras = table["project"]["optional-dependencies"].values()
    lists = [table["build-system"]["requires"], table["project"]["dependencies"], *extras]
    found = [Requirement(text) for requirements in lists for text in requirements]
    return [want for want in found if want.name != table["project"]["name"]]  # an extra of its own


def applies(requirement: Requirement, platform: str, version: str) -> bool:
    python = {"python_version": version, "python_full_version": f"{version}.0"}
    environment = {**default_environment(), **PLATFORMS[platform], **python}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def unpinned(project: str, lock: str, platform: str, version: str) -> list[str]:
    """Requirements for which the lock does not hold exactly one fitting version there."""
    faults = []
    pins = [pin for pin in locked(lock) if applies(pin, platform, version)]
    for want in wanted(project):
        name = canonicalize_name(want.name)
        exact = [str(pin.specifier) for pin in pins if canonicalize_name(pin.name) == name]
        fits = [text for text in exact if want.specifier.contains(text.removeprefix("=="))]
        if applies(want, platform, version) and (len(exact) != 1 or fits != exact):
            faults.append(f"{want} is locked as {exact}")
    return faults


def out_of_step(environment: str, lock: str) -> list[str]:
    """Pins, with their markers, that stand in only one of environment.yml and the lock."""
    conda = yaml.safe_load(environment)["dependencies"]
    pip = next(entry["pip"] for entry in conda if isinstance(entry, dict))
    listed = {str(Requirement(line)) for line in pip if not line.startswith("-")}
    return sorted(listed ^ {str(pin) for pin in locked(lock)})


def pip_options(environment: str) -> list[str]:
    return re.findall(r"^ +- (-.*)$", environment, flags=re.MULTILINE)


def unhashed(lock: str) -> list[str]:
    lines = lock.replace("\\\n", " ").splitlines()
    return [line for line in lines if re.match(r"\w", line) and "--hash=sha256:" not in line]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_lock_pins_every_requirement_once(platform, version):
    assert unpinned(read("pyproject.toml"), read("requirements.lock"), platform, version) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"^numba==", "numbat=="),
        (r"^numba==\S+", "numba==0.1"),
        (r"^numba==(\S+)", r"numba==\1 ; python_full_version >= '3.12'"),
        (r"^(?=numba==)", "numba==0.1 --hash=sha256:0\n"),
    ],
    ids=["missing", "too old", "not for this Python", "twice"],
)
def test_a_requirement_that_is_not_pinned_is_seen(old, new):
    lock, count = re.subn(old, new, read("requirements.lock"), flags=re.MULTILINE)
    assert count == 1
    assert len(unpinned(read("pyproject.toml"), lock, "linux", "3.11")) == 1


def test_a_new_requirement_must_be_locked():
    project = read("pyproject.toml").replace("dependencies = [", 'dependencies = [\n"polars",', 1)
    faults = unpinned(project, read("requirements.lock"), "linux", "3.11")
    assert faults == ["polars is locked as []"]


def test_what_reports_need_is_locked():
    assert "pygments" in {pin.name for pin in locked(read("requirements.lock"))}


def test_environment_holds_the_pins_of_the_lock():
    assert out_of_step(read("environment.yml"), read("requirements.lock")) == []


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        (r"^ +- numpy==.*\n", "", 1),
        (r"numpy==\S+", "numpy==2.0.0", 2),
        (r"numpy==(\S+)", r"numpy==\1 ; sys_platform == 'linux'", 2),
        (r"^( +- )numpy==", r"\1polars==1.0\n\1numpy==", 1),
    ],
    ids=["missing", "another version", "another marker", "one too many"],
)
def test_a_pin_in_environment_only_or_lock_only_is_seen(old, new, faults):
    environment, count = re.subn(old, new, read("environment.yml"), flags=re.MULTILINE)
    assert count == 1
    assert len(out_of_step(environment, read("requirements.lock"))) == faults


def test_environment_installs_the_package_and_refers_to_no_other_file():
    assert pip_options(read("environment.yml")) == ["-e ${PWD}"]
    assert pip_options("  - pip:\n      - -r requirements.lock\n") == ["-r requirements.lock"]


def test_every_pin_has_a_hash():
    lock = read("requirements.lock")
    assert unhashed(lock) == []
    assert unhashed(lock + "polars==1.0\n") == ["polars==1.0"]


# What a module is called, where that is not the name of what installs it.
INSTALLED_BY = {"yaml": "pyyaml", "llvmlite": "numba", "markdown_it": "markdown-it-py"}


def undeclared(text: str, requirements: list[str]) -> set[str]:
    """The packages that a module imports and that no requirement names."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(str(node.module).split(".")[0])
    foreign = names - sys.stdlib_module_names - {"rankone"}
    declared = {canonicalize_name(Requirement(text).name) for text in requirements}
    return {name for name in foreign if INSTALLED_BY.get(name, name) not in declared}


def test_every_import_is_declared_and_the_library_needs_no_workflow():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    library, workflow = project["dependencies"], project["optional-dependencies"]["workflow"]
    files = sorted((ROOT / "src/rankone").rglob("*.py"))
    for file in files:
        rooms = ("pipeline", "report")  # what only the workflow calls
        allowed = library + workflow if file.parent.name in rooms else library
        assert undeclared(file.read_text(encoding="utf-8"), allowed) == set(), file
    assert undeclared("def f():\n    import yaml, numpy.linalg", library) == {"yaml"}


def test_the_api_is_listed_and_can_be_reached():
    for name in dir(rankone):
        assert getattr(rankone, name) is not None
    assert {"simulate", "rank_one", "graph", "theory", "Runs"} <= {*dir(rankone)}
    assert (Path(rankone.__file__).parent / "py.typed").exists()


def test_one_version_everywhere():
    project = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    citation = yaml.safe_load(read("CITATION.cff"))["version"]
    assert project == citation == rankone.__version__


# --- the commands that the texts name exist ---


def targets(makefile: str) -> set[str]:
    return set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))


def unknown_targets(text: str, makefile: str) -> set[str]:
    """Targets named as `make x` in a text that the Makefile lacks."""
    return set(re.findall(r"(?:^|`)make ([a-z]+)", text, flags=re.MULTILINE)) - targets(makefile)


def unknown_rules(makefile: str, rules: str) -> set[str]:
    """Targets that the Makefile asks Snakemake for: no rule and no config file has their name."""
    asked = re.findall(r"^\t\$\(SNAKEMAKE\) (?:--.* )?([a-z_]+)$", makefile, flags=re.MULTILINE)
    known = re.findall(r"^(?:use )?rule \w+(?: as (\w+) with)?:", rules, flags=re.MULTILINE)
    known += re.findall(r"^rule (\w+):", rules, flags=re.MULTILINE)
    return set(asked) - {*known, *(file.stem for file in (ROOT / "config").glob("*.yaml"))}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_make_knows_the_targets_of_the_texts(name):
    assert unknown_targets(read(name), read("Makefile")) == set()


def test_a_target_that_make_lacks_is_seen():
    text = "`make test` and\nmake fly # but we make do\n"
    assert unknown_targets(text, read("Makefile")) == {"fly"}


def test_snakemake_knows_the_targets_of_make():
    rules = "\n".join(map(read, ["Snakefile", *map(str, (ROOT / "workflow").rglob("*.smk"))]))
    assert unknown_rules(read("Makefile"), rules) == set()
    assert unknown_rules("fly:\n\t$(SNAKEMAKE) fly\n", rules) == {"fly"}


def test_hooks_fetch_nothing():
    hooks = yaml.safe_load(read(".pre-commit-config.yaml"))
    assert {entry["repo"] for entry in hooks["repos"]} == {"local"}


# --- nothing tells where the files were made ---


def addresses(text: str) -> list[str]:
    """Index addresses and options that a lock must not hold."""
    return re.findall(r"https?://|--index|--extra-index|--find-links|file:", text)


def hosts(settings: str) -> set[str]:
    """The hosts of the addresses in a text, without user, port and the machine itself."""
    found = re.findall(r"https?://(?:[^\s/@'\"]*@)?([\w.-]+)", settings)
    return {host.lower() for host in found} - {"localhost", "127.0.0.1", "0.0.0.0"}


def machine_settings() -> str:
    """Everything on this machine that says where packages come from."""
    commands = [
        [sys.executable, "-m", "pip", "config", "list"],
        ["npm", "config", "get", "registry"],
    ]
    if pip := shutil.which("pip3"):
        commands.append([pip, "config", "list"])
    found = [
        value
        for name, value in os.environ.items()
        if re.search("INDEX|REGISTRY|PROXY|LINKS", name.upper())
    ]
    for command in commands:
        if shutil.which(command[0]):
            found.append(subprocess.run(command, capture_output=True, text=True).stdout)
    return "\n".join(found)


def traces(text: str, registries: set[str]) -> list[str]:
    """Registry hosts, and paths that exist on one machine only."""
    # a host without a dot may be a common word: only an address counts
    names = [re.escape(host) if "." in host else f"//{re.escape(host)}" for host in registries]
    registry = rf"(?:{'|'.join(names)})(?![\w-])"
    path = r"(?<![\w.~)}\]*$-])/(?:work|tmp|root|opt|home|Users)(?![\w.-])"
    return re.findall(f"{registry}|{path}", text)


def tracked() -> list[Path]:
    # safe.directory: in a container the folder often belongs to another user
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split("\0") if name]


@pytest.mark.parametrize("name", ["requirements.lock", "environment.yml"])
def test_pins_come_without_addresses(name):
    assert addresses(read(name)) == []


@pytest.mark.parametrize(
    "line",
    ["--index-url x", "--extra-index-url x", "--find-links x", "a @ file:x", "a @ https://x/a.whl"],
)
def test_an_address_among_the_pins_is_seen(line):
    assert addresses(read("requirements.lock") + line)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone: no list of tracked files")
def test_no_tracked_file_tells_where_it_was_made():
    registries = hosts(machine_settings()) | PUBLIC_REGISTRIES
    files = [file for file in tracked() if file.is_file()]
    found = {str(file): traces(file.read_text(encoding="latin-1"), registries) for file in files}
    assert len(files) > 20
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_a_trace_is_seen():
    folders = ["work", "tmp", "root", "opt", "home", "Users"]
    assert all(traces(f'open("/{folder}/x")', {"a.b"}) for folder in folders)
    assert traces("see /" + "tmp", {"a.b"})
    assert traces("from http://me:pw@pip.example.net:81/simple", {"pip.example.net"})
    assert traces("from http://mirror/simple", {"mirror"})
    harmless = "src/work, {x}/tmp/y, ../opt, a mirror, pip.example.network, /usr/bin/env, /rootless"
    assert traces(harmless, {"pip.example.net", "mirror"}) == []


def test_hosts_come_without_secrets():
    settings = "index-url='https://me:pw@pip.Example.net:81/simple'\nproxy=http://localhost:3128"
    assert hosts(settings) == {"pip.example.net"}
