# SPDX-License-Identifier: MIT
"""Five fingertips of the notebook's hand at once, poses and all: `tact ik` beside SciPy's trust region with bounds from the same
starts. Forward kinematics is done here, from the robot file. Usage: ik_peer.py TACT COUNT SEED"""
import json
import subprocess
import sys

import numpy
from scipy.optimize import least_squares

tact, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = numpy.random.default_rng(seed)
bodies = json.load(open('data/robots/robotis_5f_hand.json'))['bodies']
parents = [[b['name'] for b in bodies].index(b['parent']) if b['parent'] != 'world' else -1 for b in bodies]
low, high = (numpy.array([b['joint']['limits'][k] for b in bodies], float) for k in (0, 1))
tips = [i for i in range(len(bodies)) if i not in parents]
POINT, WEIGHT = numpy.array([0.01, 0, 0.02]), 0.1


def cross(axis):
    x, y, z = axis
    return numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def turn(K, angle):
    """Rotations by the angles, an array of any shape, about the axis whose cross product is K."""
    angle = numpy.asarray(angle)[..., None, None]
    return numpy.eye(3) + numpy.sin(angle) * K + (1 - numpy.cos(angle)) * (K @ K)


def fixed(joint):
    r, p, y = joint.get('rpy', [0, 0, 0])
    X, Y, Z = (cross(axis) for axis in numpy.eye(3))
    return turn(Z, y) @ turn(Y, p) @ turn(X, r), numpy.array(joint.get('xyz', [0, 0, 0]), float)


places = [fixed(b['joint']) for b in bodies]
axes = [numpy.array(b['joint']['axis'], float) for b in bodies]
crosses = [cross(axis) for axis in axes]


def forward(q):
    """Rotations and places of the bodies; of q the last dimension is that of the joints, those before it number the poses."""
    R, p = [], []
    for i, body in enumerate(bodies):
        A, a = (R[parents[i]], p[parents[i]]) if parents[i] >= 0 else (numpy.eye(3), numpy.zeros(3))
        slides = body['joint']['type'] == 'prismatic'
        B, b = places[i]
        way = b + (B @ axes[i] * q[..., i, None] if slides else 0 * q[..., i, None])
        p.append(a + (A @ way[..., None])[..., 0])
        R.append(A @ B @ turn(crosses[i], 0 * q[..., i] if slides else q[..., i]))
    return R, p


def errors(q, aim):
    R, p = forward(q)
    out = []
    for i, (W, w) in zip(tips, aim):
        D = W @ numpy.swapaxes(R[i], -1, -2)
        skew = numpy.stack([D[..., 2, 1] - D[..., 1, 2], D[..., 0, 2] - D[..., 2, 0], D[..., 1, 0] - D[..., 0, 1]], -1) / 2
        sine, cosine = numpy.linalg.norm(skew, axis=-1), (numpy.trace(D, axis1=-2, axis2=-1) - 1) / 2
        small = sine <= 1e-12
        ratio = numpy.where(small, 1, numpy.arctan2(sine, cosine) / numpy.where(small, 1, sine))
        out += [p[i] + R[i] @ POINT - w, WEIGHT * skew * ratio[..., None]]
    return numpy.concatenate(out, -1)


def slopes(q, aim):
    """Difference quotients of the errors by each joint, all poses at once."""
    step = 1.5e-8 * numpy.maximum(1, abs(q))
    return ((errors(q + numpy.diag(step), aim) - errors(q, aim)) / step[:, None]).T


def quaternion(R):
    values, vectors = numpy.linalg.eigh(numpy.array([
        [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0], [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
        [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
        [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], numpy.trace(R)]]))
    x, y, z, w = vectors[:, -1]
    return [w, x, y, z]


lines, problems = [], []
for _ in range(count):
    R, p = forward(draw.uniform(low, high))
    aim, start = [(R[i], p[i] + R[i] @ POINT) for i in tips], draw.uniform(low, high)
    problems.append((aim, start))
    lines.append(json.dumps({
        'targets': [{'body': bodies[i]['name'], 'point': POINT.tolist(), 'position': w.tolist(), 'orientation': quaternion(W),
                     'angle_weight': WEIGHT} for i, (W, w) in zip(tips, aim)],
        'q': {b['joint']['name']: q for b, q in zip(bodies, start)}}))
said = subprocess.run([tact, 'ik', 'data/scenes/lesson.json'], input='\n'.join(lines) + '\n', capture_output=True, text=True)
answers = [json.loads(line) for line in said.stdout.splitlines()]
assert len(answers) == count, said.stderr
ours = theirs = restarts = 0
for answer, (aim, start) in zip(answers, problems):
    q = numpy.array([answer['q'][b['joint']['name']] for b in bodies])
    off = numpy.linalg.norm(errors(q, aim).reshape(-1, 6), axis=1)
    assert (low <= q).all() and (q <= high).all()
    # what is said is so, by other kinematics
    assert abs(off - answer['residual']).max() <= 1e-9, (off, answer['residual'])
    ours += answer['status'] == 'converged' and off.max() < 1e-6
    restarts += answer['restarts']
    other = least_squares(errors, start, slopes, bounds=(low, high), args=(aim,), xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=200)
    theirs += abs(other.fun).max() < 1e-6
print(f'{ours} of {count} reached ({restarts} restarts), {theirs} by SciPy from one start')
sys.exit(1 if ours < theirs or ours < count * 55 / 60 else 0)
