"""The stored plans are those that Flink makes; WRITE_PLANS=1 stores them anew."""

from __future__ import annotations

import os

import pytest

from flink_plans.queries import HERE, scripts, small, store, stored
from sameriver.flink.check import compiled
from sameriver.flink.gateway import Gateway


def test_each_plan_has_a_query() -> None:
    assert {path.stem for path in HERE.glob("*.json")} == set(scripts())


@pytest.mark.parametrize("name", scripts())
def test_plan(gateway: Gateway, name: str) -> None:
    plan, _ = compiled(gateway, scripts()[name], {})
    if os.environ.get("WRITE_PLANS"):
        store(name, plan)
    assert small(plan) == stored(name)
