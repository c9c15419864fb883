"""A real Slurm with two nodes of one core on this machine, for tests; its state is in one folder.

munged, slurmctld and two slurmds of Debian's packages run without systemd, cgroups or a database,
on ports that are free. Nothing is outside the folder: its slurm.conf is told by SLURM_CONF, so a
Slurm that this machine may have is not touched. Everything that the cluster starts carries MARK in
its environment, so that exactly these processes are ended afterwards, and no other ones.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

MARK = "RANKONE_SLURM_TEST"
COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "srun")
PACKAGES = "slurmctld slurmd slurm-client munge"
NODES = ("little1", "little2")
MEMORY = 4000  # MB of each node, whatever the machine has: Slurm counts it, and enforces nothing
# A machine may be slow; whatever has not happened by then never will.
PATIENCE = 300.0  # seconds

SETTINGS = """\
ClusterName=little
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/run/munge.socket
CredType=cred/munge
StateSaveLocation={home}/slurmctld
SlurmdSpoolDir={home}/spool.%n
SlurmctldPidFile={home}/run/slurmctld.pid
SlurmdPidFile={home}/run/slurmd.%n.pid
SlurmctldLogFile={home}/log/slurmctld.log
SlurmdLogFile={home}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
# a node that comes back is used again at once; one that stays away is given up after 10 s
ReturnToService=2
SlurmdTimeout=10
# Slurm would hold a job that lost its node for two minutes; so Snakemake sends it again
JobRequeue=0
KillWait=3
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
# squeue must remember a finished job until Snakemake has asked for it
MinJobAge=600
MaxJobCount={most_jobs}
# CPUs of a node are those written here, not those of the machine
SlurmdParameters=config_overrides
NodeName=DEFAULT CPUs=1 RealMemory={memory}
NodeName={nodes[0]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]}
NodeName={nodes[1]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]}
PartitionName=little Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
# A partition for members only: without a database nobody is one, and any account is refused, at
# once instead of waiting for ever
PartitionName=members Nodes=ALL MaxTime=INFINITE State=UP AllowAccounts=member
EnforcePartLimits=ALL
"""


# The daemons are in folders that not every shell looks into.
os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])


def missing() -> str:
    """Why this machine cannot run the test; empty if it can."""
    if os.geteuid() != 0:
        return "it needs root, to start the daemons of Slurm"
    lacking = [command for command in COMMANDS if shutil.which(command) is None]
    if lacking:
        install = f"apt-get install --no-install-recommends {PACKAGES}"
        return f"{', '.join(lacking)} not found; on Debian or Ubuntu: {install}"
    return ""


class Cluster:
    """Use as a context: everything is stopped at the end, whatever happened."""

    def __init__(self, home: Path, most_jobs: int = 10_000) -> None:
        self.home, self.mark = home, uuid.uuid4().hex
        self.environment = {**os.environ, MARK: self.mark, "SLURM_CONF": str(home / "slurm.conf")}
        names = {"nodes": NODES, "host": socket.gethostname().split(".")[0], "memory": MEMORY}
        ports = _free_ports(3)
        self.settings = SETTINGS.format(home=home, ports=ports, most_jobs=most_jobs, **names)

    def __enter__(self) -> "Cluster":
        for folder in ("munge", "slurmctld", "log", "run", *(f"spool.{node}" for node in NODES)):
            (self.home / folder).mkdir(parents=True)
        self.home.chmod(0o755)
        (self.home / "munge").chmod(0o700)
        key = self.home / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (self.home / "slurm.conf").write_text(self.settings)
        try:
            self._start_all()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_all(self) -> None:
        home = self.home
        self.run(
            "munged", f"--socket={home}/run/munge.socket", f"--key-file={home}/munge/key",
            f"--pid-file={home}/run/munged.pid", f"--log-file={home}/log/munged.log",
            f"--seed-file={home}/munge/seed",
        )  # fmt: skip
        self.run("slurmctld", "-c", "-f", str(home / "slurm.conf"))
        for node in NODES:
            self.start(node)
        self.wait_for(lambda: self.states() == ["idle"] * len(NODES), "both nodes to be idle")

    def run(self, *words: str, check: bool = True) -> str:
        """What a command of Slurm prints."""
        try:
            done = subprocess.run(
                words, env=self.environment, text=True, capture_output=True, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            told = f"{' '.join(words)} has not ended within {PATIENCE:.0f} s"
            raise RuntimeError(f"{told}.\n{self.logs()}") from None
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def ask(self, *words: str) -> str:
        """What a command that changes nothing prints; again if the controller was too busy."""
        for _ in range(10):
            try:
                return self.run(*words)
            except RuntimeError:
                time.sleep(2)
        return self.run(*words)

    def start(self, node: str) -> None:
        # -b: a node that rebooted, so what ran there is known to be lost
        self.run("slurmd", "-b", "-N", node, "-f", str(self.home / "slurm.conf"))

    def states(self) -> list[str]:
        """The states of the nodes, in their order."""
        lines = self.ask("sinfo", "-h", "-N", "-p", "little", "-o", "%N %T")
        found = dict(line.split() for line in lines.splitlines())
        return [found.get(node, "") for node in NODES]

    def jobs(self, state: str = "all") -> list[dict[str, str]]:
        """The jobs that squeue knows: id, state, node, name, number of CPUs, memory."""
        keys = ("id", "state", "node", "name", "cpus", "memory")
        out = self.ask("squeue", "-h", "-t", state, "-o", "%i|%T|%N|%j|%C|%m")
        return [dict(zip(keys, line.split("|"), strict=True)) for line in out.splitlines()]

    def kill_node(self, node: str) -> None:
        """What a power cut does: the slurmd and all that runs on its node are gone at once."""
        daemon = int((self.home / f"run/slurmd.{node}.pid").read_text())
        log = str(self.home / f"log/slurmd.{node}.log")
        for process, _, environment in self.processes():
            here = environment.get("SLURMD_NODENAME") == node
            if process == daemon or here or log in _open_files(process):
                _kill(process)

    def wait_until_noticed(self, node: str) -> None:
        """Until the controller has given the node up; it would believe one that is back sooner."""
        place = NODES.index(node)
        self.wait_for(lambda: self.states()[place].startswith("down"), f"{node} to be down")

    def kill_job(self, job: str) -> None:
        """The processes of one job are killed, as by the kernel when memory runs out."""
        for process, words, environment in self.processes():
            if environment.get("SLURM_JOB_ID") == job and "slurmstepd" not in words:
                _kill(process)

    def processes(self) -> Iterator[tuple[int, str, dict[str, str]]]:
        """Every process that came from this cluster: id, command line, environment."""
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                process = int(folder.name)
                lines = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
                environment = dict(line.partition("=")[::2] for line in lines)
                words = (folder / "cmdline").read_bytes().decode(errors="replace")
                ours = environment.get(MARK) == self.mark and process != os.getpid()
                if ours or (words.startswith("slurmstepd") and self._logs_here(process)):
                    yield process, words.replace("\0", " "), environment

    def _logs_here(self, process: int) -> bool:
        """Whether a slurmstepd, which clears its environment, writes to the logs of our nodes."""
        logs = {str(self.home / f"log/slurmd.{node}.log") for node in NODES}
        return not logs.isdisjoint(_open_files(process))

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"waited {PATIENCE:.0f} s for {what}; in vain.\n{self.logs()}")
            time.sleep(0.3)

    def logs(self) -> str:
        """The last lines of the daemons' logs, and what Slurm knows of its nodes and jobs."""
        told = [
            f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}"
            for log in sorted((self.home / "log").glob("*.log"))
        ]
        for words in (["sinfo", "-N", "-l"], ["squeue", "-t", "all", "-l"]):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                done = subprocess.run(
                    words, env=self.environment, text=True, capture_output=True, timeout=20
                )
                told.append(f"--- {' '.join(words)}\n{done.stdout[-3000:]}{done.stderr}")
        return "\n".join(told)

    def stop(self) -> None:
        """End every process of this cluster."""
        # a second signal must not stop the cleaning
        before = {n: signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGTERM)}
        for _ in range(20):  # more than once: one that dies may just have started another
            found = [process for process, _, _ in self.processes()]
            if not found:
                break
            for process in found:
                _kill(process)
            time.sleep(0.1)
        for number, handler in before.items():
            signal.signal(number, handler)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _open_files(process: int) -> set[str]:
    found = set()
    with contextlib.suppress(OSError):
        for link in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                found.add(os.readlink(link))
    return found


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
