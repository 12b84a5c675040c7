// SPDX-License-Identifier: MIT
// The page's controller and its plant go through the same bits as `tact mpc`: node test/viewer/follow.mjs WASM TRACE SCENE FILES...
import { readFileSync } from 'node:fs';
import { Engine } from '../../src/view/page/engine.js';
import { follow } from '../../src/view/page/follow.js';

const [wasm, trace, path, ...files] = process.argv.slice(2);
const engine = await Engine.load(readFileSync(wasm));
for (const name of [path, ...files]) engine.file(name, readFileSync(name, 'utf8'));
const lines = readFileSync(trace, 'utf8').trimEnd().split('\n');
// the methods of the page that make the loop, on what they need of it
const app = { ...follow, engine, settings: {}, counts: { reached: 0, dropped: 0 }, run: { goals: 'stay' }, status() {} };
app.plan = engine.plan(path);
const scene = engine.open(path, 'rigid', app.plantSettings(app.plan));
app.side = { scene, stage: { picture: { gravity: scene.header.options.gravity } } };
app.goal = [...app.plan.goal];
app.heldFor = app.part = 0;
scene.take(true);
app.plan.reset(scene.q.slice());
let tick = 0;
for (; tick + 2 < lines.length; tick++) {
    for (let i = 0; i < app.plan.parts; i++) {
        app.control();
        if (scene.step() < 0) throw new Error(`${path}: tick ${tick + 1} has no answer`);
        app.judge({});
    }
    const got = scene.line(tick + 1), wanted = lines[tick + 2];
    if (got === wanted) continue;
    let at = 0;
    while (got[at] === wanted[at]) at++;
    console.error(`${path}: tick ${tick + 1} differs at ${at}: got ${got.slice(at, at + 60)} wanted ${wanted.slice(at, at + 60)}`);
    process.exit(1);
}
if (app.counts.reached !== 1) {
    console.error(`${path}: reached ${app.counts.reached} times after ${tick} ticks`);
    process.exit(1);
}
console.log(`${tick} ticks, reached ${app.counts.reached}`);
