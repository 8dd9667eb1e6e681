"""A Java process that holds Flink's classes, and how it is found and started."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from sameriver.common.errors import ExternalError

VERSION = "2.3.0"
"""The release of Flink that is known here."""
_OLDEST_JAVA, _NEWEST_JAVA = 11, 21
_MEMORY = "-Xmx1536m"
_OPENED = ("lang", "net", "io", "nio", "text", "time", "util", "util.concurrent")
"""Packages of the JDK that Flink's serializers look into."""
_INSTALL = "pip install 'sameriver[flink]'"


class Jvm:
    """A running Java process. It ends with ``close``, and at the latest with this process.

    Attributes:
        classes: what py4j calls ``jvm``: ``jvm.classes.java.util.ArrayList()``.
        aside: the same for a second thread here. Flink's planner leaves things in the Java thread
            that it began in, so calls that wait must not be given that one.

    Raises:
        ExternalError: NO_FLINK, WRONG_FLINK, NO_JAVA, WRONG_JAVA, JVM_FAILED.
    """

    def __init__(self) -> None:
        home, java = flink_home(), java_command()
        py4j = _py4j()
        log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the process
        try:
            port, token, self._process = py4j.launch_gateway(
                classpath=os.pathsep.join(map(str, sorted((home / "lib").glob("*.jar")))),
                javaopts=_options(),
                die_on_exit=True,
                redirect_stdout=_Echo(),
                redirect_stderr=log,
                java_path=java,
                # Ctrl-C is for us: we stop the job first
                create_new_process_group=True,
                enable_auth=True,
                return_proc=True,
            )
        except (OSError, ValueError) as error:
            raise _did_not_start(log) from error
        finally:
            log.close()
        parameters = py4j.GatewayParameters(port=port, auth_token=token, auto_convert=True)
        self._gateway = py4j.JavaGateway(gateway_parameters=parameters)
        self.classes: Any = self._gateway.jvm
        self._aside = py4j.JavaGateway(gateway_parameters=parameters)
        self.aside: Any = self._aside.jvm

    def array(self, kind: Any, *items: Any) -> Any:
        """A Java array, for methods with any number of arguments."""
        made = self._gateway.new_array(kind, len(items))
        for index, item in enumerate(items):
            made[index] = item
        return made

    def close(self) -> None:
        """Ends the process."""
        self._aside.close()
        self._gateway.close()
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def flink_home() -> Path:
    """The folder of Flink's jars.

    Raises:
        ExternalError: NO_FLINK, WRONG_FLINK.
    """
    spec = find_spec("pyflink")
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise ExternalError("NO_FLINK", "'apache-flink' is not installed", hint=f"{_INSTALL}.")
    home = Path(folders[0])
    found = [path.stem for path in (home / "lib").glob("flink-dist-*.jar")]
    if found != [f"flink-dist-{VERSION}"]:
        raise ExternalError(
            "WRONG_FLINK",
            f"'apache-flink' holds {', '.join(found) or 'no flink-dist'}, not flink-dist-{VERSION}",
            hint=f"{_INSTALL}.",
        )
    return home


def java_command() -> str:
    """The ``java`` to start: that of JAVA_HOME, or else of the PATH.

    Raises:
        ExternalError: NO_JAVA, WRONG_JAVA.
    """
    home = os.environ.get("JAVA_HOME")
    command = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    wanted = f"Install a Java runtime (version 17, or {_OLDEST_JAVA} to {_NEWEST_JAVA})"
    if command is None:
        where = f"JAVA_HOME, which is '{home}'" if home else "the PATH"
        hint = f"{wanted} and set JAVA_HOME, or put 'java' on the PATH."
        raise ExternalError("NO_JAVA", f"there is no 'java' in {where}", hint=hint)
    told = subprocess.run([command, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', told.stderr + told.stdout)
    number = int(version[1]) if version else 0
    if not _OLDEST_JAVA <= number <= _NEWEST_JAVA:
        said = f"is version {number}" if number else "does not tell its version"
        hint = f"{wanted} and set JAVA_HOME to it."
        raise ExternalError("WRONG_JAVA", f"'{command}' {said}", hint=hint)
    return command


def _py4j() -> Any:
    try:
        from py4j import java_gateway
    except ImportError as error:
        raise ExternalError("NO_FLINK", "'py4j' is not installed", hint=f"{_INSTALL}.") from error
    return java_gateway


def _options() -> list[str]:
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    # what goes wrong reaches us as an exception, so logs would say it a second time
    return [_MEMORY, "-XX:+UseSerialGC", "-Dlog4j2.level=OFF", *opened]


def _did_not_start(log: IO[str]) -> ExternalError:
    log.seek(0)
    said = log.read().strip().splitlines()
    return ExternalError(
        "JVM_FAILED",
        f"Java did not start: {said[0] if said else 'it says nothing'}",
        hint="Does the machine have 2 GB of memory left?",
    )


class _Echo:
    """Lines of the Java process, which are those of ``print`` tables, on standard output."""

    def write(self, line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    def close(self) -> None:
        """Our output outlives the Java process."""
