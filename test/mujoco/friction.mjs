// SPDX-License-Identifier: MIT
// Dry friction of joints, MuJoCo's frictionloss, there and by `tact run`: node friction.mjs TACT MODEL. One slide holds its weight
// and one falls with less than g; one hinge does not follow its drive and one stays behind its command by the friction over the
// stiffness. Both laws creep below the limit, MuJoCo by its constraint's softness.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import load from '@mujoco/mujoco';

const [tact, path] = process.argv.slice(2);
const mj = await load();
const model = mj.MjModel.from_xml_string(readFileSync(path, 'utf8')), data = new mj.MjData(model);
const joint = name => model.jnt_qposadr[mj.mj_name2id(model, mj.mjtObj.mjOBJ_JOINT.value, name)];
const work = mkdtempSync(join(tmpdir(), 'tact-friction-')), scene = join(work, 'scene.json');
const command = { sticks: 0.1, lags: 0.3 };
writeFileSync(scene, JSON.stringify({ tact: 1, options: { dt: 0.0001, robot_gravity: true }, robots: [{ file: resolve(path) }],
                                      command: { mode: 'fixed', q: command } }));
const run = (law, steps, ...more) => {
    const lines = execFileSync(tact, ['run', scene, '--law', law, '--steps', String(steps), '--quiet', '--trace', '-', ...more],
                               { encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).trim().split('\n');
    const q = JSON.parse(lines.at(-1)).q;
    return Object.fromEntries(JSON.parse(lines[0]).dofs.map((name, i) => [name, q[i]]));
};
// half a second with momentum, and where the law without momentum comes to rest
Object.values(command).forEach((value, i) => { data.ctrl[i] = value; });
const steps = 5000;
for (let i = 0; i < steps; i++) mj.mj_step(model, data);
const at = name => data.qpos[joint(name)], rigid = run('rigid', steps), barrier = run('barrier', 300, '--set', 'options.dt=0.01', '--set', 'gravity=[0,0,0]');
rmSync(work, { recursive: true });
const t = steps * 1e-4, fall = -(9.81 - 5) * t * t / 2;
const figures = [
    ['a held slide creeps, rigid', Math.abs(rigid.held), 1.1 * 9.81 / 12 * 1e-3 * t],
    ['a held slide creeps, MuJoCo', Math.abs(at('held')), 0.01],
    ['a fall beside (F - m g)/m', Math.abs(rigid.slips - fall) / -fall, 3e-3],
    ['a fall beside MuJoCo', Math.abs(rigid.slips - at('slips')) / -fall, 3e-3],
    ['a stuck hinge', Math.abs(rigid.sticks), 1e-3],
    ['a stuck hinge, MuJoCo', Math.abs(at('sticks')), 0.01],
    ['a hinge behind its command, beside MuJoCo', Math.abs(rigid.lags - at('lags')), 5e-3],
    ['a stuck hinge, barrier', Math.abs(barrier.sticks), 3e-3],
    ['behind its command by F/k, barrier', Math.abs(barrier.lags - (0.3 - 0.05)), 1.1e-2],
];
let good = true;
for (const [what, value, most] of figures) {
    good &&= value <= most;
    console.log(`${what}: ${value.toExponential(2)} (at most ${most.toExponential(1)})`);
}
process.exit(good ? 0 : 1);
