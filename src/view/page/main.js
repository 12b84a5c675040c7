// SPDX-License-Identifier: MIT
// The page: a scene that is stepped here, or a run that was recorded, with everything one can do to it.
import * as THREE from 'three';
import wasm from './tact.wasm';
import chartStyle from 'uplot/dist/uPlot.min.css';
import style from './style.css';
import { camera } from './camera.js';
import { Charts } from './charts.js';
import { derivative, findFingers } from './derivative.js';
import { Engine, Refused } from './engine.js';
import { files } from './files.js';
import { follow } from './follow.js';
import { hold } from './hold.js';
import { listKeys, pressKey } from './keys.js';
import { laws } from './laws.js';
import { panel } from './panel.js';
import { filmKinds, record } from './record.js';
import { Stage } from './stage.js';
import { length, short } from './text.js';
import { time } from './time.js';
import { readTrace } from './trace.js';

const $ = (id) => document.getElementById(id);
const largest = (contacts) => {
    let most = 0;
    for (let i = 0; i < contacts.length; i += 14) most = Math.max(most, Math.hypot(contacts[i + 8], contacts[i + 9], contacts[i + 10]));
    return most;
};

// What the page holds; its methods are in the files of their ideas, which are put together below.
class App {
    constructor() {
        this.dark = matchMedia('(prefers-color-scheme: dark)').matches;
        this.run = { playing: true, speed: 1, law: 'barrier', compare: 'none', manual: false, chosen: '', derivative: false, friction: 1, arrows: 1, goals: 'next', film: filmKinds()[0] };
        this.show = { forces: true, points: true, normals: false, cones: false, labels: false, trails: true, axes: true, shadows: true, meshes: true, edges: true, plan: true };
        this.settings = {};
        this.sides = [];  // one, or two to compare: scene, stage, frames
        this.index = 0;
        this.due = 0;
        this.rendered = 0;
        this.solver = 0;
        this.held = -1;
        this.selected = -1;
        this.warnings = [];
        this.wanted = null;  // a scene of dropped files whose meshes are missing
        this.plan = null;
        this.canvas = $('view');
        this.fit();
        this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        // also to the same ratio this would make the picture's memory anew
        if (devicePixelRatio !== 1) this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.charts = new Charts($('charts'), (t) => this.pickTime(t));
        this.listen();
        this.theme();
    }

    // files: name -> text, or of arrays bytes or {base64}; path: of the scene among them; meshes: as tact view lists them, true: to
    // be found among the files
    know({ path, files, settings = [], meshes = null }) {
        for (const [name, content] of Object.entries(files)) this.engine.file(name, content);
        this.path = path;
        this.files = files;
        this.meshes = meshes;
        this.settings = Object.fromEntries(settings.map((set) => [set.slice(0, set.indexOf('=')), set.slice(set.indexOf('=') + 1)]));
    }

    openScene(path, files, { law = '', settings = [], meshes = null } = {}) {
        const before = { path: this.path, files: this.files, meshes: this.meshes, settings: this.settings };
        let scene;
        try {
            this.know({ path, files, settings, meshes });
            scene = this.engine.open(path, law, this.settings);
            if (meshes === true) this.meshes = this.engine.meshes(path);
        } catch (error) {
            Object.assign(this, before);
            throw error;
        }
        this.trace = null;
        this.run.manual = false;
        this.replaceSides([this.makeSide(scene)]);
        this.begin();
        this.warnings = scene.warnings;
        this.warn();
    }

    openTrace(trace) {
        const picture = this.engine.picture(trace.first), { frames } = trace, every = Math.ceil(frames.length / 30);
        if (picture.nq !== frames[0].q.length || picture.nv !== frames[0].v.length) throw new Refused('the states do not fit the bodies');
        const kept = frames.filter((_, i) => i % every === 0);
        picture.header.places = kept.map((f) => f.q);
        picture.header.forces = kept.map((f) => largest(f.contacts));
        this.trace = trace;
        this.replaceSides([{ stage: new Stage(picture, this.dark, this.meshes), frames }]);
        this.begin();
    }

    makeSide(scene) {
        const picture = this.engine.picture(scene.first);
        Object.assign(picture.header, this.foresee(scene));
        this.foreseeGoal(picture.header);
        return { scene, stage: new Stage(picture, this.dark, this.meshes), frames: [scene.frame()] };
    }

    // Where it will go in a while, with which forces; a shorter while for large scenes. Never by the clock: pictures are to repeat.
    foresee(scene) {
        const places = [scene.q.slice()], forces = [], size = scene.header.pairs.length + scene.header.nv;
        const count = Math.max(20, Math.min(200, Math.floor(20000 / size)));
        for (let k = 1; k <= count && scene.step() >= 0; k++) {
            if (k % 20 === 0) places.push(scene.q.slice());
            forces.push(largest(scene.contacts()));
        }
        scene.reset();
        return { places, forces };
    }

    // the pose that the scene's goal wants is in the view, too
    foreseeGoal(header) {
        const goal = this.sceneGoal(), joint = header.joints[header.bodies.indexOf(goal?.body)];
        if (joint?.type !== 'free' || joint.parent !== 'world') return;
        const q = header.places[0].slice();
        q.set(goal.position, joint.q);
        if (goal.orientation) q.set(goal.orientation, joint.q + 3);
        header.places.push(q);
    }
    sceneGoal() {
        const text = this.path && this.files[this.path];
        if (typeof text !== 'string' || !/"goal"\s*:/.test(text)) return null;
        const { goal } = JSON.parse(text);
        return Array.isArray(goal?.position) ? goal : null;
    }

    replaceSides(sides) {
        this.plan?.close();
        this.plan = null;
        for (const side of this.sides) {
            this.dropProbe(side);
            side.scene?.close();
            side.stage.dispose();
        }
        this.sides = sides;
    }

    begin() {
        const { header } = this;
        this.index = 0;
        this.due = 0;
        this.held = this.selected = -1;
        this.taking = null;
        this.hasGoal = false;
        this.run.law = header.law;
        this.run.compare = 'none';
        this.fingers = findFingers(this.side.stage.picture);
        this.run.chosen = this.choices()[0] ?? '';
        this.message('');
        document.title = `${header.scene || 'scene'} – Tact`;
        this.scaleArrows();
        this.aim(0);
        this.changed = true;
        // the first picture does not wait for what is around it
        if (this.rendered > 0) this.buildRest();
    }
    buildRest() {
        // only the laws of plan and plant can tell
        this.hasGoal = Boolean(this.side.scene && this.sceneGoal()?.body && this.takes('barrier') && this.takes('rigid'));
        this.buildPanel();
        this.buildCharts();
        this.status();
        this.changed = true;
    }

    get side() {
        return this.sides[0];
    }
    get frame() {
        return this.side.frames[this.index];
    }
    get header() {
        return this.side.stage.picture.header;
    }

    // a large force of the run, or the weight of the heaviest object where none is known, as a part of the picture
    scaleArrows() {
        const { picture } = this.side.stage, g = Math.hypot(...picture.gravity) || 9.81;
        const forces = picture.header.forces.filter((x) => x > 0).sort((a, b) => a - b);
        const weight = Math.max(0, ...picture.header.joints.filter((_, b) => !picture.robot[b]).map((j) => (j.mass ?? 0) * g));
        this.setScale(forces.length > 10 ? forces[Math.floor(0.9 * forces.length)] : weight);
    }
    setScale(most) {
        this.most = most || 1;
        this.newtons = (0.22 * this.side.stage.size) / this.most;
        // a round number for the legend
        const step = 10 ** Math.floor(Math.log10(this.most));
        this.legendForce = [5, 2, 1].map((k) => k * step).find((x) => x <= this.most) ?? step;
    }
    // where forces have been much larger for a while than was foreseen, arrows become shorter
    adaptScale() {
        const seen = this.side.frames.slice(Math.max(0, this.index - 20), this.index + 1).map((f) => largest(f.contacts)).sort((a, b) => a - b);
        if (seen[seen.length >> 1] > 2.5 * this.most) this.setScale(seen[seen.length >> 1]);
    }

    update() {
        this.changed = false;
        this.adaptScale();
        this.sides.forEach((side) => {
            const { stage } = side, frame = side.frames[Math.min(this.index, side.frames.length - 1)];
            Object.assign(stage.show, this.show);
            stage.selected = this.held >= 0 ? this.held : this.selected;
            stage.newtons = this.newtons * this.run.arrows;
            stage.update(frame, side.lastFrame !== frame && this.run.playing);
            side.lastFrame = frame;
        });
        if (this.plan) this.side.stage.placeGoal(this.index === this.side.frames.length - 1 ? this.goal : this.frame.goal ?? this.goal);
        this.drawDerivative();
        this.status();
        const timeline = $('timeline');
        timeline.max = this.side.frames.length - 1;
        timeline.value = this.index;
        timeline.setAttribute('aria-valuetext', `${this.frame.t.toFixed(3)} s`);
        if (!document.body.classList.contains('nocharts') && (!this.run.playing || this.rendered % 6 === 0)) this.updateCharts();
        if (this.panel && this.rendered % 10 === 0 && !this.run.manual) this.readCommands();
    }

    status() {
        const f = this.sides.length ? this.frame : null, { far } = this.sides[0]?.stage ?? {};
        if (!f) return;
        const { header } = this, parts = [`law ${this.side.scene?.header.law ?? header.law}`, `step ${f.step}`, `${f.iterations} iterations`, f.status];
        if (this.plan) parts.push(...this.followStatus());
        if (this.held >= 0) parts.push(`holding ${header.bodies[this.held]}`);
        if (!this.canStep()) parts.push(this.trace.every > 1 ? `long recorded run, 1 step of ${this.trace.every}` : 'recorded run');
        $('status').replaceChildren(header.scene || 'scene', Object.assign(document.createElement('span'), { textContent: `  ·  ${parts.join('  ·  ')}` }));
        $('clock').textContent = `${f.t.toFixed(2)} s`;
        const { selected, loose } = this.side.stage, whom = selected >= 0 ? header.bodies[selected] : loose.length === 1 ? header.bodies[loose[0]] : 'each free body';
        $('scale').textContent = `${length(this.legendForce * this.newtons * this.run.arrows)} = ${short(this.legendForce)} N on ${whom}`;
        $('far').textContent = Number.isFinite(far) ? length(far) : '';
        $('slope').textContent = this.slope ? `∂${header.bodies[this.object()]}/∂(${this.run.chosen}) = ${this.slopeText()}` : '';
        const icon = this.run.playing ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5v11l9-5.5z', play = $('play');
        if (play.dataset.icon !== icon) play.querySelector('path').setAttribute('d', (play.dataset.icon = icon));
        play.setAttribute('aria-label', this.run.playing ? 'Pause' : 'Play');
        $('follow').hidden = !this.hasGoal;
        $('follow').setAttribute('aria-pressed', Boolean(this.plan));
        $('record').setAttribute('aria-pressed', Boolean(this.film));
        $('goon').hidden = !this.canGoOn();
    }
    slopeText() {
        const finger = this.chosenFinger(), unit = finger ? 'rad' : this.unitOf(this.chosenJoint());
        return `${length(Math.hypot(...this.slope))} per ${unit}${finger ? ' of closing' : ''}`;
    }

    buildCharts() {
        const { header } = this, two = this.sides.length > 1, body = this.plan?.body ?? this.object();
        this.charts.build({ pairs: header.pairs.map((p) => `${p.a} – ${p.b}`), commands: header.commands, object: header.bodies[body] ?? 'object',
                            mode: this.plan ? 'follow' : two ? 'compare' : '', laws: two ? this.sides.map((side) => side.scene.header.law) : [] });
        this.changed = true;
    }
    updateCharts() {
        const energy = (k) => (f) => this.sides[k]?.stage.picture.move(f.q, f.v), ways = { energy: energy(0), otherEnergy: energy(1), apart: (f, other) => this.apart(f, other) };
        this.charts.update(this.sides.map((side) => side.frames), ways, this.index);
    }
    // of the object in two frames: metres and radians
    apart(frame, other) {
        const body = this.object(), { picture } = this.side.stage;
        if (body < 0) return [null, null];
        const a = picture.move(frame.q, frame.v).pose.slice(12 * body, 12 * body + 12), b = picture.move(other.q, other.v).pose.subarray(12 * body, 12 * body + 12);
        let trace = 0;
        for (let i = 3; i < 12; i++) trace += a[i] * b[i];
        return [Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), Math.acos(Math.max(-1, Math.min(1, (trace - 1) / 2)))];
    }
    toggleCharts() {
        document.body.classList.toggle('nocharts');
        this.changed = true;
        setTimeout(() => this.charts.resize());
    }

    message(text) {
        $('message').textContent = text;
        $('message').hidden = !text;
    }
    // what the scene's reader warns of, and more lines before that
    warn(before = []) {
        const lines = [...before, ...this.warnings.slice(0, 3)], more = this.warnings.length - 3;
        if (more > 0) lines.push(`${more} more warning${more > 1 ? 's' : ''}: tact check ${this.path}`);
        this.message(lines.join('\n'));
    }
    flash(text) {
        this.message(text);
        setTimeout(() => $('message').textContent === text && this.message(''), 6000);
    }
    // error: thrown, or a text
    refuse(error) {
        this.message(String(error?.message ?? error).slice(0, 2000));
        if (error instanceof Error && !(error instanceof Refused)) console.warn(error);
    }

    theme() {
        document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
        this.sides.forEach((side) => side.stage.theme(this.dark));
        if (this.sides.length && this.rendered > 0) this.buildCharts();
        this.changed = true;
    }
    toggleHelp() {
        const help = $('help');
        help.open ? help.close() : help.showModal();
        help.scrollTop = 0;
    }

    listen() {
        const { canvas } = this, on = (id, call) => $(id).addEventListener('click', () => this.sides.length && call());
        canvas.addEventListener('pointerdown', (e) => this.sides.length && this.grab(e), true);
        canvas.addEventListener('pointermove', (e) => this.pull(e));
        for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, (e) => this.drop(e));
        on('play', () => this.toggle());
        on('forward', () => this.single(1));
        on('back', () => this.single(-1));
        on('reset', () => this.reset());
        on('goon', () => this.goOn());
        on('follow', () => this.toggleFollow());
        on('record', () => this.toggleRecord());
        on('chartsof', () => this.toggleCharts());
        on('keysof', () => this.toggleHelp());
        $('message').addEventListener('click', () => this.message(''));
        $('close').addEventListener('click', () => this.toggleHelp());
        $('timeline').addEventListener('input', (e) => { this.pause(); this.seek(+e.target.value); });
        $('file').addEventListener('change', (e) => { this.openFiles(e.target.files); e.target.value = ''; });
        addEventListener('dragover', (e) => e.preventDefault());
        addEventListener('drop', (e) => { e.preventDefault(); if (e.dataTransfer.files.length) this.openFiles(e.dataTransfer.items); });
        addEventListener('keydown', (e) => pressKey(this, e));
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => { this.dark = e.matches; this.theme(); });
        listKeys($('keys'));
    }

    loop() {
        let last;
        const tick = (now) => {
            requestAnimationFrame(tick);
            const seconds = last === undefined ? 0 : Math.max(0, (now - last) / 1000);
            last = now;
            if (!this.sides.length) return;
            if (this.rendered === 1) this.buildRest();
            this.advance(seconds);
            this.draw();
        };
        requestAnimationFrame(tick);
    }
}
Object.assign(App.prototype, camera, derivative, files, follow, hold, laws, panel, record, time);

function show(app, data) {
    const scene = data.scene && { path: data.scene, files: data.files, settings: data.settings, meshes: data.meshes };
    if (data.trace) {
        const trace = readTrace(data.trace);
        if (scene) app.know(scene);
        app.openTrace(trace);
    } else {
        app.openScene(scene.path, scene.files, { ...scene, law: data.law });
    }
    if (data.meshes?.notes.length) app.warn(data.meshes.notes);
}

async function start() {
    const css = document.createElement('style');
    css.textContent = chartStyle + style;
    document.head.append(css);
    // the library is compiled while the graphics begin
    const library = new Response(new Blob([wasm]).stream().pipeThrough(new DecompressionStream('deflate-raw')));
    const engine = library.arrayBuffer().then((bytes) => Engine.load(bytes)), app = new App();
    app.engine = await engine;
    window.tact = app;
    if (innerWidth < 700 || innerHeight < 560) document.body.classList.add('nocharts');
    app.loop();
    const data = JSON.parse($('tact-data').textContent);
    try {
        if (data) show(app, data);
        else app.message('Drop a scene with its robot files, a robot in URDF or MJCF with its meshes (its whole folder), a mesh, or a trace on this page.');
    } catch (error) {
        app.refuse(error);
    }
}

start().catch((error) => {
    $('message').textContent = error.message;
    $('message').hidden = false;
});
