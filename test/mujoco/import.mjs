// SPDX-License-Identifier: MIT
// An MJCF model as MuJoCo compiles it against `tact import`: node import.mjs TACT MODEL.xml INERTIA. Masses, centres of mass and
// inertias of all bodies to 1e-9, the poses of `tact fk`, of bodies and sites, at random coordinates to 1e-12, and there the joint-space mass matrix, which
// inertia.c prints, to 1e-9 of sqrt(M_ii M_jj). Bodies that have a free joint stay where they start.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import load from '@mujoco/mujoco';

const [tact, path, inertia] = process.argv.slice(2);
const run = (args, input) => execFileSync(tact, args, { input, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] });
const mj = await load();

// the model's folder in the memory of MuJoCo's file system
const folder = dirname(path);
const copy = from => {
    const to = '/model/' + relative(folder, from);
    if (!statSync(from).isDirectory()) return mj.FS.writeFile(to, readFileSync(from));
    mj.FS.mkdir(to);
    for (const name of readdirSync(from)) copy(join(from, name));
};
copy(folder);
const model = mj.MjModel.from_xml_path('/model/' + basename(path));
const data = new mj.MjData(model);
const id = (type, name) => mj.mj_name2id(model, type.value, name);

const robot = JSON.parse(run(['import', path]));
const temporary = mkdtempSync(join(tmpdir(), 'tact-'));
const scene = join(temporary, 'scene.json');
writeFileSync(join(temporary, 'robot.json'), JSON.stringify(robot));
// a joint must begin within its limits
const start = {};
for (const { joint } of robot.bodies)
    if (joint.limits && !joint.mimic && (joint.limits[0] > 0 || joint.limits[1] < 0)) start[joint.name] = joint.limits[0];
writeFileSync(scene, JSON.stringify({ tact: 1, law: 'barrier', options: { epsilon: 0 }, robots: [{ file: 'robot.json' }], state: { q: start } }));

// a rotation matrix by row from MuJoCo's w, x, y, z
const matrix = ([w, x, y, z]) => [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z];
let off = 0, weighed = 0;
const differ = (got, wanted, scale) => { off = Math.max(off, Math.abs(got - wanted) / scale); };
for (const body of robot.bodies) {
    const b = id(mj.mjtObj.mjOBJ_BODY, body.name);
    if (b < 0) {
        if (body.mass) off = Infinity;
        continue;
    }
    const mass = model.body_mass[b], R = matrix([...model.body_iquat.subarray(4 * b, 4 * b + 4)]);
    differ(body.mass ?? 0, mass, Math.max(mass, 1e-6));
    if (mass > 0) for (let k = 0; k < 3; k++) differ((body.com ?? [0, 0, 0])[k], model.body_ipos[3 * b + k], 1);
    const d = model.body_inertia.subarray(3 * b, 3 * b + 3), size = Math.max(...d, 1e-12), I = body.inertia ?? [0, 0, 0, 0, 0, 0];
    [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]].forEach(([i, j], k) => {
        let wanted = 0;
        for (let n = 0; n < 3; n++) wanted += R[3 * i + n] * d[n] * R[3 * j + n];
        differ(I[k], wanted, size);
    });
    weighed++;
}

// MuJoCo's mass matrix in the velocities of Tact, T'M T with v = T v_tact: followers move with their leaders, and a free joint has
// (linear, angular in the body's axes) there and (angular, linear) here
const full = () => {
    mj.mj_comPos(model, data);
    mj.mj_crb(model, data);
    const n = model.nv, nv = header.nv, M = new mj.DoubleBuffer(n * n), T = Array.from({ length: n }, () => new Array(nv).fill(0));
    mj.mj_fullM(model, data, M);
    for (const { name, body, v, dofs } of header.joints) {
        // a joint may have no name there
        const named = id(mj.mjtObj.mjOBJ_JOINT, name), b = id(mj.mjtObj.mjOBJ_BODY, body);
        const j = named >= 0 ? named : b >= 0 ? model.body_jntadr[b] : -1, to = j < 0 ? -1 : model.jnt_dofadr[j];
        const R = j < 0 ? [] : data.xmat.subarray(9 * model.jnt_bodyid[j]);
        if (dofs === 1 && to >= 0) T[to][v] = 1;
        for (let k = 0; k < 3 && dofs === 6 && to >= 0; k++) {
            T[to + k][v + 3 + k] = 1;
            for (let i = 0; i < 3; i++) T[to + 3 + i][v + k] = R[3 * k + i];
        }
    }
    for (const joint of follows.keys()) {
        let leader = joint, ratio = 1;
        for (; follows.has(leader); leader = follows.get(leader).joint) ratio *= follows.get(leader).ratio;
        T[model.jnt_dofadr[id(mj.mjtObj.mjOBJ_JOINT, joint)]][header.joints.find(({ name }) => name === leader).v] = ratio;
    }
    const values = M.GetView(), MT = T.map((_, i) => T[0].map((_, b) => T.reduce((sum, row, j) => sum + values[n * i + j] * row[b], 0)));
    return T[0].map((_, a) => T[0].map((_, b) => T.reduce((sum, row, i) => sum + row[a] * MT[i][b], 0)));
};

let seed = 20261124, worst = 0, compared = 0;
const sites = new Set();
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const header = JSON.parse(execFileSync(inertia, [scene], { input: '', encoding: 'utf8' }));
const coordinates = [], matrices = [];
const follows = new Map(robot.bodies.filter(b => b.joint.mimic).map(b => [b.joint.name, b.joint.mimic]));
for (let round = 0; round < 20; round++) {
    const q = {}, at = name => model.jnt_qposadr[id(mj.mjtObj.mjOBJ_JOINT, name)];
    mj.mj_resetData(model, data);
    for (const { joint } of robot.bodies) {
        if (!['revolute', 'continuous', 'prismatic'].includes(joint.type) || joint.mimic) continue;
        const [low, high] = joint.limits ?? [-1, 1];
        q[joint.name] = low + (high - low) * random();
        const j = id(mj.mjtObj.mjOBJ_JOINT, joint.name);
        if (j >= 0) data.qpos[at(joint.name)] = q[joint.name];
    }
    const value = name => follows.has(name) ? follows.get(name).ratio * value(follows.get(name).joint) + follows.get(name).offset : q[name];
    for (const name of follows.keys()) data.qpos[at(name)] = value(name);
    mj.mj_kinematics(model, data);
    const row = [...header.q0];
    for (const joint of header.joints) if (joint.name in q) row[joint.q] = q[joint.name];
    coordinates.push(row.join(' '));
    matrices.push(full());
    const bodies = JSON.parse(run(['fk', scene], JSON.stringify({ q }) + '\n')).bodies;
    for (const [name, pose] of Object.entries(bodies)) {
        const body = id(mj.mjtObj.mjOBJ_BODY, name), site = id(mj.mjtObj.mjOBJ_SITE, name), at = body >= 0 ? body : site;
        if (at < 0) continue;
        const [x, R] = body >= 0 ? [data.xpos, data.xmat] : [data.site_xpos, data.site_xmat];
        for (let k = 0; k < 3; k++) worst = Math.max(worst, Math.abs(x[3 * at + k] - pose.p[k]));
        for (let k = 0; k < 9; k++) worst = Math.max(worst, Math.abs(R[9 * at + k] - pose.R[k]));
        compared++;
        if (body < 0) sites.add(name);
    }
}
let apart = 0;
const printed = execFileSync(inertia, [scene], { input: coordinates.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 28 }).trim().split('\n').slice(1);
if (header.nv > 0 && printed.length !== matrices.length) apart = Infinity;
for (let round = 0; round < printed.length && header.nv > 0; round++) {
    const got = JSON.parse(printed[round]), M = matrices[round], n = header.nv;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) apart = Math.max(apart, Math.abs(got[n * i + j] - M[i][j]) / Math.sqrt(M[i][i] * M[j][j]));
}
rmSync(temporary, { recursive: true });
// every body of MuJoCo's that has a name is there, and every site that has one which no body has
let missing = 0;
for (let s = 0; s < model.nsite; s++) {
    const name = mj.mj_id2name(model, mj.mjtObj.mjOBJ_SITE.value, s);
    // without a name the binding reads one from address 0, which is no site's
    if (id(mj.mjtObj.mjOBJ_SITE, name) === s && id(mj.mjtObj.mjOBJ_BODY, name) < 0 && !sites.has(name)) missing++;
}
let named = 0;
for (let b = 1; b < model.nbody; b++) named += robot.bodies.some(body => id(mj.mjtObj.mjOBJ_BODY, body.name) === b);
console.log(`${path}: ${weighed} masses within ${off.toExponential(1)}, ${compared} poses within ${worst.toExponential(1)}, ` +
    `mass matrix of ${header.nv} within ${apart.toExponential(1)}, ${sites.size} sites`);
process.exit(compared > 0 && worst < 1e-12 && off < 1e-9 && apart < 1e-9 && named === weighed && missing === 0 ? 0 : 1);
