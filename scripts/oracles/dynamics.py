"""Compares our dynamics with Pinocchio and MuJoCo on the exported body.

Reads the document of the example `dynamics_oracle` and prints a Markdown table of the largest relative
differences; exits 1 when one exceeds 1e-8. Conventions differ only in the root and the quaternion:

             q of the root and balls     velocity of the root                 of a ball
    ours     position, quaternion xyzw   linear in world axes, then angular   angular, child's axes
                                         in the root's axes
    MuJoCo   position, quaternion wxyz   the same                             the same
    pin      position, quaternion xyzw   linear in the root's axes, angular   the same
                                         in the root's axes

Joints are matched by name, since the tools order siblings each in their own way.
"""

import json
import sys
import tempfile
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin

TOLERANCE = 1e-8


def relative(ours, theirs):
    """Largest difference against the largest magnitude: each quantity has one scale."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


def layout(links, sizes):
    """Start of each link's entries in our arrays."""
    starts, at = {}, 0
    for name in links:
        starts[name] = at
        at += sizes[name]
    return starts


class Mujoco:
    name = f"MuJoCo {mujoco.__version__}"

    def __init__(self, document):
        self.model = mujoco.MjModel.from_xml_string(document["mjcf"])
        # The hinges' ranges would push back; we compare the free body.
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)
        free, ball, hinge = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ["FREE", "BALL", "HINGE"])
        sizes_q, sizes_v = {free: 7, ball: 4, hinge: 1}, {free: 6, ball: 3, hinge: 1}
        joints = {name: self.model.joint(name) for name in document["links"]}
        nq = {name: sizes_q[int(joint.type[0])] for name, joint in joints.items()}
        nv = {name: sizes_v[int(joint.type[0])] for name, joint in joints.items()}
        our_q, our_v = layout(document["links"], nq), layout(document["links"], nv)
        self.q_index = np.zeros(sum(nq.values()), int)
        self.v_index = np.zeros(sum(nv.values()), int)
        for name, joint in joints.items():
            order = {7: [0, 1, 2, 6, 3, 4, 5], 4: [3, 0, 1, 2], 1: [0]}[nq[name]]
            for k, ours in enumerate(order):
                self.q_index[joint.qposadr[0] + k] = our_q[name] + ours
            for k in range(nv[name]):
                self.v_index[joint.dofadr[0] + k] = our_v[name] + k

    def compare(self, state, worst):
        model, data = self.model, self.data
        q, v = np.array(state["q"])[self.q_index], np.array(state["qd"])[self.v_index]
        vec = lambda key: np.array(state[key])[self.v_index]
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, vec("qdd")
        body = model.body(state["push_link"]).id
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        point, force, moment = np.array(state["push"]).reshape(3, 3)
        at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point
        generalized = np.zeros(model.nv)
        mujoco.mj_applyFT(model, data, force, moment, at, body, generalized)
        mujoco.mj_inverse(model, data)
        worst["rnea"] = max(worst["rnea"], relative(vec("rnea"), data.qfrc_inverse - generalized))
        data.qfrc_applied[:] = vec("torque") + generalized
        mujoco.mj_forward(model, data)
        worst["aba"] = max(worst["aba"], relative(vec("aba"), data.qacc))
        inertia = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, inertia)
        ours = np.array(state["crba"]).reshape(model.nv, model.nv)[np.ix_(self.v_index, self.v_index)]
        worst["crba"] = max(worst["crba"], relative(ours, inertia))
        mujoco.mj_subtreeVel(model, data)
        worst["com"] = max(worst["com"], relative(state["com"], data.subtree_com[1]))
        worst["com velocity"] = max(worst["com velocity"], relative(state["com_velocity"], data.subtree_linvel[1]))
        worst["angular momentum"] = max(
            worst["angular momentum"], relative(state["angular_momentum"], data.subtree_angmom[1])
        )
        data.qfrc_applied[:] = 0


class Pinocchio:
    name = f"Pinocchio {pin.__version__}"

    def __init__(self, document):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(document["mjcf"])
            file.flush()
            self.model = pin.buildModelFromMJCF(file.name)
        # Pinocchio does not read the option `gravity` and assumes z up.
        gravity = ElementTree.fromstring(document["mjcf"]).find("option").get("gravity")
        self.model.gravity.linear = np.array([float(g) for g in gravity.split()])
        self.data = self.model.createData()
        self.root = document["links"][0]
        joints = {name: self.model.getJointId(name) for name in document["links"]}
        nq = {name: self.model.joints[i].nq for name, i in joints.items()}
        nv = {name: self.model.joints[i].nv for name, i in joints.items()}
        our_q, our_v = layout(document["links"], nq), layout(document["links"], nv)
        self.q_index = np.zeros(self.model.nq, int)
        self.v_index = np.zeros(self.model.nv, int)
        for name, i in joints.items():
            joint = self.model.joints[i]
            self.q_index[joint.idx_q : joint.idx_q + nq[name]] = our_q[name] + np.arange(nq[name])
            self.v_index[joint.idx_v : joint.idx_v + nv[name]] = our_v[name] + np.arange(nv[name])
        self.joints = joints

    def compare(self, state, worst):
        model, data = self.model, self.data
        q = np.array(state["q"])[self.q_index]
        root = model.joints[self.joints[self.root]]
        placement = model.jointPlacements[self.joints[self.root]]
        # A root that the file places away from the origin counts its coordinates from there.
        q[root.idx_q : root.idx_q + 3] -= placement.translation
        r = pin.Quaternion(*[float(x) for x in np.roll(q[root.idx_q + 3 : root.idx_q + 7], 1)]).toRotationMatrix()
        lin = slice(root.idx_v, root.idx_v + 3)
        # Velocity in the root's axes: E v. The matrix E also turns forces and inertias.
        turn = np.eye(model.nv)
        turn[lin, lin] = r.T
        v = turn @ np.array(state["qd"])[self.v_index]
        # d/dt (Rᵀ v) = Rᵀ a − ω × Rᵀ v.
        omega = v[root.idx_v + 3 : root.idx_v + 6]
        drift = np.zeros(model.nv)
        drift[lin] = -np.cross(omega, v[lin])
        acceleration = turn @ np.array(state["qdd"])[self.v_index] + drift
        pin.forwardKinematics(model, data, q)
        external = pin.StdVec_Force()
        for _ in range(model.njoints):
            external.append(pin.Force.Zero())
        point, force, moment = np.array(state["push"]).reshape(3, 3)
        joint = self.joints[state["push_link"]]
        rotation = data.oMi[joint].rotation
        local_force = rotation.T @ force
        external[joint] = pin.Force(local_force, rotation.T @ moment + np.cross(point, local_force))
        tau = pin.rnea(model, data, q, v, acceleration, external)
        ours = turn @ np.array(state["rnea"])[self.v_index]
        worst["rnea"] = max(worst["rnea"], relative(ours, tau))
        inertia = np.array(pin.crba(model, data, q))
        inertia = np.triu(inertia) + np.triu(inertia, 1).T
        ours = np.array(state["crba"]).reshape(model.nv, model.nv)[np.ix_(self.v_index, self.v_index)]
        worst["crba"] = max(worst["crba"], relative(turn @ ours @ turn.T, inertia))
        torque = turn @ np.array(state["torque"])[self.v_index]
        theirs = pin.aba(model, data, q, v, torque, external)
        ours = turn @ np.array(state["aba"])[self.v_index] + drift
        worst["aba"] = max(worst["aba"], relative(ours, theirs))
        pin.computeCentroidalMomentum(model, data, q, v)
        com = pin.centerOfMass(model, data, q, v)
        worst["com"] = max(worst["com"], relative(state["com"], com))
        worst["com velocity"] = max(worst["com velocity"], relative(state["com_velocity"], data.vcom[0]))
        worst["angular momentum"] = max(
            worst["angular momentum"], relative(state["angular_momentum"], data.hg.angular)
        )


def check_urdf(document):
    """The URDF loads with a floating base and has the body's mass and degrees of freedom."""
    model = pin.buildModelFromXML(document["urdf"], pin.JointModelFreeFlyer())
    mjcf = Pinocchio(document).model
    mass = lambda m: sum(inertia.mass for inertia in m.inertias)
    assert model.nv == mjcf.nv, f"{model.nv} degrees of freedom in the URDF, {mjcf.nv} in the MJCF"
    assert abs(mass(model) / mass(mjcf) - 1) < 1e-12, f"{mass(model)} kg in the URDF, {mass(mjcf)} kg in the MJCF"
    data = model.createData()
    rest = pin.neutral(model)
    inertia = pin.crba(model, data, rest)[:6, :6]
    data = mjcf.createData()
    whole = pin.crba(mjcf, data, pin.neutral(mjcf))[:6, :6]
    difference = relative(np.triu(inertia), np.triu(whole))
    assert difference < TOLERANCE, f"whole-body inertia differs by {difference}"
    return model.nv


with open(sys.argv[1]) as source:
    document = json.load(source)
quantities = ["rnea", "crba", "aba", "com", "com velocity", "angular momentum"]
print(f"| {len(document['states'])} random states, largest relative difference | {' | '.join(quantities)} |")
print("|---|" + "---|" * len(quantities))
failed = False
for oracle in [Pinocchio(document), Mujoco(document)]:
    worst = dict.fromkeys(quantities, 0.0)
    for state in document["states"]:
        oracle.compare(state, worst)
    failed |= not all(value < TOLERANCE for value in worst.values())
    print(f"| {oracle.name} | {' | '.join(f'{worst[q]:.1e}' for q in quantities)} |")
print(f"\nURDF: loads in {Pinocchio.name} with {check_urdf(document)} degrees of freedom, same mass and whole inertia.")
if failed:
    sys.exit(f"a difference exceeds {TOLERANCE}")
