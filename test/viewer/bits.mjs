// SPDX-License-Identifier: MIT
// The WebAssembly build steps a scene to the same bits as the native one: node test/viewer/bits.mjs WASM TRACE STEPS SCENE FILES...
import { readFileSync } from 'node:fs';
import { Engine } from '../../src/view/page/engine.js';

const [wasm, trace, steps, scene, ...files] = process.argv.slice(2);
const engine = await Engine.load(readFileSync(wasm));
for (const path of [scene, ...files]) engine.file(path, readFileSync(path, 'utf8'));
const world = engine.open(scene), lines = readFileSync(trace, 'utf8').trimEnd().split('\n');
const check = (got, wanted, line) => {
    if (got === wanted) return;
    let at = 0;
    while (got[at] === wanted[at]) at++;
    console.error(`${scene}: line ${line} differs at ${at}: got ${got.slice(at, at + 60)} wanted ${wanted.slice(at, at + 60)}`);
    process.exit(1);
};
if (lines.length !== Number(steps) + 2) {
    console.error(`${trace}: ${lines.length} lines for ${steps} steps`);
    process.exit(1);
}
check(world.first, lines[0], 1);
check(world.line(0), lines[1], 2);
const begin = performance.now();
for (let k = 2; k < lines.length; k++) {
    world.step();
    check(world.line(k - 1), lines[k], k + 1);
}
console.log(`${lines.length - 2} steps, ${world.statusName()}, ${((performance.now() - begin) / (lines.length - 2) * 1000).toFixed(0)} us a step and line`);
