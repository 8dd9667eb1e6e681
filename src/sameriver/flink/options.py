"""Options for Flink that make a script mean there what it means here."""

from __future__ import annotations

from sameriver.common.config import OPTIONS, Config

_OURS = "sameriver."
_AS_HERE = ("table.exec.state.ttl", "table.exec.mini-batch.enabled", "parallelism.default")
"""Options whose defaults are others in Flink; what this engine does is set."""
_FOLDING = {
    "table.exec.mini-batch.allow-latency": "200 ms",
    "table.exec.mini-batch.size": "5000",
    # two phases keep the state of an aggregate in another form than one, which goes on in neither
    "table.optimizer.agg-phase-strategy": "ONE_PHASE",
}
"""What Flink wants to know besides to fold changes."""
_DIFFERENT = {"table.exec.sink.require-on-conflict": "false"}
"""Options whose default in Flink is what this engine never does."""
_EACH_ROW = "on-event"


def flink_options(config: Config) -> dict[str, str]:
    """The options of a script as Flink's; what differs by default is set to what holds here.

    Options of this engine alone are left out, see ``dropped``.
    """
    options = {key: config[key] for key in _AS_HERE}
    options |= _FOLDING | _DIFFERENT
    if config["scan.watermark.emit.strategy"] == _EACH_ROW:
        interval = "pipeline.auto-watermark-interval"
        options[interval] = config[interval]
    options |= {key: value for key, value in config.items() if not key.startswith(_OURS)}
    # the name of a zone, also where the machine's own was meant by 'default'
    return options | {"table.local-time-zone": config.zone.key}


def dropped(key: str) -> str:
    """Why an option has no effect on Flink; empty if it has one."""
    if not key.startswith(_OURS):
        return ""
    about = f": {OPTIONS[key].text}" if key in OPTIONS else ""
    return f"'{key}' has no meaning on Flink and is left out{about}"
