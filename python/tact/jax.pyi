from typing import Any, Mapping

from tact import Worlds

def rollout(
    worlds: Worlds,
    u: Any,
    q: Any = None,
    v: Any = None,
    parameters: Mapping[str, Any] | None = None,
    velocities: bool = False,
    status: bool = False,
    callback: bool | None = None,
) -> tuple[Any, ...]: ...
