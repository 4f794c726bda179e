"""Rigid-body dynamics with Pinocchio and MuJoCo on the body that Ugoki exports."""

import numpy as np

from clock import measure, row

# States in turn, as ours are. A call from Python is part of the peer's figure, because no batch in one call is offered; what it costs
# is measured by the same call on a body of one hinge.
STATES = 64
CALLS = 3 * STATES


def dynamics(mjcf):
    """Inverse dynamics, mass matrix and forward dynamics of random states."""
    import mujoco
    import pinocchio as pin

    model = pin.buildModelFromMJCF(str(mjcf))
    if isinstance(model, tuple):
        model = model[0]
    hinge = pin.Model()
    hinge.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "hinge")
    hinge.appendBodyToJoint(1, pin.Inertia.Random(), pin.SE3.Identity())
    calls = [
        ("dynamics.rnea", "rnea", pin.rnea, True),
        ("dynamics.crba", "crba", pin.crba, False),
        ("dynamics.aba", "aba", pin.aba, True),
    ]
    out = []
    for one, more, part in [(model, "", False), (hinge, " of one hinge: what the call costs", True)]:
        data, states = one.createData(), random_states(pin, one)
        for task, what, call, moves in calls:

            def work():
                for q, v, a in states * (CALLS // STATES):
                    call(one, data, q, v, a) if moves else call(one, data, q)

            out.append(row(task, model.nv, "pin", what + more, measure(work), CALLS, part=part))
    other = mujoco.MjModel.from_xml_path(str(mjcf))
    state = mujoco.MjData(other)

    def repeat(call):
        def work():
            for _ in range(CALLS):
                call(other, state)

        return work

    step, inverse = repeat(mujoco.mj_step), repeat(mujoco.mj_inverse)
    what = "mj_inverse, with collisions and constraints"
    out.append(row("dynamics.rnea", model.nv, "mujoco", what, measure(inverse), CALLS, part=True))
    out.append(row("react.step", 1, "mujoco", "mj_step, nothing controlled", measure(step), CALLS, part=True))
    return out


def random_states(pin, model):
    """Places, velocities and accelerations."""
    draw = np.random.default_rng(13)
    place = lambda: pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    return [(place(), draw.normal(size=model.nv), draw.normal(size=model.nv)) for _ in range(STATES)]
