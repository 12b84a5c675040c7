// SPDX-License-Identifier: MIT
// What a person does with the page, done by a program: node test/viewer/browser.mjs FOLDER, with the pages made by run.sh.
// Tests wait for pictures that were drawn, never for time.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { chromium } from '../../src/view/page/node_modules/playwright-core/index.mjs';

const work = process.argv[2], shots = process.env.SHOTS, tact = process.env.TACT;
const browser = await chromium.launch({
    executablePath: process.env.BROWSER, headless: true, chromiumSandbox: false,
    args: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--disable-sync', '--disable-quic'] });
const said = [];
let failures = 0;
function check(name, good, more = '') {
    if (!good) failures++;
    console.log(`${good ? 'ok' : 'failed'} ${name}${good ? '' : ` ${typeof more === 'string' ? more : JSON.stringify(more)}`}`);
}

async function open(file, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1, ...options });
    page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('dialog', (dialog) => { said.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => !/^(file|data|blob):/.test(request.url()) && said.push(`request ${request.url()}`));
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => window.tact?.rendered > 1 || !document.getElementById('message').hidden, null, { timeout: 60000 });
    return page;
}
const drawn = (page, more = 3) => page.evaluate((n) => new Promise((done) => {
    const until = tact.rendered + n, look = () => (tact.rendered >= until ? done() : requestAnimationFrame(look));
    look();
}), more);
const steps = (page, count) => page.evaluate((n) => { tact.pause(); for (let i = 0; i < n; i++) tact.step(); }, count);
const body = (page, name) => page.evaluate((n) => { const b = tact.header.bodies.indexOf(n); return [...tact.side.stage.pose.slice(12 * b, 12 * b + 3)]; }, name);
const force = (page) => page.evaluate(() => { let sum = 0; const c = tact.frame.contacts; for (let i = 0; i < c.length; i += 14) sum += Math.hypot(c[i + 8], c[i + 9], c[i + 10]); return sum; });
const message = (page) => page.locator('#message').textContent();
// where a body is on the screen
const spot = (page, name) => page.evaluate((n) => {
    const b = tact.header.bodies.indexOf(n), p = tact.com(b), box = tact.canvas.getBoundingClientRect();
    const v = tact.camera.position.clone().fromArray(p).project(tact.camera);
    return [box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height];
}, name);

// a picture against the one kept, at a fifth of the size: pixels that differ by more than shades and letters do, 40 of 255
async function compare(page, name) {
    const bytes = await page.screenshot({ path: `${shots}/${name}.png` }), kept = new URL(`${name}.png`, import.meta.url);
    const shrink = (png) => page.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), { width: 256, height: 144 }), pen = canvas.getContext('2d');
        pen.drawImage(image, 0, 0, 256, 144);
        return { data: [...pen.getImageData(0, 0, 256, 144).data], url: canvas.toDataURL('image/png') };
    }, `data:image/png;base64,${png.toString('base64')}`);
    const got = await shrink(bytes);
    if (process.env.KEEP) writeFileSync(kept, Buffer.from(got.url.split(',')[1], 'base64'));
    if (!existsSync(kept)) return check(`picture ${name}`, false, 'none is kept: KEEP=1 keeps it');
    const wanted = await shrink(readFileSync(kept));
    let off = 0;
    for (let i = 0; i < got.data.length; i += 4) off += [0, 1, 2].some((k) => Math.abs(got.data[i + k] - wanted.data[i + k]) > 40);
    off /= got.data.length / 4;
    check(`picture ${name} is as kept`, off <= 0.01, `${(100 * off).toFixed(2)} % of its pixels are others`);
}

// ---- a ball falls, rests, is pulled and pushed
let page = await open(`${work}/ball_drop.html`);
const first = await page.evaluate(() => performance.getEntriesByType('paint').map((p) => p.startTime).concat(performance.now())[0]);
console.log(`first paint after ${Math.round(first)} ms`);
await drawn(page, 8);
check('the run is under way by itself', (await page.evaluate(() => tact.side.scene.steps)) > 0);
await page.evaluate(() => { tact.pause(); tact.reset(); });
await drawn(page, 2);
const high = (await body(page, 'ball'))[2];
await steps(page, 120);
await drawn(page);
const rest = (await body(page, 'ball'))[2], weight = await page.evaluate(() => tact.header.joints[0].mass * 9.81);
check('the ball falls', high - rest > 0.3, [high, rest]);
await steps(page, 60);
await drawn(page);
check('and rests', Math.abs((await body(page, 'ball'))[2] - rest) < 1e-4);
check('the force on it is its weight', Math.abs((await force(page)) - weight) < 1e-3 * weight, [await force(page), weight]);
check('arrows are drawn', (await page.evaluate(() => tact.side.stage.shafts.count)) === 1);
await page.evaluate(() => { tact.aim(1); });
await drawn(page);
let [x, y] = await spot(page, 'ball');
await page.mouse.move(x, y);
await page.mouse.down();
await page.mouse.move(x + 10, y - 40, { steps: 4 });
await page.mouse.move(x + 60, y - 120, { steps: 6 });
check('the mouse holds the ball', (await page.evaluate(() => tact.held)) >= 0);
await drawn(page, 25);
const pulled = await body(page, 'ball');
check('a drag moves the ball', pulled[2] - rest > 0.02, [rest, pulled]);
await page.mouse.move(x, y + 140, { steps: 6 });
await drawn(page, 25);
check('pushed on the table it pushes back', (await force(page)) > 1.5 * weight, [await force(page), weight]);
await page.mouse.up();
check('the mouse lets go', (await page.evaluate(() => tact.held)) === -1);
await page.keyboard.press('o');
check('a key holds it', (await page.evaluate(() => tact.held)) >= 0);
const before = await page.evaluate(() => tact.target[2]);
for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowUp');
check('arrows move it', (await page.evaluate(() => tact.target[2])) > before);
await page.keyboard.press('Escape');

// ---- options while it runs, the other laws, comparison
await page.evaluate(() => { tact.reset(); tact.setOption('kappa', 1000); });
await steps(page, 200);
await drawn(page);
const sag = 2 / (1000 * weight), radius = await page.evaluate(() => tact.side.stage.picture.shapes.find((s) => s.figure === 'ball' && s.body >= 0).size[0]);
const floor = await page.evaluate(() => tact.side.stage.picture.shapes.find((s) => s.figure === 'plane').p[2]);
check('kappa changed in the page: it rests at 2/(kappa m g)', Math.abs((await body(page, 'ball'))[2] - floor - radius - sag) < 1e-6, [await body(page, 'ball'), sag]);
await page.evaluate(() => tact.setOption('kappa', -1));
check('an impossible value is refused with a message', /kappa/.test(await message(page)));
const select = page.locator('#panel select').first();
for (const law of ['virtual', 'rigid']) {
    await select.selectOption(law);
    const now = await page.evaluate(() => tact.side.scene.header.law), text = await message(page);
    check(`law ${law}: taken, or refused with a reason`, now === law ? text === '' : text.length > 10, [now, text]);
    await steps(page, 5);
    await drawn(page);
}
await page.evaluate(() => tact.setLaw('barrier'));
await page.keyboard.press('k');
await drawn(page, 6);
check('two side by side', (await page.evaluate(() => tact.sides.length)) === 2 && (await page.locator('#side1').textContent()) === 'virtual');
await steps(page, 30);
await drawn(page);
const curves = await page.evaluate(() => {
    tact.updateCharts();
    const names = tact.charts.plots.map((c) => c.title), [force] = tact.charts.plots, apart = tact.charts.plots.at(-1).plot.data;
    const { sides } = tact, height = sides.map((side) => side.frames.at(-1).q[2]);
    return { names, beside: force.plot.data.length, used: force.used.length, apart: apart[1].at(-1), wanted: Math.hypot(...[0, 1, 2].map((i) => sides[0].frames.at(-1).q[i] - sides[1].frames.at(-1).q[i])), height,
             wide: tact.freeWidth(), all: tact.width };
});
check('each chart has the curves of both laws', curves.beside === 1 + 2 * curves.used && curves.names.at(-1) === 'ball: difference', curves);
check('and one has their difference', Math.abs(curves.apart - curves.wanted) < 1e-12 && curves.wanted > 0, curves);
check('both lie beside the panel', curves.wide < curves.all - 200, curves);
await page.evaluate(() => { tact.setCompare('none'); tact.setCompare('barrier'); });
await steps(page, 10);
await drawn(page);
check('the same law beside itself goes on alike', await page.evaluate(() => tact.sides[0].frames.at(-1).q.every((x, i) => x === tact.sides[1].frames.at(-1).q[i])));
await page.evaluate(() => { tact.setCompare('none'); tact.setCompare('virtual'); tact.aim(0); });
const beside = await page.evaluate(() => [tact.sides.length, tact.run.compare]), reason = await message(page);
check('another law beside it, or the reason why not', beside[0] === 2 ? beside[1] === 'virtual' : reason.length > 10, [beside, reason]);
await steps(page, 10);
await drawn(page);
await page.screenshot({ path: `${shots}/compare.png` });
await page.evaluate(() => { tact.message(''); tact.setCompare('none'); });
// ---- what is drawn of contacts, energy and the ball's way
await page.evaluate(() => { tact.reset(); tact.play(); });
await page.waitForFunction(() => tact.side.scene.steps > 60, null, { timeout: 60000 });
await page.evaluate(() => { tact.pause(); tact.show.cones = tact.show.normals = true; tact.changed = true; });
await drawn(page);
check('the way of the ball is drawn', await page.evaluate(() => { const { line } = tact.side.stage.trails[0]; return line.visible && line.geometry.drawRange.count > 5; }));
check('the world frame is there', await page.evaluate(() => tact.side.stage.axes.visible));
const [cone, mu] = await page.evaluate(() => {
    const { stage } = tact.side, e = stage.cones.instanceMatrix.array;
    return [Math.hypot(e[0], e[1], e[2]) / Math.hypot(e[4], e[5], e[6]), tact.header.pairs[tact.frame.contacts[0]].mu];
});
check('the cone of friction is as wide as mu', Math.abs(cone - mu) < 1e-6, [cone, mu]);
const shown = await page.evaluate(() => {
    const { stage } = tact.side, { energy } = stage, e = stage.shafts.instanceMatrix.array, c = tact.frame.contacts;
    const point = stage.points.instanceColor.array.slice(0, 3), force = Math.hypot(c[8], c[9], c[10]);
    return { energy, point: [...point], arrow: Math.hypot(e[4], e[5], e[6]), wanted: force * tact.newtons, gap: c[1], far: stage.far, joint: tact.header.joints[0], q: [...tact.frame.q], v: [...tact.frame.v] };
});
check('the arrow is as long as its scale says', Math.abs(shown.arrow - shown.wanted) < 1e-6 * shown.wanted, [shown.arrow, shown.wanted]);
check('a gap near 0 is red', shown.gap < 0.1 * shown.far && shown.point[0] > 0.7 && shown.point[2] < 0.3, [shown.gap, shown.point]);
const kinetic = shown.joint.mass * shown.v.slice(0, 3).reduce((sum, x) => sum + x * x, 0) / 2;
check('the energy of motion is m v^2/2', Math.abs(shown.energy.motion - kinetic) <= 1e-9 * Math.max(kinetic, 1e-6), [shown.energy, kinetic]);
const scale = await page.locator('#legend').textContent();
check('the legend has a scale with units', /[\d.e-]+ [nµm]*m = [\d.e-]+ N on ball/.test(scale.replace(/\s+/g, ' ')) && /gap 0 +[\d.]+ [nµm]*m/.test(scale.replace(/\s+/g, ' ')), scale);
check('charts have units, too', (await page.locator('.chart .title').allTextContents()).join() === 'normal force [N],gap [m],iterations,energy [J]');
await page.evaluate(() => { tact.show.cones = tact.show.normals = false; tact.setOption('kappa', 1000); tact.reset(); });
await steps(page, 30);
const state = await page.evaluate(() => tact.stateScene());
writeFileSync(`${work}/state.json`, state);
let checked = '';
try { checked = execFileSync(tact, ['run', `${work}/state.json`, '--steps', '0', '--quiet', '--trace', '-'], { encoding: 'utf8' }); } catch (error) { checked = error.message; }
const again = checked.split('\n')[1] ? JSON.parse(checked.split('\n')[1]).q : [];
check('the state, copied as a scene, is the same to the command', JSON.stringify(again) === JSON.stringify(await page.evaluate(() => [...tact.frame.q])), checked.slice(0, 300));
await page.close();

// ---- the hand: sliders, derivative, 500 steps to the bit
page = await open(`${work}/hand_lift.html`);
await page.evaluate(() => { tact.pause(); tact.reset(); });
const got = await page.evaluate(() => { for (let i = 0; i < 500; i++) tact.step(); return tact.side.scene.line(); });
check('500 steps in the page end as in the command, to the bit', got === readFileSync(`${work}/hand_lift.jsonl`, 'utf8').trimEnd().split('\n')[501]);
const spent = await page.evaluate(() => { const s = tact.side.scene, t = performance.now(); for (let i = 0; i < 300; i++) s.step(); return (performance.now() - t) / 300; });
console.log(`a step of the hand takes ${(1000 * spent).toFixed(0)} us in the page: at 60 a second ${(6 * spent).toFixed(2)} % of a core`);
await page.evaluate(() => { tact.reset(); });
await steps(page, 280);
await drawn(page, 4);
await compare(page, 'hand');
const ends = await page.evaluate(() => {
    const { floor, grid } = tact.side.stage;
    grid.geometry.computeBoundingBox();
    return [2 * grid.geometry.boundingBox.max.x - floor.geometry.parameters.width, grid.position.x - floor.position.x, grid.position.y - floor.position.y];
});
check('the floor ends with its grid', ends.every((x) => Math.abs(x) < 1e-6), ends);
const range = await page.evaluate(async () => {
    const { plot } = tact.charts.plots.find((c) => c.kind === 'iterations'), kept = plot.data;
    plot.setData([[0, 1], [3, 3 + 1e-14]]);
    await new Promise((done) => setTimeout(done));
    const { min, max } = plot.scales.y;
    plot.setData(kept);
    return [min, max];
});
check('a chart takes what differs by rounding as equal', range[0] === 0 && Math.abs(range[1] - 3) < 1e-9, range);
await page.evaluate(() => { tact.reset(); });
const tip = async () => (await body(page, 'finger_r_link_2_index4'));
await drawn(page, 2);
const tipBefore = await tip();
await page.evaluate(() => { const f = tact.panel.folders.find((x) => x._title.startsWith('Joints')); f.open(); });
const row = page.locator('#panel .lil-controller.lil-slider, #panel .controller.number.hasSlider, #panel .lil-number.lil-has-slider').filter({ hasText: 'index2' }).first();
const slider = row.locator('.slider, .lil-slider').first();
await slider.scrollIntoViewIfNeeded();
const box = await slider.boundingBox();
await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
await page.mouse.down();
await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 4 });
await page.mouse.up();
await steps(page, 20);
await drawn(page);
check('a slider bends the finger', Math.hypot(...(await tip()).map((v, i) => v - tipBefore[i])) > 0.01, [tipBefore, await tip()]);
check('by hand from then on', await page.evaluate(() => tact.run.manual));
check('within limits', await page.evaluate(() => tact.limits.every((l, k) => tact.side.scene.u[k] >= l.low - 1e-9 && tact.side.scene.u[k] <= l.high + 1e-9)));
await page.locator('#view').focus();
await page.evaluate(() => { tact.reset(); });
await steps(page, 150);
check('fingers are found', (await page.evaluate(() => tact.fingers.map((f) => f.name).join())) === 'thumb_1,index_1,middle_1,ring_1,little_1');
// what a step with the command a little further does to the ball is what the arrow says; the direction of a finger is of unit length
const [arrow, difference, unit] = await page.evaluate(() => {
    tact.run.derivative = true;
    tact.run.chosen = 'finger index_1';
    tact.update();
    const scene = tact.side.scene, way = [...scene.way], off = 1e-4, state = scene.frame(), ball = tact.header.joints[tact.object()].q;
    const go = (sign) => {
        scene.restore(state);
        scene.take(true);
        way.forEach((x, k) => (scene.u[k] = state.u[k] + sign * off * x));
        scene.step();
        return [...scene.q.slice(ball, ball + 3)];
    };
    const more = go(1), less = go(-1);
    scene.restore(state);
    scene.take(false);
    return [tact.slope, more.map((x, i) => (x - less[i]) / (2 * off)), Math.hypot(...way)];
});
check('a finger closes by one unit', Math.abs(unit - 1) < 1e-12, unit);
check('its arrow is what steps with more and less of it differ by', Math.hypot(...arrow.map((x, i) => x - difference[i])) < 1e-3 * Math.hypot(...arrow), [arrow, difference]);
await page.evaluate(() => { tact.run.derivative = true; tact.run.chosen = 'finger thumb_1'; tact.changed = true; });
await drawn(page);
const far = await page.evaluate(() => Math.hypot(...tact.slope)), touching = await page.evaluate(() => { let f = 0; for (let i = 0; i < tact.frame.contacts.length; i += 14) if (tact.header.pairs[tact.frame.contacts[i]].a === 'thumb_1') f = tact.frame.contacts[i + 1]; return f; });
await steps(page, 60);
await drawn(page);
const near = await page.evaluate(() => Math.hypot(...tact.slope));
check('before contact the finger moves the ball a little, and more when it is near', far > 0 && near > far, [far, touching, near]);
check('its arrow is there', await page.evaluate(() => tact.side.stage.slopeArrow.visible));
check('with its length and unit in words', /∂ball\/∂\(finger thumb_1\) = [\d.e-]+ [nµm]*m per rad of closing/.test(await page.locator('#slope').textContent()), await page.locator('#slope').textContent());
const past = await page.evaluate(() => {
    const { frames } = tact.side, k = frames.length - 41, scene = tact.engine.open(tact.path, tact.run.law, tact.settings), finger = tact.chosenFinger();
    tact.seek(k);
    tact.update();
    scene.restore(frames[k]);
    scene.take(true);
    scene.closeFinger(finger.tip, finger.top, tact.object());
    const wanted = scene.slope(tact.object()), got = [...tact.slope], sliders = Object.values(tact.values), now = [...frames.at(-1).u], then = [...frames[k].u];
    scene.close();
    tact.seek(Infinity);
    return { wanted, got, sliders, then, now };
});
check('of an earlier frame the arrow is that of its state', past.got.join() === past.wanted.join(), past);
check('and the sliders show its commands', past.sliders.join() === past.then.join(), past);
const closer = () => page.evaluate(() => tact.frame.contacts.length && (() => { const c = tact.frame.contacts; for (let i = 0; i < c.length; i += 14) if (tact.header.pairs[c[i]].a === 'thumb_1') return c[i + 1]; return 1; })());
await page.evaluate(() => tact.reset());
await steps(page, 60);
await page.evaluate(() => { tact.run.chosen = 'finger thumb_1'; });
const apart = await closer();
for (let i = 0; i < 8; i++) await page.keyboard.press(']');
await steps(page, 10);
await steps(page, 60);
check('a key closes the finger', (await closer()) < apart, [apart, await closer()]);
await page.keyboard.press('d');
// forces are those on the selected body
const signs = await page.evaluate(() => {
    const { stage } = tact.side, pair = tact.header.pairs.find((p) => p.a === 'thumb_1' && p.b === 'ball'), thumb = stage.picture.shapes.find((s) => s.name === 'thumb_1').body;
    const free = stage.sign(pair), turned = stage.sign({ a: 'ball', b: 'thumb_1' });
    stage.selected = thumb;
    const other = stage.sign(pair);
    stage.selected = -1;
    return [free, turned, other];
});
check('arrows show forces on the free body, or on the selected one', signs.join() === '1,-1,-1', signs);
const colours = await page.evaluate(() => { tact.updateCharts(); const [force] = tact.charts.plots; return force.used.map((p, i) => [p, force.plot.series[i + 1].stroke(), JSON.stringify(force.plot.series[i + 1].dash)]); });
await steps(page, 60);
const later = await page.evaluate(() => { tact.updateCharts(); const [force] = tact.charts.plots; return force.used.map((p, i) => [p, force.plot.series[i + 1].stroke(), JSON.stringify(force.plot.series[i + 1].dash)]); });
check('a pair keeps its colour', colours.length > 1 && later.every(([p, stroke, dash]) => colours.every(([q, s, d]) => p !== q || (s === stroke && d === dash))), [colours, later]);
const sizes = await page.evaluate(() => { const h = document.getElementById('charts').offsetHeight; return [h, ...[...document.querySelectorAll('.chart')].map((c) => c.offsetHeight)]; });
check('charts are of one height', new Set(sizes.slice(1)).size === 1 && sizes[0] === 198, sizes);

// names that begin alike, as those of a hand, are told apart in the legend, and all of them are seen
const tags = await page.evaluate(() => {
    const [force] = tact.charts.plots, names = tact.charts.names.pair, of = ['pinkie', 'index'].flatMap((f) => ['guard', 'tip'].map((s) => `right_${f}proximal_${s} – right_lowermetacarpal_guard`));
    tact.charts.names = { ...tact.charts.names, pair: Array.from({ length: Math.max(names.length, 4) }, (_, i) => of[i % 4].replace('_', `_${i}`)) };
    tact.charts.seen = null, force.used = [];
    tact.updateCharts();
    const spans = [...force.legend.children].map((s) => s.querySelector('i').textContent), box = force.legend.getBoundingClientRect();
    const out = { spans, fits: [...force.legend.children].every((s) => s.getBoundingClientRect().bottom <= box.bottom + 1) };
    tact.charts.names = { ...tact.charts.names, pair: names };
    tact.charts.seen = null, force.used = [];
    tact.updateCharts();
    return out;
});
check('long names of pairs are told apart', new Set(tags.spans).size === tags.spans.length && tags.fits && tags.spans.every((s) => s.length <= 20), tags);

// ---- keys, help, charts
for (const [key, what] of [['f', 'forces'], ['n', 'normals'], ['x', 'cones'], ['b', 'labels'], ['t', 'trails'], ['a', 'axes'], ['y', 'meshes']]) {
    const was = await page.evaluate((w) => tact.show[w], what);
    await page.keyboard.press(key);
    check(`key ${key}: ${what}`, (await page.evaluate((w) => tact.show[w], what)) !== was);
}
await drawn(page);
await page.screenshot({ path: `${shots}/everything.png` });
await page.keyboard.press('?');
check('? lists the keys', (await page.locator('#help[open] tr').count()) > 15);
check('and begins at its top', await page.evaluate(() => document.getElementById('help').scrollTop === 0 && document.querySelector('#help td').getBoundingClientRect().top > 0));
check('with the gestures', (await page.locator('#keys').textContent()).includes('drag the goal'));
await page.keyboard.press('Escape');
check('charts hold the run', await page.evaluate(() => { tact.updateCharts(); return tact.charts.plots[0].plot.data[0].length; }) > 100);
await page.keyboard.press('Home');
check('home is the first frame', (await page.evaluate(() => tact.index)) === 0);
const timeline = await page.locator('#timeline').boundingBox();
await page.mouse.click(timeline.x + timeline.width / 2, timeline.y + timeline.height / 2);
await drawn(page);
const middle = await page.evaluate(() => tact.index / (tact.side.frames.length - 1));
check('the timeline scrubs', Math.abs(middle - 0.5) < 0.1, String(middle));

await page.evaluate(() => tact.reset());
await page.keyboard.press('l');
check('the key passes over a law that refuses the scene', (await page.evaluate(() => !tact.takes('virtual') && tact.run.law === 'rigid')) && (await message(page)) === '', await message(page));
await page.keyboard.press('l');
check('and comes back to the first', (await page.evaluate(() => tact.run.law)) === 'barrier');

// ---- going on from an earlier frame
await page.evaluate(() => { tact.reset(); tact.takeOver(false); });
await steps(page, 300);
const [early, late, there] = await page.evaluate(() => {
    const late = tact.side.scene.line();
    tact.seek(120);
    return [tact.frame.step, late, tact.canGoOn()];
});
await drawn(page);
check('an earlier frame offers to go on from it', there && (await page.locator('#goon').isVisible()));
await page.locator('#goon').click();
check('what came after it is forgotten', await page.evaluate((n) => tact.side.frames.length === n + 1 && tact.side.scene.steps === n, early));
await steps(page, 300 - early);
check('and steps from there end as before, to the bit', (await page.evaluate(() => tact.side.scene.line())) === late);
await page.emulateMedia({ colorScheme: 'dark' });
await drawn(page, 4);
check('dark', (await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark');
await page.screenshot({ path: `${shots}/dark.png` });

// ---- files dropped on it
const drop = (path) => page.locator('#file').setInputFiles(path);
const quiet = () => page.waitForFunction(() => document.getElementById('message').textContent && !/^reading/.test(document.getElementById('message').textContent), null, { timeout: 60000 });
await drop(`${work}/long.jsonl`);
await page.waitForFunction(() => tact.trace?.frames.length === 2501, null, { timeout: 60000 });
await drawn(page);
check('a trace that is dropped is replayed', (await page.locator('#status').textContent()).includes('recorded run'));
await page.evaluate(() => { tact.pause(); tact.seek(1000); });
await drawn(page);
const line = JSON.parse(readFileSync(`${work}/long.jsonl`, 'utf8').split('\n')[1001]);
check('frame 1000 is what the trace says', JSON.stringify(await page.evaluate(() => [...tact.frame.q])) === JSON.stringify(line.q));
check('its contacts, too', (await page.evaluate(() => tact.side.stage.points.count)) === line.contacts.length);
const text = readFileSync(`${work}/hand_lift.jsonl`, 'utf8');
for (const [name, content, reason] of [
    ['cut off', text.slice(0, 30000), /line \d+: not JSON/], ['version 9', text.replace('"tact_trace":1', '"tact_trace":9'), /version 9/],
    ['other counts', text.replace(/"q":\[[^,]*,/, '"q":['), /"q" must hold/], ['no bodies', '{"tact_trace":1}\n', /no list "bodies"/]]) {
    writeFileSync(`${work}/odd.jsonl`, content);
    await page.evaluate(() => tact.message(''));
    await drop(`${work}/odd.jsonl`);
    await quiet();
    check(`a trace with ${name} is refused with its reason`, reason.test(await message(page)), await message(page));
    check('and the page goes on', (await page.evaluate(() => tact.sides.length)) === 1 && (await drawn(page), true));
}
// a run of 200 MB: whole files are never in memory
const lines = readFileSync(`${work}/long.jsonl`, 'utf8').trimEnd().split('\n'), huge = `${work}/huge.jsonl`, to = openSync(huge, 'w');
writeSync(to, `${lines[0]}\n`);
for (let k = 0, bytes = 0; bytes < 200e6; k++) {
    const text = lines[1 + k % (lines.length - 1)].replace(/"step":\d+,"t":[^,]*/, `"step":${k},"t":${k / 100}`);
    bytes += writeSync(to, `${text}\n`);
}
closeSync(to);
await page.evaluate(() => tact.message(''));
await drop(huge);
await page.waitForFunction(() => tact.trace?.every > 1, null, { timeout: 200000 });
rmSync(huge);
await drawn(page);
const large = await page.evaluate(() => ({ frames: tact.side.frames.length, every: tact.trace.every, steps: tact.side.frames.map((f) => f.step) }));
check('200 MB are read, and thinned to what the page can hold', large.frames > 1000 && large.frames <= 20000 && large.steps.every((s, i) => s === i * large.every), large.frames);
check('which is told', (await page.locator('#status').textContent()).includes(`1 step of ${large.every}`), await page.locator('#status').textContent());
await page.evaluate(() => tact.message(''));
writeFileSync(`${work}/lone.json`, readFileSync('data/scenes/cube_in_hand.json', 'utf8').replace('robotis_5f_hand.json', 'other_hand.json'));
await drop(`${work}/lone.json`);
await quiet();
check('a scene without its robot file says what is missing', /other_hand.json: not in this page/.test(await message(page)), await message(page));
await drop(['data/scenes/cube_in_hand.json', 'data/robots/robotis_5f_hand.json']);
await page.waitForFunction(() => tact.header.scene === 'cube_in_hand', null, { timeout: 30000 });
await drop(['data/scenes/incline.json']);
await page.waitForFunction(() => tact.header.scene === 'incline', null, { timeout: 30000 });
check('a scene that is dropped is opened', true);
// robots and meshes make scenes of their own
await drop(`${work}/arm/arm.urdf`);
await page.waitForFunction(() => tact.header.scene === 'arm', null, { timeout: 30000 });
check('a robot in URDF that is dropped is shown, and its missing meshes are named', /2 meshes are not among the files: prism.stl, none.stl/.test(await message(page)), await message(page));
await drop(`${work}/arm/meshes/prism.stl`);
await page.waitForFunction(() => tact.side.stage.skins.length > 0, null, { timeout: 30000 });
check('meshes that are dropped next are put on', /a mesh is not among the files: none.stl/.test(await message(page)), await message(page));
await steps(page, 20);
check('its joints hold', (await page.evaluate(() => tact.side.scene.statusName())) === 'converged');
await drop(`${work}/slider.xml`);
await page.waitForFunction(() => tact.header.scene === 'slider', null, { timeout: 30000 });
check('a robot in MJCF, too, with its drives', (await page.evaluate(() => tact.header.nu)) === 2);
await drop(`${work}/arm/meshes/prism.stl`);
await page.waitForFunction(() => tact.header.scene === 'prism', null, { timeout: 30000 });
check('a mesh alone', (await page.evaluate(() => tact.side.stage.skins.length)) === 1, await message(page));
writeFileSync(`${work}/broken.urdf`, readFileSync(`${work}/arm/arm.urdf`, 'utf8').replace('</link>', '</lonk>'));
await page.evaluate(() => tact.message(''));
await drop(`${work}/broken.urdf`);
await quiet();
check('a broken robot is refused with line and reason', /broken.urdf:\d+:\d+: .*wrong end tag: <link> of line \d+ is not closed/.test(await message(page)), await message(page));
await page.evaluate(() => tact.message(''));
writeFileSync(`${work}/notes.txt`, 'x');
await drop(`${work}/notes.txt`);
await quiet();
check('another file is told what the page takes', /notes.txt: not a file of this page/.test(await message(page)), await message(page));
writeFileSync(`${work}/warned.json`, readFileSync('data/scenes/ball_drop.json', 'utf8').replace('"bodies": [', '"bodies": [ { "name": "lone", "parent": "world", "mass": 1, "inertia": [0.1,0.1,0.1,0,0,0], "joint": { "name": "lone", "type": "free" } },'));
await drop(`${work}/warned.json`);
await page.waitForFunction(() => tact.header.bodies.includes('lone'), null, { timeout: 30000 });
check('warnings of a scene are shown', /moves freely, and none of its shapes is in a pair/.test(await message(page)), await message(page));
const free = await page.evaluate(() => { const box = document.getElementById('message').getBoundingClientRect(), view = document.getElementById('view').getBoundingClientRect(); return [box.right - view.left, tact.freeWidth() / 2]; });
check('they leave the middle of the view free', free[0] < free[1], free.join(' of '));
await page.close();

// ---- hostile names, a recorded run, planar, phone
page = await open(`${work}/hostile.html`);
await drawn(page, 5);
check('hostile names are shown as text', (await page.locator('#status').textContent()).includes('<script>alert(1)</script>'));
check('and make no elements', (await page.locator('img').count()) === 0 && (await page.locator('body script').count()) === 2);
await page.close();
page = await open(`${work}/trace.html`);
await drawn(page, 6);
check('the page of a trace replays it', await page.evaluate(() => tact.frame.t > 0 || tact.index > 0));
await page.evaluate(() => { tact.pause(); tact.seek(300); });
await drawn(page, 4);
await page.screenshot({ path: `${shots}/trace.png` });
await page.close();
// ---- a recorded run goes on from one of its steps
for (const name of ['origin', 'options']) {
    page = await open(`${work}/${name}.html`);
    await page.evaluate(() => { tact.pause(); tact.seek(200); });
    await drawn(page);
    await page.locator('#goon').click();
    check(`${name}: it is stepped from then on`, await page.evaluate(() => tact.canStep() && tact.side.frames.length === 201), await message(page));
    await steps(page, 150);
    const wanted = readFileSync(`${work}/${name === 'origin' ? 'two_fingers_disc' : name}.jsonl`, 'utf8').split('\n')[351];
    check(`${name}: to the bits that the command went on with`, (await page.evaluate(() => tact.side.scene.line())) === wanted);
    await page.close();
}
page = await open(`${work}/stranger.html`);
await page.evaluate(() => { tact.pause(); tact.seek(100); tact.goOn(); });
check('another scene is refused, with what differs', /is not the scene of this run: its \w+ are others/.test(await message(page)), await message(page));
check('and the run is still there', await page.evaluate(() => !tact.canStep() && tact.side.frames.length === 501));
await page.close();

// ---- a robot of URDF, with a mesh that is there and one that is not
page = await open(`${work}/robot.html`);
check('what cannot be drawn is told', /none.stl.*No such file.*drawn as limbs/.test(await message(page)), await message(page));
await page.locator('#message').click();
check('and a click closes the message', await page.locator('#message').isHidden());
const skin = await page.evaluate(() => {
    tact.pause();
    tact.reset();
    tact.update();
    const { stage } = tact.side, [mesh] = stage.skins;
    mesh.updateWorldMatrix(true, false);
    const box = mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrixWorld);
    return { count: stage.skins.length, visible: mesh.visible, body: tact.header.bodies[mesh.userData.body], low: box.min.toArray(), high: box.max.toArray(),
             limbs: stage.replaced.map((m) => [tact.header.bodies[m.userData.body], m.visible]) };
});
check('a mesh takes the place of its limb', skin.count === 1 && skin.visible && skin.body === 'left_lower' && skin.limbs.length > 0 && skin.limbs.every(([b, on]) => b === 'left_lower' && !on), skin);
check('where the link is, in metres', Math.abs(skin.low[2] - 0.1) < 1e-5 && Math.abs(skin.high[2] - 0.2) < 1e-5 && Math.abs(skin.high[0] - 0.03) < 1e-5, skin);
// sides that meet at 22.5 degrees are round, and the diagonal that cuts a side is not seen; its ends are flat
const off = await page.evaluate(() => {
    const { position, normal } = tact.side.stage.skins[0].geometry.attributes, off = [0, 0];
    for (let i = 0; i < position.count; i++) {
        const [x, y, u, v, w] = [position.getX(i), position.getY(i), normal.getX(i), normal.getY(i), normal.getZ(i)], flat = Math.abs(w) > 0.5;
        off[+flat] = Math.max(off[+flat], flat ? 1 - Math.abs(w) : 1 - (x * u + y * v) / Math.hypot(x, y));
    }
    return off;
});
check('normals of round sides and flat ends', off[0] < 1e-5 && off[1] < 1e-5, off);
await page.keyboard.press('y');
await drawn(page);
check('without meshes the limb is back', await page.evaluate(() => { const { stage } = tact.side; return !stage.skins[0].visible && stage.replaced[0].visible; }));
await page.keyboard.press('y');
await page.evaluate(() => tact.reset());
await steps(page, 100);
check('100 steps of it end as in the command, to the bit', (await page.evaluate(() => tact.side.scene.line())) === readFileSync(`${work}/robot.jsonl`, 'utf8').trimEnd().split('\n')[101]);
await drawn(page);
await page.screenshot({ path: `${shots}/robot.png` });
await page.close();
page = await open(`${work}/two_fingers_disc.html`);
await steps(page, 300);
await page.evaluate(() => { tact.reset(); });
await steps(page, 300);
await drawn(page, 4);
check('a planar scene has a flat camera', await page.evaluate(() => tact.camera.isOrthographicCamera === true && !tact.controls.enableRotate));
await compare(page, 'disc');
await page.close();
// ---- films
page = await open(`${work}/two_fingers_disc.html`);
for (const kind of await page.evaluate(() => [...tact.panel.folders.find((f) => f._title === 'File').controllers.find((c) => c.property === 'film')._values])) {
    const size = await page.evaluate(async (k) => {
        tact.run.film = k;
        tact.save = () => {};
        tact.lastFilm = null;
        tact.play();
        tact.toggleRecord();
        // a second, and on a busy machine as long as the film has one picture only
        const until = performance.now() + 1000, frame = () => new Promise((done) => requestAnimationFrame(done));
        while (performance.now() < until || tact.film.gif?.length < 2) await frame();
        tact.toggleRecord();
        while (!tact.lastFilm) await frame();
        const head = new Uint8Array(await tact.lastFilm.arrayBuffer());
        let pictures = 0;
        if (k === 'GIF') {
            const decoder = window.ImageDecoder && new ImageDecoder({ data: head, type: 'image/gif' });
            if (decoder) { await decoder.tracks.ready; await decoder.completed; pictures = decoder.tracks.selectedTrack.frameCount; await decoder.decode({ frameIndex: pictures - 1 }); }
        }
        return { bytes: head.length, head: [...head.slice(0, 6)], pictures, type: tact.lastFilm.type };
    }, kind);
    const good = { GIF: [0x47, 0x49, 0x46], WebM: [0x1a, 0x45, 0xdf] }[kind];
    if (kind !== 'GIF' && size.bytes === 0) { check(`no film as ${kind}, which is told`, (await message(page)).includes(kind)); continue; }
    check(`a film as ${kind}`, size.bytes > 100 && (!good || good.every((x, i) => size.head[i] === x)) && (kind !== 'GIF' || size.pictures !== 1), size);
}
await page.close();

// ---- a goal is followed, and dragged
page = await open(`${work}/fingertips_cube.html`);
await page.evaluate(() => { tact.pause(); tact.reset(); });
check('a scene with a goal offers to follow it', await page.locator('#follow').isVisible());
await page.locator('#follow').click();
await page.evaluate(() => { tact.pause(); tact.run.goals = 'stay'; });
const ticks = (n) => page.evaluate((k) => { const until = tact.counts.reached; for (let i = 0; i < k * tact.plan.parts && tact.counts.reached === until; i++) tact.step(); return { ...tact.counts, ...tact.frame.error, t: tact.frame.t }; }, n);
const way = await ticks(1500);
check('the controller reaches the goal', way.reached === 1 && way.position < 0.02 && way.angle < 0.25, way);
await drawn(page);
check('its errors, times and commands are drawn', (await page.locator('.chart .title').allTextContents()).join().startsWith('cube from its goal,solve [ms],commands'));
check('the plan is a fan of ghosts', await page.evaluate(() => tact.side.stage.fan.filter((g) => g.visible).length === tact.plan.horizon));
check('reached goals are counted', (await page.locator('#status').textContent()).includes('goals reached: 1'));
await page.screenshot({ path: `${shots}/follow.png` });
// the ghost goes with the mouse, in the plane of the picture; with shift it turns
const ghost = () => page.evaluate(() => { const box = tact.canvas.getBoundingClientRect(), v = tact.camera.position.clone().fromArray(tact.goal).project(tact.camera); return [box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height]; });
await page.evaluate(() => { tact.aim(3); });
await drawn(page);
[x, y] = await ghost();
const goalBefore = await page.evaluate(() => [...tact.goal]);
await page.mouse.move(x, y);
await page.mouse.down();
await page.mouse.move(x + 20, y, { steps: 3 });
await page.mouse.move(x + 40, y, { steps: 3 });
await page.mouse.up();
const [gx, gy] = await ghost(), goalAfter = await page.evaluate(() => [...tact.goal]);
check('the ghost goes where the mouse goes', Math.abs(gx - x - 40) < 8 && Math.abs(gy - y) < 4 && goalAfter.slice(3).join() === goalBefore.slice(3).join(), [x, y, gx, gy]);
await page.keyboard.down('Shift');
await page.mouse.move(gx, gy);
await page.mouse.down();
await page.mouse.move(gx + 30, gy, { steps: 3 });
await page.mouse.up();
await page.keyboard.up('Shift');
const turned = await page.evaluate(() => [...tact.goal]);
check('and turns with shift', turned.slice(0, 3).join() === goalAfter.slice(0, 3).join() && turned.slice(3).join() !== goalAfter.slice(3).join() && Math.abs(Math.hypot(...turned.slice(3)) - 1) < 1e-12, turned);
await page.evaluate((g) => { tact.goal = g; tact.turnGoal({ x: 0, y: 0, z: 1 }, -0.6); }, goalAfter);
const again2 = await ticks(2000);
check('the fingers follow it there', again2.reached === 2 && again2.position < 0.02 && again2.angle < 0.25, again2);
await page.keyboard.press('p');
check('a key ends it: the scene has its own law again', await page.evaluate(() => tact.plan === null && tact.side.scene.header.law === 'barrier' && !tact.side.stage.goalGroup), await message(page));
await steps(page, 3);
check('and goes on', (await page.evaluate(() => tact.frame.status)) === 'converged');
await page.close();
page = await open(`${work}/lesson.html`, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' });
await page.evaluate(() => { tact.pause(); tact.reset(); });
await steps(page, 40);
await drawn(page, 4);
check('on a phone nothing sticks out', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
check('a scene without a goal offers none', await page.locator('#follow').isHidden());
check('the panel is a sheet at the foot of the picture', await page.evaluate(() => { const p = document.getElementById('panel').getBoundingClientRect(), s = document.getElementById('stage').getBoundingClientRect(); return p.left === 0 && p.right === innerWidth && Math.abs(p.bottom - s.bottom) < 1; }));
check('its charts and panel are folded', await page.evaluate(() => document.body.classList.contains('nocharts') && tact.panel._closed));
await compare(page, 'phone');
await page.close();

check('no errors, no dialogs, no requests', said.length === 0, said.slice(0, 5));
await browser.close();
process.exitCode = failures ? 1 : 0;
