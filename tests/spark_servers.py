"""Real Spark servers on this machine, started for a test and killed after it."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

# Each program runs for seconds: the quick compiler alone does in half the time what both do.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# A query runs once over a few rows: to compile it takes longer than to run it as it is.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": 2,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


class Servers:
    """Processes of one Spark installation, each with a log of its own."""

    def __init__(self, home, folder):
        self._home = Path(home)
        self._environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "JAVA_TOOL_OPTIONS": QUICK_JAVA,
        }
        self._folder = folder
        self.processes = []

    def start(self, *command):
        """Start a program of the installation's bin."""
        log = self._folder / f"{len(self.processes)}.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [str(self._home / "bin" / command[0]), *command[1:]],
                stdout=stream,
                stderr=stream,
                env=self._environment,
                start_new_session=True,
            )
        process.log = log
        self.processes.append(process)
        return process

    @staticmethod
    def read(process, pattern):
        """Wait until the process prints it; give up when the process ends or after a minute."""
        for _ in range(600):
            found = re.search(pattern, process.log.read_text(errors="replace"))
            if found:
                return found[1] if found.groups() else found[0]
            try:
                process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            break
        pytest.fail(f"Spark did not start: {process.log.read_text(errors='replace')[-2000:]}")
        return None

    @staticmethod
    def kill(process):
        """Kill the process and the executors that it started."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                self.kill(process)


class Cluster(Servers):
    """A Spark master and two workers."""

    def __init__(self, home, folder):
        super().__init__(home, folder)
        options = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        master = self.start("spark-class", "org.apache.spark.deploy.master.Master", *options)
        self.url = self.read(master, r"Starting Spark master at (spark://\S+)")
        self.workers = [self._start_worker(place) for place in range(2)]
        for worker in self.workers:
            self.read(worker, "Successfully registered with master")

    def _start_worker(self, place):
        options = ("--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--webui-port", "0")
        place = ("--work-dir", str(self._folder / f"work{place}"), self.url)
        return self.start("spark-class", "org.apache.spark.deploy.worker.Worker", *options, *place)


class ConnectServer(Servers):
    """A Spark Connect server with Spark inside it."""

    def __init__(self, home, folder):
        super().__init__(home, folder)
        settings = SETTINGS | {"spark.connect.grpc.binding.port": 0, "spark.driver.memory": "1g"}
        options = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
        server = "org.apache.spark.sql.connect.service.SparkConnectServer"
        process = self.start("spark-submit", "--master", "local[2]", "--class", server, *options, "spark-internal")
        port = self.read(process, r"Spark Connect server started at: \S*?:(\d+)")
        self.url = f"sc://127.0.0.1:{port}"
