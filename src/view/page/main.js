// SPDX-License-Identifier: MIT
// The page: a scene that is stepped here, or a run that was recorded, with everything one can do to it.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import GUI from 'lil-gui';
import wasm from './tact.wasm';
import chartStyle from 'uplot/dist/uPlot.min.css';
import style from './style.css';
import { Engine, Refused } from './engine.js';
import { Stage } from './stage.js';
import { readTrace, readTraceFile } from './trace.js';
import { Charts } from './charts.js';

const FRAMES = 12000, LAWS = ['barrier', 'virtual', 'rigid'], KEYS = [
    ['space', 'play, pause'], ['. ,', 'one step on, one back'], ['r', 'reset'], ['+ -', 'faster, slower'], ['l', 'next law'], ['k', 'compare with another law'],
    ['o', 'hold the next object; then arrows and page up, down move it, escape lets go'], ['g', 'commands by hand, or from the scene'],
    ['[ ] ;', 'choose a joint, [ and ] turn it, ; the next one'], ['f n x', 'forces, normals, friction cones'], ['b t a', 'labels, trails, axes'], ['d', 'how a joint moves the object'],
    ['c', 'charts'], ['v', 'view from the front, the side, above'], ['m', 'panel'], ['s', 'save a picture'], ['e', 'copy the state as scene'], ['w', 'save the run as a trace'],
    ['i', 'open files'], ['q', 'light, dark'], ['home end', 'first, last frame'], ['?', 'this list']];
const $ = (id) => document.getElementById(id);
const largest = (contacts) => {
    let most = 0;
    for (let i = 0; i < contacts.length; i += 14) most = Math.max(most, Math.hypot(contacts[i + 8], contacts[i + 9], contacts[i + 10]));
    return most;
};
const short = (x) => (x === 0 ? '0' : Math.abs(x) >= 0.01 && Math.abs(x) < 1e4 ? String(+x.toPrecision(4)) : x.toExponential(2));

class App {
    constructor(engine) {
        this.engine = engine;
        this.dark = matchMedia('(prefers-color-scheme: dark)').matches;
        this.run = { playing: true, speed: 1, law: 'barrier', compare: 'none', manual: false, joint: '', derivative: false, kappa: 100, epsilon: 0.1,
                     temperature: 0.001, dt: 0.01, friction: 1, arrows: 1 };
        this.show = { forces: true, points: true, normals: false, cones: false, labels: false, trails: true, axes: true, shadows: true };
        this.settings = {};
        this.sides = [];  // one, or two to compare: scene, stage, frames
        this.index = 0;
        this.due = 0;
        this.rendered = 0;
        this.solver = 0;
        this.canvas = $('view');
        this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.charts = new Charts($('charts'), (t) => this.pickTime(t));
        this.listen();
        this.theme();
    }

    // ---- what is shown

    // files: name -> text; path: of the scene among them
    openScene(path, files, law = '', settings = []) {
        for (const [name, content] of Object.entries(files)) this.engine.file(name, content);
        this.path = path;
        this.files = files;
        this.trace = null;
        this.settings = Object.fromEntries(settings.map((set) => [set.slice(0, set.indexOf('=')), set.slice(set.indexOf('=') + 1)]));
        const scene = this.engine.open(path, law, this.settings);
        this.run.law = scene.header.law;
        this.run.compare = 'none';
        this.run.manual = false;
        this.replaceSides([this.makeSide(scene)]);
        this.begin();
    }

    openTrace(trace) {
        this.trace = trace;
        this.path = null;
        this.run.law = trace.header.law;
        this.run.compare = 'none';
        const picture = this.engine.picture(trace.first);
        if (picture.nq !== trace.frames[0].q.length || picture.nv !== trace.frames[0].v.length) throw new Refused('the states do not fit the bodies');
        const { frames } = trace, every = Math.ceil(frames.length / 30);
        const kept = frames.filter((_, i) => i % every === 0);
        picture.header.places = kept.map((f) => f.q);
        picture.header.forces = kept.map((f) => largest(f.contacts));
        this.replaceSides([{ stage: new Stage(picture, this.dark), frames: trace.frames }]);
        this.begin();
    }

    makeSide(scene) {
        const picture = this.engine.picture(scene.first);
        Object.assign(picture.header, this.foresee(scene));
        const side = { scene, stage: new Stage(picture, this.dark), frames: [scene.frame()] };
        side.base = picture;
        return side;
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

    replaceSides(sides) {
        for (const side of this.sides) {
            side.scene?.close();
            side.stage.dispose();
        }
        this.sides = sides;
    }

    begin() {
        const { stage } = this.sides[0], { header } = stage.picture;
        this.index = 0;
        this.due = 0;
        this.held = -1;
        this.run.joint = header.commands[0] ?? '';
        this.message('');
        document.title = `${header.scene || 'scene'} – Tact`;
        this.scaleArrows();
        this.aim(0);
        this.buildPanel();
        this.charts.build(header.pairs.map((p) => `${p.a} – ${p.b}`));
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
        const { picture, size } = this.side.stage, g = Math.hypot(...picture.gravity) || 9.81;
        const forces = picture.header.forces.filter((x) => x > 0).sort((a, b) => a - b);
        const weight = Math.max(0, ...picture.header.joints.filter((_, b) => !picture.robot[b]).map((j) => (j.mass ?? 0) * g));
        const most = forces.length > 10 ? forces[Math.floor(0.9 * forces.length)] : weight;
        this.newtons = (0.22 * size) / (most || 1);
        // a round number for the legend
        const step = 10 ** Math.floor(Math.log10(most || 1));
        this.legendForce = [5, 2, 1].map((k) => k * step).find((x) => x <= (most || 1)) ?? step;
    }

    // 0 at an angle, then front, side, above
    aim(view) {
        const { stage } = this.side, { planar } = stage.picture, { centre, size } = stage, old = this.controls;
        this.view = view;
        const toward = planar ? stage.toward() : [new THREE.Vector3(0.62, -1, 0.48), new THREE.Vector3(0, -1, 0.02), new THREE.Vector3(1, 0, 0.02), new THREE.Vector3(0, -0.01, 1)][view % 4];
        const up = planar ? stage.up() : new THREE.Vector3(0, 0, 1);
        this.camera = planar ? new THREE.OrthographicCamera(-1, 1, 1, -1, -10 * size, 10 * size) : new THREE.PerspectiveCamera(34, 1, 0.01 * size, 40 * size);
        this.camera.up.copy(up);
        this.camera.position.copy(centre).addScaledVector(toward.normalize(), planar ? 2 * size : this.distance(toward, up));
        old?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.target.copy(centre);
        this.controls.enableRotate = !planar;
        if (planar) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN, (this.controls.touches.ONE = THREE.TOUCH.PAN);
        this.controls.update();
    }

    // from which the whole extent is seen
    distance(toward, up) {
        const { box, centre, size } = this.side.stage, right = up.clone().cross(toward).normalize(), over = toward.clone().cross(right);
        const room = this.canvas.parentElement.getBoundingClientRect(), aspect = Math.max(1, room.width / room.height);
        let far = 0.6 * size;
        for (let k = 0; k < 8; k++) {
            const x = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
            const slope = Math.tan(17 * Math.PI / 180) * 0.92;
            far = Math.max(far, x.dot(toward) + Math.max(Math.abs(x.dot(over)) / slope, Math.abs(x.dot(right)) / slope / aspect));
        }
        return far;
    }

    // ---- time

    canStep() {
        return Boolean(this.side.scene);
    }

    step() {
        const begin = performance.now();
        let last = 0;
        for (const side of this.sides) {
            if (!side.scene || side.stopped) continue;
            last = side.scene.step();
            const frame = side.scene.frame();
            if (last < 0) {
                side.stopped = true;
                this.message(`${side.scene.header.law}: step ${side.scene.steps + 1} has no answer: ${side.scene.statusName()}. Reset, or change something.`);
            }
            side.frames.push(frame);
            if (side.frames.length > FRAMES) side.frames.splice(0, 1000);
        }
        this.solver += performance.now() - begin;
        this.index = this.side.frames.length - 1;
        this.changed = true;
        if (this.sides.every((side) => side.stopped)) this.pause();
    }

    advance(seconds) {
        if (!this.run.playing) return;
        this.due += Math.min(seconds, 0.1) * this.run.speed;
        const dt = this.canStep() ? this.side.scene.header.dt : 0;
        if (this.canStep()) {
            const until = performance.now() + 25;
            // the state goes on from where it is, whatever is looked at
            while (this.due >= dt && this.run.playing && performance.now() < until) {
                this.due -= dt;
                this.step();
            }
            if (this.due > 4 * dt) this.due = 0;
            return;
        }
        const { frames } = this.side;
        while (this.index < frames.length - 1 && this.due >= frames[this.index + 1].t - frames[this.index].t) {
            this.due -= frames[this.index + 1].t - frames[this.index].t;
            this.index++;
            this.changed = true;
        }
        if (this.index >= frames.length - 1) this.pause();
    }

    play() {
        if (!this.canStep() && this.index >= this.side.frames.length - 1) this.seek(0);
        this.run.playing = true;
        this.due = 0;
        this.sides.forEach((side) => (side.stopped = false));
        this.refresh();
    }
    pause() {
        this.run.playing = false;
        this.refresh();
    }
    toggle() {
        this.run.playing ? this.pause() : this.play();
    }
    single(way) {
        this.pause();
        if (way > 0 && this.canStep() && this.index === this.side.frames.length - 1) this.step();
        else this.seek(this.index + way);
    }
    seek(index) {
        this.index = Math.max(0, Math.min(this.side.frames.length - 1, Math.round(index)));
        this.changed = true;
    }
    pickTime(t) {
        const { frames } = this.side;
        let low = 0, high = frames.length - 1;
        while (high > low) {
            const middle = (low + high) >> 1;
            if (frames[middle].t < t) low = middle + 1;
            else high = middle;
        }
        this.pause();
        this.seek(low);
    }
    reset() {
        for (const side of this.sides) {
            side.stage.clearTrails();
            side.stopped = false;
            if (!side.scene) continue;
            side.scene.reset();
            side.frames = [side.scene.frame()];
        }
        this.release();
        this.run.manual = false;
        this.due = 0;
        this.seek(0);
        this.message('');
        this.refresh();
    }

    // ---- the solver: law and options, on the state at hand

    reopen(side, law) {
        const scene = this.engine.open(this.path, law, this.settings);
        scene.copy(side.scene);
        scene.take(this.run.manual);
        scene.friction(this.run.friction);
        side.scene.close();
        side.scene = scene;
        side.stopped = false;
    }

    setLaw(law) {
        if (!this.canStep()) return this.refuse(new Refused('a recorded run has one law; open its scene to step it'));
        try {
            this.reopen(this.side, law);
            this.run.law = law;
            this.message('');
            if (this.held >= 0) this.hold(this.held);
        } catch (error) {
            this.run.law = this.side.scene.header.law;
            this.refuse(error);
        }
        this.buildPanel();
    }

    setCompare(law) {
        if (!this.canStep()) return this.refuse(new Refused('a recorded run has one law; open its scene to compare'));
        const [, other] = this.sides;
        if (other) {
            other.scene.close();
            other.stage.dispose();
            this.sides.length = 1;
        }
        this.run.compare = 'none';
        if (law === 'none') return this.refresh();
        try {
            const side = this.makeSide(this.engine.open(this.path, law, this.settings));
            side.scene.copy(this.side.scene);
            side.scene.take(this.run.manual);
            side.scene.friction(this.run.friction);
            side.frames = [side.scene.frame()];
            this.sides.push(side);
            this.run.compare = law;
        } catch (error) {
            this.refuse(error);
        }
        this.refresh();
    }

    setOption(key, value) {
        const before = this.settings[`options.${key}`];
        this.settings[`options.${key}`] = value;
        try {
            for (const side of this.sides) this.reopen(side, side.scene.header.law);
            this.message('');
        } catch (error) {
            if (before === undefined) delete this.settings[`options.${key}`];
            else this.settings[`options.${key}`] = before;
            this.refuse(error);
        }
    }

    takeOver(manual) {
        this.run.manual = manual;
        this.sides.forEach((side) => side.scene?.take(manual));
        this.refresh();
    }

    command(k, value) {
        if (!this.run.manual) this.takeOver(true);
        for (const side of this.sides) if (side.scene) side.scene.u[k] = value;
    }

    // ---- moving objects

    canHold(body) {
        const j = this.header.joints[body];
        return j && this.canStep() && !this.side.stage.picture.robot[body] && j.type !== 'fixed';
    }
    com(body) {
        const { pose } = this.side.stage, c = this.header.joints[body].com ?? [0, 0, 0], p = pose.subarray(12 * body, 12 * body + 12);
        return [0, 1, 2].map((i) => p[i] + p[3 + 3 * i] * c[0] + p[4 + 3 * i] * c[1] + p[5 + 3 * i] * c[2]);
    }
    hold(body, target = this.com(body)) {
        this.held = body;
        this.target = target;
        this.sides.forEach((side) => side.scene?.drag(body, target));
        this.status();
    }
    release() {
        this.held = -1;
        this.sides.forEach((side) => side.scene?.drag(-1));
    }
    nudge(right, up, near) {
        if (this.held < 0) return;
        const e = this.camera.matrixWorld.elements, s = 0.01 * this.side.stage.size;
        this.hold(this.held, [0, 1, 2].map((i) => this.target[i] + s * (right * e[i] + up * e[4 + i] + near * e[8 + i])));
    }
    ray(event) {
        const box = this.canvas.getBoundingClientRect(), wide = box.width / this.sides.length;
        const x = ((event.clientX - box.left) % wide) / wide * 2 - 1, y = 1 - (event.clientY - box.top) / box.height * 2;
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
        return caster;
    }
    grab(event) {
        if (event.button !== 0 || !this.canStep()) return;
        const hits = this.ray(event).intersectObjects(this.side.stage.bodies, true).filter((h) => h.object.userData.body !== undefined);
        // translucent tips and limbs do not keep one from the object behind them
        const hit = hits.find((h) => this.canHold(h.object.userData.body));
        if (!hit || hits.indexOf(hit) > 2) return;
        event.stopImmediatePropagation();
        this.canvas.setPointerCapture(event.pointerId);
        const body = hit.object.userData.body, com = this.com(body), plane = new THREE.Plane();
        plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), hit.point);
        this.grabbed = { plane, offset: com.map((x, i) => x - hit.point.getComponent(i)) };
        this.hold(body, com);
        if (!this.run.playing) this.play();
    }
    pull(event) {
        if (!this.grabbed) return;
        const at = this.ray(event).ray.intersectPlane(this.grabbed.plane, new THREE.Vector3());
        if (at) this.hold(this.held, this.grabbed.offset.map((x, i) => x + at.getComponent(i)));
    }
    drop() {
        if (this.grabbed) this.release();
        this.grabbed = null;
    }

    // ---- drawing

    draw() {
        const two = this.sides.length > 1, box = this.canvas.parentElement.getBoundingClientRect();
        const width = Math.max(1, Math.floor(box.width)), height = Math.max(1, Math.floor(box.height));
        if (this.width !== width || this.height !== height) {
            this.renderer.setSize(width, height, false);
            this.width = width;
            this.height = height;
            this.charts.resize();
        }
        this.controls.update();
        if (this.changed) this.update();
        this.lens(width / this.sides.length / height);
        this.renderer.setScissorTest(true);
        this.sides.forEach((side, i) => {
            const wide = width / this.sides.length;
            this.renderer.setViewport(i * wide, 0, wide, height);
            this.renderer.setScissor(i * wide, 0, wide, height);
            this.renderer.render(side.stage.scene, this.camera);
        });
        $('sides').hidden = !two;
        if (two) this.sides.forEach((side, i) => ($(`side${i}`).textContent = side.scene.header.law));
        this.rendered++;
    }

    lens(aspect) {
        const { size } = this.side.stage;
        if (this.camera.isPerspectiveCamera) {
            this.camera.aspect = aspect;
            // a narrow picture sees as much across as a wide one sees upwards
            this.camera.fov = aspect < 1 ? 2 * Math.atan(Math.tan(17 * Math.PI / 180) / aspect) * 180 / Math.PI : 34;
        } else {
            // the whole extent, with some air
            const whole = this.side.stage.box.getSize(new THREE.Vector3()), e = this.camera.matrixWorld.elements;
            const along = (k) => 0.6 * (Math.abs(e[k]) * whole.x + Math.abs(e[k + 1]) * whole.y + Math.abs(e[k + 2]) * whole.z) + 0.03 * size;
            const up = Math.max(along(4) * 1.15, along(0) / aspect);
            Object.assign(this.camera, { left: -up * aspect, right: up * aspect, top: up, bottom: -up });
        }
        this.camera.updateProjectionMatrix();
    }

    update() {
        this.changed = false;
        this.sides.forEach((side) => {
            const { stage } = side, frame = side.frames[Math.min(this.index, side.frames.length - 1)];
            Object.assign(stage.show, this.show);
            stage.newtons = this.newtons * this.run.arrows;
            stage.update(frame, side.lastFrame !== frame && this.run.playing);
            side.lastFrame = frame;
        });
        this.drawDerivative();
        this.status();
        const timeline = $('timeline');
        timeline.max = this.side.frames.length - 1;
        timeline.value = this.index;
        timeline.setAttribute('aria-valuetext', `${this.frame.t.toFixed(3)} s`);
        if (!document.body.classList.contains('nocharts') && (!this.run.playing || this.rendered % 6 === 0))
            this.charts.update(this.side.frames, (f) => this.side.stage.picture.move(f.q, f.v), this.index);
        if (this.panel && this.rendered % 10 === 0 && !this.run.manual) this.readCommands();
    }

    // the object nearest to the chosen joint's tip is the first unactuated one
    object() {
        return this.held >= 0 ? this.held : this.side.stage.loose.find((b) => this.header.joints[b].type !== 'fixed') ?? -1;
    }
    drawDerivative() {
        const { stage, scene } = this.side, body = this.object(), u = this.header.commands.indexOf(this.run.joint);
        this.slope = null;
        if (!this.run.derivative || !scene || body < 0 || u < 0) return stage.hideSlope();
        this.slope = scene.slope(body, u);
        stage.drawSlope(body, this.slope);
    }

    status() {
        const f = this.frame, { header } = this;
        if (!f) return;
        const parts = [`${header.scene || 'scene'}`, `law ${this.side.scene?.header.law ?? header.law}`, `t = ${f.t.toFixed(3)} s`, `step ${f.step}`, `${f.iterations} iterations`, f.status];
        if (this.held >= 0) parts.push(`holding ${header.bodies[this.held]}`);
        if (!this.canStep()) parts.push('recorded run');
        $('status').textContent = parts.join('  ·  ');
        const length = this.legendForce * this.newtons * this.run.arrows;
        $('legend').textContent = `arrow of ${short(length)} m = ${short(this.legendForce)} N, force on b  ·  points: red touching, blue ${short(this.side.stage.far)} m apart` +
            (this.slope ? `  ·  ∂${header.bodies[this.object()]}/∂${this.run.joint} = ${short(Math.hypot(...this.slope))} m per unit` : '');
        $('play').textContent = this.run.playing ? 'Pause' : 'Play';
    }

    message(text) {
        $('message').textContent = text;
        $('message').hidden = !text;
    }
    refuse(error) {
        this.message(error instanceof Refused || error instanceof Error ? error.message.slice(0, 2000) : String(error));
        if (!(error instanceof Refused)) console.warn(error);
    }

    // ---- panel

    buildPanel() {
        const { run, show } = this, header = this.side.scene?.header ?? this.header, narrow = innerWidth < 700;
        const closed = this.panel ? this.panel._closed : narrow;
        this.panel?.destroy();
        const panel = (this.panel = new GUI({ container: $('panel'), title: 'Tact', width: narrow ? 260 : 290 }));
        const live = this.canStep();
        panel.add(run, 'speed', 0.05, 4, 0.05).name('speed [x]').listen();
        if (live) {
            panel.add(run, 'law', LAWS).onChange((law) => this.setLaw(law)).listen();
            panel.add(run, 'compare', ['none', ...LAWS]).name('compare with').onChange((law) => this.setCompare(law)).listen();
            this.optionSliders(panel.addFolder('Options'), header);
        }
        const view = panel.addFolder('Show').close();
        const names = { forces: 'forces (f)', points: 'contact points', normals: 'normals (n)', cones: 'friction cones (x)', labels: 'labels (b)', trails: 'trails (t)', axes: 'axes (a)', shadows: 'shadows' };
        for (const key of Object.keys(names)) view.add(show, key).name(names[key]).onChange(() => (this.changed = true)).listen();
        view.add(run, 'arrows', 0.1, 10, 0.1).name('arrow length [x]').onChange(() => (this.changed = true));
        this.jointSliders(panel, live);
        const file = panel.addFolder('File').close();
        const act = { open: () => $('file').click(), copy: () => this.copyState(), png: () => this.savePicture(), trace: () => this.saveTrace(), help: () => this.toggleHelp() };
        file.add(act, 'open').name('open a scene or a trace ...');
        file.add(act, 'copy').name('copy state as scene JSON');
        file.add(act, 'png').name('save picture (PNG)');
        if (live) file.add(act, 'trace').name('save run as trace');
        panel.add(act, 'help').name('keys (?)');
        if (closed) panel.close();
    }

    optionSliders(folder, header) {
        const { run } = this, o = header.options ?? {}, law = header.law;
        const log = (key, name, low, high) => {
            if (typeof o[key] !== 'number' && !(key === 'temperature' && law === 'virtual')) return;
            run[key] = Math.log10(Math.max(o[key] ?? run[key], 10 ** low));
            const slider = folder.add(run, key, low, high, 0.01);
            const tell = () => slider.name(`${name} ${short(10 ** run[key])}`);
            slider.onChange(tell).onFinishChange(() => this.setOption(key, +(10 ** run[key]).toPrecision(4)));
            tell();
        };
        log('dt', 'dt [s] (log)', -4, -1);
        if (law === 'barrier') log('kappa', 'κ [1/J] (log)', 0, 7), log('epsilon', 'ε (log)', -3, 2);
        if (law === 'virtual') log('temperature', 'temperature [m] (log)', -6, -1);
        folder.add(run, 'friction', 0, 3, 0.01).name('μ, as factor').onChange((x) => this.sides.forEach((side) => side.scene.friction(x)));
    }

    jointSliders(panel, live) {
        const { commands } = this.header, { run } = this;
        this.values = {};
        this.limits = live ? this.side.scene.limits() : [];
        if (!commands.length) return;
        const folder = panel.addFolder(`Joints (${commands.length})`).close();
        if (live) folder.add(run, 'manual').name('by hand (g)').onChange((on) => this.takeOver(on)).listen();
        const chosen = folder.add(run, 'joint', commands).name('chosen').listen();
        if (live) folder.add(run, 'derivative').name('∂object/∂joint (d)').onChange(() => (this.changed = true)).listen();
        chosen.onChange(() => (this.changed = true));
        if (!live) return;
        commands.forEach((name, k) => {
            const { low, high } = this.limits[k], { u } = this.side.scene, far = this.side.stage.size;
            this.values[k] = u[k];
            const slider = folder.add(this.values, String(k), Math.max(low, u[k] - (low < -1e9 ? far : 1e9)), Math.min(high, u[k] + (high > 1e9 ? far : 1e9)));
            slider.name(name.length > 18 ? `…${[...name].slice(-16).join('')}` : name).decimals(4).onChange((x) => this.command(k, x)).listen();
        });
    }
    readCommands() {
        if (!this.canStep()) return;
        const { u } = this.side.scene;
        for (const k of Object.keys(this.values)) this.values[k] = u[k];
    }
    refresh() {
        this.changed = true;
        this.status();
        this.panel?.controllersRecursive().forEach((c) => c.updateDisplay());
    }
    turn(way) {
        const k = this.header.commands.indexOf(this.run.joint);
        if (k < 0 || !this.canStep()) return;
        const { low, high } = this.limits[k], size = high - low < 1e9 ? (high - low) / 50 : 0.02;
        this.values[k] = Math.min(high, Math.max(low, this.side.scene.u[k] + way * size));
        this.command(k, this.values[k]);
    }
    nextJoint() {
        const { commands } = this.header;
        this.run.joint = commands[(commands.indexOf(this.run.joint) + 1) % commands.length] ?? '';
        this.refresh();
    }

    // ---- in and out

    stateScene() {
        const { header, frame } = this, q = {};
        const many = { fixed: 0, translation: 3, planar: 3, free: 7 };
        for (const joint of header.joints) {
            const n = many[joint.type] ?? 1;
            if (n === 0 || joint.ratio !== undefined || joint.offset !== undefined) continue;
            q[joint.name] = n === 1 ? frame.q[joint.q] : [...frame.q.slice(joint.q, joint.q + n)];
        }
        const scene = this.path ? JSON.parse(this.files[this.path]) : {};
        scene.state = { ...scene.state, q };
        for (const [key, value] of Object.entries(this.settings)) if (key.startsWith('options.')) (scene.options ??= {})[key.slice(8)] = Number(value);
        if (this.path) scene.law = this.side.scene.header.law;
        return JSON.stringify(scene, null, 2);
    }
    async copyState() {
        const text = this.stateScene();
        try {
            await navigator.clipboard.writeText(text);
            this.flash('the state is in the clipboard, as a scene');
        } catch {
            this.save('state.json', new Blob([text], { type: 'application/json' }));
        }
        return text;
    }
    save(name, blob) {
        const link = document.createElement('a');
        link.download = name;
        link.href = URL.createObjectURL(blob);
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }
    savePicture() {
        this.draw();
        this.canvas.toBlob((blob) => this.save('tact.png', blob));
    }
    // stepped again from the start under the scene's own commands: the lines are those that tact run writes
    saveTrace() {
        if (!this.canStep()) return;
        const scene = this.engine.open(this.path, this.run.law, this.settings), lines = [scene.first, scene.line(0)];
        for (let k = 0; k < this.side.scene.steps && scene.step() >= 0; k++) lines.push(scene.line());
        scene.close();
        this.save('run.jsonl', new Blob([lines.join('\n') + '\n'], { type: 'application/jsonl' }));
    }
    flash(text) {
        this.message(text);
        setTimeout(() => $('message').textContent === text && this.message(''), 4000);
    }

    async openFiles(list) {
        const files = [...list];
        this.pause();
        try {
            const traces = [];
            for (const file of files) if (/"tact_trace"/.test(await file.slice(0, 4096).text())) traces.push(file);
            if (traces.length) {
                const trace = await readTraceFile(traces[0], (part) => this.message(`reading ${traces[0].name}: ${Math.round(100 * part)} %`));
                this.openTrace(trace);
            } else {
                const texts = {};
                for (const file of files) {
                    if (file.size > 16 << 20) throw new Refused(`${file.name}: larger than 16 MiB`);
                    texts[file.name] = await file.text();
                }
                const scene = files.find((file) => /"tact"\s*:/.test(texts[file.name]) && /"(law|pairs|state|robots)"\s*:/.test(texts[file.name])) ?? files[0];
                this.openScene(scene.name, texts);
            }
            this.play();
        } catch (error) {
            this.refuse(error);
        }
    }

    theme() {
        document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
        this.sides.forEach((side) => side.stage.theme(this.dark));
        if (this.sides.length) this.charts.build(this.header.pairs.map((p) => `${p.a} – ${p.b}`));
        this.changed = true;
    }
    toggleHelp() {
        const help = $('help');
        help.open ? help.close() : help.showModal();
    }

    listen() {
        const { canvas } = this, on = (id, call) => $(id).addEventListener('click', call);
        canvas.addEventListener('pointerdown', (e) => this.grab(e), true);
        canvas.addEventListener('pointermove', (e) => this.pull(e));
        for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, () => this.drop());
        on('play', () => this.toggle());
        on('forward', () => this.single(1));
        on('back', () => this.single(-1));
        on('reset', () => this.reset());
        $('timeline').addEventListener('input', (e) => { this.pause(); this.seek(+e.target.value); });
        $('file').addEventListener('change', (e) => { this.openFiles(e.target.files); e.target.value = ''; });
        addEventListener('dragover', (e) => e.preventDefault());
        addEventListener('drop', (e) => { e.preventDefault(); if (e.dataTransfer.files.length) this.openFiles(e.dataTransfer.files); });
        addEventListener('keydown', (e) => this.key(e));
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => { this.dark = e.matches; this.theme(); });
        for (const [key, what] of KEYS) {
            const row = $('keys').insertRow();
            row.insertCell().textContent = key;
            row.insertCell().textContent = what;
        }
        on('close', () => this.toggleHelp());
    }

    key(event) {
        // the list of keys closes as dialogs do
        if ($('help').open && event.key !== '?') return;
        if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.id !== 'timeline') return;
        const flip = (key) => { this.show[key] = !this.show[key]; this.refresh(); }, far = event.shiftKey ? 5 : 1;
        const moves = { ArrowLeft: [-far, 0, 0], ArrowRight: [far, 0, 0], ArrowUp: [0, far, 0], ArrowDown: [0, -far, 0], PageUp: [0, 0, -far], PageDown: [0, 0, far] };
        if (this.held >= 0 && moves[event.key]) return event.preventDefault(), this.nudge(...moves[event.key]);
        const keys = {
            ' ': () => this.toggle(), '.': () => this.single(1), ',': () => this.single(-1), r: () => this.reset(),
            '+': () => { this.run.speed = Math.min(4, this.run.speed * 1.5); this.refresh(); }, '-': () => { this.run.speed = Math.max(0.05, this.run.speed / 1.5); this.refresh(); },
            l: () => this.setLaw(LAWS[(LAWS.indexOf(this.run.law) + 1) % 3]),
            k: () => { const all = ['none', ...LAWS]; this.setCompare(all[(all.indexOf(this.run.compare) + 1) % 4]); },
            o: () => { const all = this.side.stage.loose.filter((b) => this.canHold(b)); if (all.length) this.hold(all[(all.indexOf(this.held) + 1) % all.length]); },
            Escape: () => this.release(), g: () => this.canStep() && this.takeOver(!this.run.manual), '[': () => this.turn(-1), ']': () => this.turn(1), ';': () => this.nextJoint(),
            f: () => flip('forces'), n: () => flip('normals'), x: () => flip('cones'), b: () => flip('labels'), t: () => flip('trails'), a: () => flip('axes'),
            d: () => { this.run.derivative = !this.run.derivative; this.refresh(); },
            c: () => { document.body.classList.toggle('nocharts'); this.changed = true; setTimeout(() => this.charts.resize()); },
            v: () => this.aim(this.view + 1), m: () => (this.panel._closed ? this.panel.open() : this.panel.close()), s: () => this.savePicture(), e: () => this.copyState(),
            w: () => this.saveTrace(), i: () => $('file').click(), q: () => { this.dark = !this.dark; this.theme(); },
            Home: () => { this.pause(); this.seek(0); }, End: () => { this.pause(); this.seek(Infinity); }, '?': () => this.toggleHelp() };
        if (!keys[event.key] || event.target.tagName === 'BUTTON' && event.key === ' ') return;
        event.preventDefault();
        keys[event.key]();
    }

    loop() {
        let last;
        const tick = (now) => {
            requestAnimationFrame(tick);
            const seconds = last === undefined ? 0 : Math.max(0, (now - last) / 1000);
            last = now;
            if (!this.sides.length) return;
            this.advance(seconds);
            this.draw();
        };
        requestAnimationFrame(tick);
    }
}

async function start() {
    const css = document.createElement('style');
    css.textContent = chartStyle + style;
    document.head.append(css);
    const library = new Response(new Blob([wasm]).stream().pipeThrough(new DecompressionStream('deflate-raw')));
    const app = new App(await Engine.load(await library.arrayBuffer()));
    window.tact = app;
    if (innerWidth < 700 || innerHeight < 560) document.body.classList.add('nocharts');
    app.loop();
    const data = JSON.parse($('tact-data').textContent);
    try {
        if (data?.trace) app.openTrace(readTrace(data.trace));
        else if (data?.scene) app.openScene(data.scene, data.files, data.law, data.settings);
        else app.message('Drop a scene, with its robot files, or a trace on this page.');
    } catch (error) {
        app.refuse(error);
    }
}

start().catch((error) => {
    $('message').textContent = error.message;
    $('message').hidden = false;
});
