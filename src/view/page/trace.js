// SPDX-License-Identifier: MIT
// Recorded runs: JSON Lines to frames, read piece by piece so that a large file neither stops the page nor fills its memory.
import { Refused } from './engine.js';
import { sizeOf } from './time.js';

const FRAMES = 20000, BYTES = 200e6, LINE = 16 << 20;
const number = (x) => (Number.isFinite(x) ? x : 0);

function checkFirst(first, text) {
    if (typeof first !== 'object' || first === null || !('tact_trace' in first)) throw new Refused('not a trace: the first line has no "tact_trace"');
    if (first.tact_trace !== 1) throw new Refused(`trace of version ${String(first.tact_trace).slice(0, 40)}; this page reads version 1`);
    for (const key of ['bodies', 'joints', 'shapes', 'pairs', 'dofs', 'coordinates', 'commands'])
        if (!Array.isArray(first[key])) throw new Refused(`the first line has no list "${key}"`);
    return { first: text, header: first };
}

function toVector(x, count, key, line) {
    if (!Array.isArray(x) || x.length !== count) throw new Refused(`line ${line}: "${key}" must hold ${count} numbers`);
    return Float64Array.from(x, number);
}

// Pairs that every step finds (max_contacts) have no number of their own: they get one when they are first met.
function pairOf(contact, header, found) {
    if (!(contact?.pair >= 0)) return -1;
    if (contact.pair < header.pairs.length - found.size) return contact.pair;
    if (!('max_contacts' in header)) return -1;
    const key = `${contact.a}\n${contact.b}\n${contact.vertex ?? 0}`;
    if (!found.has(key)) {
        found.set(key, header.pairs.length);
        header.pairs.push({ a: String(contact.a), b: String(contact.b), mu: number(header.mu) });
    }
    return found.get(key);
}

function toFrame(step, header, line, found) {
    if (typeof step !== 'object' || step === null || !Array.isArray(step.contacts)) throw new Refused(`line ${line}: not a step`);
    const contacts = new Float64Array(14 * step.contacts.length), own = new Map();
    step.contacts.forEach((c, i) => {
        const pair = pairOf(c, header, found);
        if (pair < 0) throw new Refused(`line ${line}: contact ${i} names no pair`);
        own.set(c.pair, pair);
        contacts.set([pair, number(c.gap), ...toVector(c.point, 3, 'point', line), ...toVector(c.normal, 3, 'normal', line),
                      ...toVector(c.force, 3, 'force', line), ...toVector(c.lambda, 3, 'lambda', line)], 14 * i);
    });
    const anchors = (Array.isArray(step.anchors) ? step.anchors : []).map((a) => {
        const pair = own.get(a?.pair) ?? a?.pair;
        if (!(pair >= 0 && pair < header.pairs.length)) throw new Refused(`line ${line}: an anchor names no pair`);
        return { pair, anchor: toVector(a.anchor, 3, 'anchor', line), normal: toVector(a.normal, 3, 'normal', line) };
    });
    const past = step.q_past && { q: toVector(step.q_past, header.nq, 'q_past', line), v: toVector(step.v_past, header.nv, 'v_past', line) };
    return { anchors, past, t: number(step.t), step: number(step.step), q: toVector(step.q, header.nq, 'q', line), v: toVector(step.v, header.nv, 'v', line),
             u: toVector(step.u, header.nu, 'u', line), contacts, iterations: number(step.iterations), status: String(step.status) };
}

export class TraceReader {
    constructor() {
        this.frames = [];
        this.line = 0;
        this.every = 1;
        this.bytes = 0;
        this.seen = 0;
        this.rest = '';
        this.found = new Map();
    }
    take(text) {
        if (!text.trim()) return;
        this.line++;
        // lines that are not kept are not even parsed
        if (this.head && this.seen++ % this.every !== 0) return;
        let value;
        try {
            value = JSON.parse(text);
        } catch {
            throw new Refused(`line ${this.line}: not JSON (the trace is cut off or broken)`);
        }
        if (!this.head) {
            this.head = checkFirst(value, text);
            return;
        }
        const frame = toFrame(value, this.head.header, this.line, this.found);
        this.frames.push(frame);
        this.bytes += sizeOf(frame);
        if (this.frames.length < FRAMES && this.bytes < BYTES) return;
        this.frames = this.frames.filter((_, i) => i % 2 === 0);
        this.bytes /= 2;
        this.every *= 2;
    }
    add(piece) {
        const lines = (this.rest + piece).split('\n');
        this.rest = lines.pop();
        if (this.rest.length > LINE) throw new Refused(`line ${this.line + 1}: longer than 16 MiB`);
        lines.forEach((line) => this.take(line));
    }
    end() {
        this.take(this.rest);
        if (!this.head) throw new Refused('is empty');
        if (this.found.size > 0) this.head.first = JSON.stringify(this.head.header);
        if (!this.frames.length) throw new Refused('holds no step');
        return { ...this.head, frames: this.frames, every: this.every };
    }
}

export function readTrace(text) {
    const reader = new TraceReader();
    reader.add(text);
    return reader.end();
}

// progress: called with bytes read so far
export async function readTraceFile(file, progress) {
    const reader = new TraceReader(), source = file.stream().pipeThrough(new TextDecoderStream()).getReader();
    for (let bytes = 0;;) {
        const { done, value } = await source.read();
        if (done) return reader.end();
        reader.add(value);
        progress((bytes += value.length) / file.size);
    }
}
