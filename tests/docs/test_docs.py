"""Code in the docs runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sameriver import Session
from sameriver.common.config import OPTIONS
from sameriver.sql import parse_script
from sameriver.testing.modes import Mode
from sameriver.testing.runner import find_scenarios, run_scenario, write_expected

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for place, code in enumerate(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)):
            found.append((f"{page.name}-{place}", code))
    return found


@pytest.mark.parametrize(("name", "code"), blocks("python"))
def test_python_runs(name: str, code: str) -> None:
    exec(compile(code, name, "exec"), {"__name__": name})


@pytest.mark.parametrize(("name", "code"), blocks("sql"))
def test_sql_parses(name: str, code: str) -> None:
    assert parse_script(code)


@pytest.mark.parametrize(
    ("name", "code"), [block for block in blocks("text") if "== sql\n" in block[1]]
)
def test_cases_pass(name: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "doc.case"
    path.write_text(code, encoding="utf-8")
    if code.endswith("== changelog\n"):
        write_expected(*find_scenarios([path]))
    (scenario,) = find_scenarios([path])
    for outcome in run_scenario(scenario, list(Mode)):
        assert outcome.passed, "\n".join(outcome.differences)


def test_the_readme_runs_the_example() -> None:
    (job, *_), lines = blocks("sql"), blocks("json")
    assert job[1].strip() == (ROOT / "examples" / "orders.sql").read_text(encoding="utf-8").strip()
    script = job[1].replace("examples/", f"{ROOT}/examples/")
    result = Session().execute(script)[-1]
    kinds, rows = next(iter(result.rendered()))
    assert f'"row": {rows[0]}'.replace("'", '"') in lines[0][1]
    assert f'"op": "{kinds[0]}"' in lines[0][1]


def test_the_page_of_options_lists_all() -> None:
    page = (ROOT / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([a-z.\-]+)` \|", page, re.MULTILINE))
    assert listed == set(OPTIONS)
    for option in OPTIONS.values():
        shown = f"| `{option.default}` |" if option.default else "| |"
        assert f"| `{option.key}` {shown}" in page
