"""Rigid-body dynamics with Pinocchio and MuJoCo on the body that Ugoki exports."""

import numpy as np

from clock import measure, row

# One call from Python costs about a microsecond; a batch in one call is not offered, so it is part of the peer's figure.
CALLS = 200


def dynamics(mjcf):
    """Inverse dynamics, mass matrix and forward dynamics of one state."""
    import mujoco
    import pinocchio as pin

    model = pin.buildModelFromMJCF(str(mjcf))
    if isinstance(model, tuple):
        model = model[0]
    data = model.createData()
    draw = np.random.default_rng(13)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v, a = draw.normal(size=model.nv), draw.normal(size=model.nv)

    def repeat(call):
        def work():
            for _ in range(CALLS):
                call()

        return work

    calls = [
        ("dynamics.rnea", "rnea", lambda: pin.rnea(model, data, q, v, a)),
        ("dynamics.crba", "crba", lambda: pin.crba(model, data, q)),
        ("dynamics.aba", "aba", lambda: pin.aba(model, data, q, v, a)),
    ]
    out = [row(task, model.nv, "pin", what, measure(repeat(call)), CALLS) for task, what, call in calls]
    other = mujoco.MjModel.from_xml_path(str(mjcf))
    state = mujoco.MjData(other)
    step = repeat(lambda: mujoco.mj_step(other, state))
    inverse = repeat(lambda: mujoco.mj_inverse(other, state))
    out.append(row("dynamics.rnea", model.nv, "mujoco", "mj_inverse", measure(inverse), CALLS))
    out.append(row("react.step", 1, "mujoco", "mj_step, nothing controlled", measure(step), CALLS, part=True))
    return out
