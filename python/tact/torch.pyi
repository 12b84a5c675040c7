from typing import Mapping

from torch import Tensor

from tact import Worlds

def rollout(
    worlds: Worlds,
    u: Tensor,
    q: Tensor | None = None,
    v: Tensor | None = None,
    parameters: Mapping[str, Tensor] | None = None,
    velocities: bool = False,
) -> tuple[Tensor, ...]: ...
