// SPDX-License-Identifier: MIT
// The library in WebAssembly as objects: scenes that step, pictures of scenes and traces.
const text = new TextEncoder(), words = new TextDecoder();

export class Refused extends Error {}

export class Engine {
    static async load(bytes) {
        // vsnprintf of the C library names these; there are no files, and nothing calls them
        const none = () => 8;
        const imports = { wasi_snapshot_preview1: { fd_close: none, fd_seek: none, fd_write: none } };
        const { instance } = await WebAssembly.instantiate(bytes, imports);
        return new Engine(instance.exports);
    }
    constructor(exports) {
        this.c = exports;
    }
    numbers(at, count) {
        return new Float64Array(this.c.memory.buffer, at, count);
    }
    // a string in the library's memory, which the caller gives back
    put(string) {
        return this.putBytes(text.encode(string));
    }
    putBytes(bytes) {
        const at = this.c.tact_page_memory(bytes.length + 1);
        if (!at) throw new Refused('out of memory');
        const memory = new Uint8Array(this.c.memory.buffer);
        memory.set(bytes, at);
        memory[at + bytes.length] = 0;
        return at;
    }
    with(strings, call) {
        const at = strings.map((s) => this.put(s));
        try {
            return call(...at);
        } finally {
            at.forEach((a) => this.c.tact_page_release(a));
        }
    }
    said() {
        const memory = new Uint8Array(this.c.memory.buffer), from = this.c.tact_page_text();
        return words.decode(memory.subarray(from, memory.indexOf(0, from)));
    }
    // content: text, bytes, or {base64}
    file(path, content) {
        const bytes = typeof content === 'string' ? text.encode(content) : content.base64 === undefined ? content : Uint8Array.from(atob(content.base64), (c) => c.charCodeAt(0));
        if (!this.c.tact_page_file(this.put(path), this.putBytes(bytes), bytes.length)) throw new Refused('too many files');
    }
    open(path, law = '', settings = {}) {
        const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`).join('\n');
        const at = this.with([path, law, lines], (p, l, s) => this.c.tact_page_open(p, l, s));
        if (!at) throw new Refused(this.said().trim());
        return new Scene(this, at, this.said().split('\n').filter((line) => line));
    }
    // the meshes of a scene among the files, as tact view lists them
    meshes(path) {
        if (!this.with([path], (p) => this.c.tact_page_meshes(p))) throw new Refused(this.said().trim());
        return JSON.parse(this.said());
    }
    // the controller of `tact mpc` for the scene's goal
    plan(path, settings = {}) {
        const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`).join('\n');
        const at = this.with([path, lines], (p, s) => this.c.tact_page_plan_open(p, s));
        if (!at) throw new Refused(this.said().trim());
        return new Plan(this, at);
    }
    picture(first) {
        const at = this.with([first], (f) => this.c.tact_page_picture_open(f));
        if (!at) throw new Refused(this.said().trim() || 'out of memory');
        return new Picture(this, at, first);
    }
}

// in the order of page.h
const [Q, V, U, WAY, LAMBDA, ANCHOR, NORMAL, Q_PAST, V_PAST, LOWER, UPPER, START] = Array(12).keys();
const STATUS = { 0: 'converged', 1: 'iteration_limit', 2: 'stationary', [-1]: 'infeasible', [-2]: 'singular', [-3]: 'bad_input',
                 [-4]: 'no_memory', [-5]: 'undecided' };

export class Scene {
    constructor(engine, at, warnings) {
        this.engine = engine;
        this.at = at;
        this.warnings = warnings;
        this.first = this.line(-1);
        this.header = JSON.parse(this.first);
        this.steps = 0;
        this.status = 0;
    }
    get c() {
        return this.engine.c;
    }
    close() {
        this.c.tact_page_close(this.at);
    }
    vector(which, count) {
        return this.engine.numbers(this.c.tact_page_vector(this.at, which), count);
    }
    get q() {
        return this.vector(Q, this.header.nq);
    }
    get v() {
        return this.vector(V, this.header.nv);
    }
    get u() {
        return this.vector(U, this.header.nu);
    }
    // the direction of closeFinger and slope
    get way() {
        return this.vector(WAY, this.header.nu);
    }
    limits() {
        const n = this.header.nu, lower = [...this.vector(LOWER, n)], upper = [...this.vector(UPPER, n)], q = [...this.vector(START, n)];
        return lower.map((low, i) => ({ low, high: upper[i], q: q[i] }));
    }
    get time() {
        return this.c.tact_page_time(this.at);
    }
    get iterations() {
        return this.c.tact_page_iterations(this.at);
    }
    step() {
        this.status = this.c.tact_page_step(this.at);
        if (this.status >= 0) this.steps++;
        return this.status;
    }
    statusName() {
        return STATUS[this.status] ?? 'unknown';
    }
    reset() {
        this.c.tact_page_reset(this.at);
        this.steps = 0;
        this.status = 0;
    }
    copy(other) {
        this.c.tact_page_copy(this.at, other.at);
        this.steps = other.steps;
    }
    line(number = this.steps) {
        this.c.tact_page_line(this.at, number);
        return this.engine.said();
    }
    contacts() {
        const count = this.c.tact_page_contacts(this.at);
        return count ? this.engine.numbers(this.c.tact_page_contact(this.at), 14 * count).slice() : new Float64Array(0);
    }
    take(manual) {
        this.c.tact_page_take(this.at, manual ? 1 : 0);
    }
    drag(body, p = [0, 0, 0]) {
        return this.c.tact_page_drag(this.at, body, ...p);
    }
    friction(factor) {
        this.c.tact_page_friction(this.at, factor);
    }
    // how the body's centre of mass would move per unit along the way
    slope(body) {
        return [...this.engine.numbers(this.c.tact_page_slope(this.at, body), 3)];
    }
    closeFinger(tip, top, body) {
        return this.c.tact_page_close_finger(this.at, tip, top, body);
    }
    // what is shown of the state at hand, and what else the state is, so that it can go on from it
    frame() {
        return { t: this.time, step: this.steps, q: this.q.slice(), v: this.v.slice(), u: this.u.slice(), contacts: this.contacts(),
                 iterations: this.iterations, status: this.statusName(), anchors: this.anchors(), past: this.past() };
    }
    anchors() {
        const n = this.header.pairs.length, found = [];
        if (!this.header.options.anchor) return found;
        const anchor = this.vector(ANCHOR, 3 * n), normal = this.vector(NORMAL, 3 * n);
        for (let i = 0; i < n; i++)
            if (anchor[3 * i] !== 0 || anchor[3 * i + 1] !== 0 || anchor[3 * i + 2] !== 0)
                found.push({ pair: i, anchor: anchor.slice(3 * i, 3 * i + 3), normal: normal.slice(3 * i, 3 * i + 3) });
        return found;
    }
    past() {
        if (!this.c.tact_page_past(this.at)) return null;
        return { q: this.vector(Q_PAST, this.header.nq).slice(), v: this.vector(V_PAST, this.header.nv).slice() };
    }
    // a frame of this scene, or of a trace of it, becomes the state
    restore(frame) {
        const { nq, nv, pairs } = this.header, n = 3 * pairs.length;
        this.q.set(frame.q);
        this.v.set(frame.v);
        this.u.set(frame.u);
        for (const which of [LAMBDA, ANCHOR, NORMAL]) this.vector(which, n).fill(0);
        const lambda = this.vector(LAMBDA, n), anchor = this.vector(ANCHOR, n), normal = this.vector(NORMAL, n), c = frame.contacts;
        for (let i = 0; i < c.length; i += 14) lambda.set(c.subarray(i + 11, i + 14), 3 * c[i]);
        for (const a of frame.anchors) {
            anchor.set(a.anchor, 3 * a.pair);
            normal.set(a.normal, 3 * a.pair);
        }
        this.vector(Q_PAST, nq).set(frame.past?.q ?? frame.q);
        this.vector(V_PAST, nv).set(frame.past?.v ?? frame.v);
        this.c.tact_page_restored(this.at, frame.t, frame.past ? 1 : 0);
        this.steps = frame.step;
        this.status = 0;
    }
}

export class Plan {
    constructor(engine, at) {
        this.engine = engine;
        this.at = at;
        const f = [...engine.numbers(engine.c.tact_page_plan_facts(at), 8)];
        [this.body, this.tick, this.dt, this.horizon, , this.positionTolerance, this.angleTolerance, this.hold] = f;
        this.oriented = f[4] === 1;
        this.parts = Math.round(this.tick / this.dt);
    }
    get c() {
        return this.engine.c;
    }
    // position, orientation w x y z
    get goal() {
        return this.engine.numbers(this.c.tact_page_plan_goal(this.at), 7);
    }
    measure(q) {
        this.engine.numbers(this.c.tact_page_plan_q(this.at), q.length).set(q);
    }
    reset(q) {
        this.measure(q);
        this.c.tact_page_plan_reset(this.at);
    }
    // a tick: the command (nu) that is to act in it
    solve(q) {
        this.measure(q);
        this.status = this.c.tact_page_plan_solve(this.at);
        return this.c.tact_page_plan_u(this.at);
    }
    error(q) {
        this.measure(q);
        const [position, angle] = this.engine.numbers(this.c.tact_page_plan_error(this.at), 2);
        return { position, angle };
    }
    // poses of the goal's body after each step of the plan, 12 numbers each
    fan() {
        const steps = this.c.tact_page_plan_steps(this.at);
        return this.engine.numbers(this.c.tact_page_plan_fan(this.at), 12 * steps).slice();
    }
    close() {
        this.c.tact_page_plan_close(this.at);
    }
}

export const FIGURES = ['none', 'ball', 'plane', 'capsule', 'box', 'cylinder', 'ellipsoid', 'rectangle', 'polygon', 'halfplane', 'hull'];

export class Picture {
    constructor(engine, at, first) {
        this.engine = engine;
        this.at = at;
        this.header = JSON.parse(first);
        const f = [...engine.numbers(engine.c.tact_page_picture_facts(at), 13)];
        [this.nbody, this.nq, this.nv, this.nshape, this.nlimb] = f;
        this.planar = f[5] === 1;
        this.normal = f.slice(6, 9);
        this.gravity = f.slice(9, 12);
        this.margin = f[12];
        this.robot = [...engine.numbers(engine.c.tact_page_picture_facts(at) + 13 * 8, this.nbody)].map((x) => x === 1);
        // a fingertip that is driven by itself belongs to the robot, though it has no limbs
        const { joints, dofs, commands } = this.header;
        joints.forEach((j, b) => (this.robot[b] ||= j.type === 'translation' && commands.some((name) => dofs.indexOf(name) >= j.v && dofs.indexOf(name) < j.v + 3)));
        this.readShapes();
        this.readLimbs();
    }
    readShapes() {
        let at = this.engine.c.tact_page_picture_shapes(this.at);
        const names = this.header.shapes;
        this.shapes = [];
        for (let s = 0; s < this.nshape; s++) {
            const x = [...this.engine.numbers(at, 19)];
            const points = [...this.engine.numbers(at + 19 * 8, x[18])];
            this.shapes.push({ body: x[0], figure: FIGURES[x[1]], p: x.slice(2, 5), R: x.slice(5, 14), size: x.slice(14, 18), points,
                               name: names[s]?.name });
            at += (19 + x[18]) * 8;
        }
    }
    readLimbs() {
        const at = this.engine.c.tact_page_picture_limbs(this.at);
        this.limbs = [];
        for (let i = 0; i < this.nlimb; i++) {
            const x = [...this.engine.numbers(at + i * 64, 8)];
            this.limbs.push({ body: x[0], a: x.slice(1, 4), b: x.slice(4, 7), radius: x[7] });
        }
    }
    // poses of all bodies, 12 numbers each, and energies
    move(q, v) {
        const c = this.engine.c;
        this.engine.numbers(c.tact_page_picture_q(this.at), this.nq).set(q);
        this.engine.numbers(c.tact_page_picture_v(this.at), this.nv).set(v);
        const all = this.engine.numbers(c.tact_page_picture_move(this.at), 12 * this.nbody + 2).slice();
        return { pose: all.subarray(0, 12 * this.nbody), motion: all[12 * this.nbody], weight: all[12 * this.nbody + 1] };
    }
    close() {
        this.engine.c.tact_page_picture_close(this.at);
    }
}
