// SPDX-License-Identifier: MIT
// A scene in MuJoCo against `tact fk` and `tact check`: node compare.mjs TACT SCENE. Reads MJCF from tact convert and poses of random
// coordinates; prints the largest differences and fails beyond rounding.
import { execFileSync } from 'node:child_process';
import load from '@mujoco/mujoco';

const [tact, scene] = process.argv.slice(2);
const run = (args, input) => execFileSync(tact, args, { input, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] });
const mj = await load();
const model = mj.MjModel.from_xml_string(run(['convert', scene]));
const data = new mj.MjData(model);
const id = (type, name) => mj.mj_name2id(model, type.value, name);

// joints of one coordinate, turned at random by a generator of its own; all others stay at their initial values
let seed = 20261124;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const header = JSON.parse(run(['run', scene, '--steps', '0', '--quiet', '--trace', '-']).split('\n')[0]);
let worst = 0, compared = 0;
for (let round = 0; round < 20; round++) {
    const q = {};
    mj.mj_resetDataKeyframe(model, data, 0);
    for (const name of header.dofs) {
        const joint = id(mj.mjtObj.mjOBJ_JOINT, name);
        if (joint < 0 || name.includes('.')) continue;
        const low = model.jnt_range[2 * joint], high = model.jnt_range[2 * joint + 1];
        q[name] = low < high ? low + (high - low) * random() : 2 * random() - 1;
        data.qpos[model.jnt_qposadr[joint]] = q[name];
    }
    // joints that mimic others: q1 = c0 + c1 q2
    const width = model.neq > 0 ? model.eq_data.length / model.neq : 0;
    for (let e = 0; e < model.neq; e++) {
        if (model.eq_type[e] !== mj.mjtEq.mjEQ_JOINT.value) continue;
        const follower = model.jnt_qposadr[model.eq_obj1id[e]], leader = model.jnt_qposadr[model.eq_obj2id[e]];
        data.qpos[follower] = model.eq_data[width * e] + model.eq_data[width * e + 1] * data.qpos[leader];
    }
    mj.mj_kinematics(model, data);
    const bodies = JSON.parse(run(['fk', scene], JSON.stringify({ q }) + '\n')).bodies;
    for (const [name, pose] of Object.entries(bodies)) {
        const body = id(mj.mjtObj.mjOBJ_BODY, name);
        if (body < 0) continue;
        for (let k = 0; k < 3; k++) worst = Math.max(worst, Math.abs(data.xpos[3 * body + k] - pose.p[k]));
        for (let k = 0; k < 9; k++) worst = Math.max(worst, Math.abs(data.xmat[9 * body + k] - pose.R[k]));
        compared++;
    }
}
console.log(`${scene}: ${compared} poses, largest difference ${worst.toExponential(1)}`);
process.exit(compared > 0 && worst < 1e-12 ? 0 : 1);
