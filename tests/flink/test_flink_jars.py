"""Connectors and formats that Flink's package lacks come as jars; this one is made here."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sameriver.cli.app import app
from sameriver.flink.gateway import Gateway
from sameriver.flink.jvm import flink_home

SOURCE = Path(__file__).parent / "java" / "Shout.java"
FACTORIES = "META-INF/services/org.apache.flink.table.factories.Factory"


@pytest.fixture(scope="session")
def jar(real_flink: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The format ``shout``: a line in capitals."""
    if (javac := shutil.which("javac")) is None:
        pytest.skip("there is no 'javac' in the PATH")
    folder = tmp_path_factory.mktemp("jar")
    classes = folder / "classes"
    path = f"{flink_home() / 'lib'}/*"
    command = [javac, "--release", "11", "-cp", path, "-d", str(classes), str(SOURCE)]
    subprocess.run(command, check=True, timeout=120)
    with zipfile.ZipFile(folder / "shout.jar", "w") as made:
        for file in classes.rglob("*.class"):
            made.write(file, file.relative_to(classes))
        made.writestr(FACTORIES, "sameriver.tests.Shout\n")
    return folder / "shout.jar"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "words.txt").write_text("one\ntwo\none\n", encoding="utf-8")
    path = tmp_path / "words.sql"
    path.write_text(
        f"""CREATE TABLE words (word STRING) WITH (
          'connector' = 'filesystem', 'path' = '{tmp_path / "words.txt"}', 'format' = 'shout');
        CREATE TABLE counts (word STRING, n BIGINT) WITH (
          'connector' = 'filesystem', 'path' = '{tmp_path / "counts"}', 'format' = 'debezium-json');
        INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word;
        SELECT * FROM words WHERE word <> 'TWO';
        """,
        encoding="utf-8",
    )
    return path


def sameriver(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_format_of_a_jar_is_read(shared: Gateway, script: Path, jar: Path) -> None:
    done = sameriver("run", script, "--on", "flink", "--jar", jar, "--output", "jsonl")
    _is_right(done, script)


def test_the_jar_goes_to_a_session_cluster(
    shared: Gateway, cluster: str, script: Path, jar: Path
) -> None:
    on = ("--on", "flink", "--cluster", cluster, "--jar", jar)
    _is_right(sameriver("run", script, *on, "--output", "jsonl"), script)


def _is_right(done: Result, script: Path) -> None:
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == ['{"op": "+I", "row": ["ONE"]}'] * 2
    written = "".join(file.read_text("utf-8") for file in (script.parent / "counts").glob("*"))
    assert '"after":{"word":"TWO","n":1},"op":"c"' in written


def test_plans_need_the_jar_and_nothing_else(shared: Gateway, script: Path, jar: Path) -> None:
    changed = script.with_name("changed.sql")
    text = script.read_text(encoding="utf-8").replace("COUNT(*)", "COUNT(DISTINCT word)")
    changed.write_text(text, encoding="utf-8")
    told = sameriver("check", script, changed, "--on", "flink", "--jar", jar)
    assert told.exit_code == 1
    assert "The aggregate `COUNT(*)` becomes `COUNT(DISTINCT words.word)`." in told.stdout
    plan = sameriver("explain", script, "--on", "flink", "--jar", jar)
    assert "GroupAggregate(groupBy=[word]" in plan.stdout


@pytest.mark.parametrize("command", ["run", "explain"])
def test_without_the_jar_it_is_said_what_to_do(command: str, shared: Gateway, script: Path) -> None:
    done = sameriver(command, script, "--on", "flink")
    assert done.exit_code == 2
    assert "error[NOT_ON_FLINK]: Flink has no connector or format 'shout'" in done.stderr
    assert "words.sql:5:" in done.stderr
    assert "Give its jar with --jar" in done.stderr
    assert not (script.parent / "counts").exists()


def test_a_jar_that_needs_another_one(shared: Gateway, script: Path, jar: Path) -> None:
    with zipfile.ZipFile(jar) as whole, zipfile.ZipFile(jar.with_name("half.jar"), "w") as half:
        for name in whole.namelist():
            if "Lines" not in name:
                half.writestr(name, whole.read(name))
    done = sameriver("run", script, "--on", "flink", "--jar", jar.with_name("half.jar"))
    assert done.exit_code == 2
    assert "error[NOT_ON_FLINK]: Flink lacks the Java class 'sameriver/tests/Shout$" in done.stderr
    assert "give the jar that holds it too" in done.stderr
