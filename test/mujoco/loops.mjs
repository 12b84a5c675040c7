// SPDX-License-Identifier: MIT
// The four-bars of the Robotiq 2F-85 over its stroke, in MuJoCo and by `tact run`: node loops.mjs TACT MODEL. Without weight and
// meshes, which MuJoCo does not find in a text; the joints are compared where both have come to rest.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import load from '@mujoco/mujoco';

const [tact, path] = process.argv.slice(2);
const mj = await load();
const text = readFileSync(path, 'utf8')
    .replace(/<mesh [^>]*file[^>]*\/>/g, '')
    .replace(/<geom class="(visual|collision)"[^>]*\/>/g, '')
    .replace(/<body name="\w+_silicone_pad">\s*<\/body>/g, '')
    .replace(/<option [^>]*\/>/, '<option gravity="0 0 0" timestep="0.0005"/>')
    .replace(/<geom mass="0"/g, '<geom contype="0" conaffinity="0" mass="0"');
const model = mj.MjModel.from_xml_string(text), data = new mj.MjData(model);
const joint = (name) => model.jnt_qposadr[mj.mj_name2id(model, mj.mjtObj.mjOBJ_JOINT.value, name)];
const work = mkdtempSync(join(tmpdir(), 'tact-loops-')), scene = join(work, 'scene.json');
writeFileSync(scene, JSON.stringify({ tact: 1, gravity: [0, 0, 0], robots: [{ file: resolve(path), fit: 'none' }],
                                      command: { mode: 'fixed', q: { left_driver_joint: 0 } } }));
let worst = 0, driver = 0;
for (const angle of [0.1, 0.3, 0.5, 0.7]) {
    mj.mj_resetData(model, data);
    data.ctrl[0] = angle * 255 / 0.8;
    for (let i = 0; i < 12000; i++) mj.mj_step(model, data);
    for (const law of ['barrier', 'rigid']) {
        const lines = execFileSync(tact, ['run', scene, '--law', law, '--set', `command.q.left_driver_joint=${angle}`, '--steps', '600',
                                          '--quiet', '--trace', '-'], { encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
        const rows = lines.trim().split('\n'), names = JSON.parse(rows[0]).dofs, q = JSON.parse(rows.at(-1)).q;
        names.forEach((name, i) => {
            const off = Math.abs(q[i] - data.qpos[joint(name)]);
            worst = Math.max(worst, off);
            if (name === 'left_driver_joint') driver = Math.max(driver, off);
        });
    }
}
rmSync(work, { recursive: true });
console.log(`${path}: drivers differ by ${driver.toExponential(1)} rad, other joints by ${worst.toExponential(1)} at most`);
process.exit(driver < 1e-4 && worst < 1e-3 ? 0 : 1);
