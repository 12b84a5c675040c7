// SPDX-License-Identifier: MIT
// Charts against time of the frames at hand, of one size whatever they hold: normal forces, gaps, iterations, energy; of two laws beside
// each other their difference, and of a controller its errors, times and commands.
import uPlot from 'uplot';
import { short } from './text.js';

// colours that colour-blind readers tell apart (Okabe and Ito), on light and on dark ground
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7a6a9c', '#8a8f2c'], CURVES = 8, POINTS = 1500;
const DASHES = [[], [7, 3], [2, 3], [7, 3, 2, 3]], HEIGHT = 103;

const tick = (x) => (x !== 0 && Math.abs(x) < 1e-3 ? (+x.toPrecision(4)).toExponential() : String(+x.toPrecision(6)));
// colour and dashes belong to a place in the scene's list, and stay
const look = (k) => ({ stroke: COLOURS[k % COLOURS.length], dash: DASHES[Math.floor(k / COLOURS.length) % DASHES.length] });
const largest = (frame, which, at, start, better) => {
    let found = null;
    for (let i = 0; i < frame.contacts.length; i += 14) if (frame.contacts[i] === which) found = found === null ? start(frame.contacts[i + at]) : better(found, frame.contacts[i + at]);
    return found;
};
const KINDS = {
    force: (f, which) => largest(f, which, 11, (x) => x, (a, b) => a + b),
    gap: (f, which) => largest(f, which, 1, (x) => x, Math.min),
    iterations: (f) => f.iterations,
    energy: (f, which, { energy }) => {
        const e = (f.energy ??= energy(f));
        return which === 0 ? e.motion : which === 1 ? e.weight : e.motion + e.weight;
    },
    error: (f, which) => (f.error ? (which === 0 ? 1000 * f.error.position : 180 / Math.PI * f.error.angle) : null),
    solve: (f) => f.solve ?? null,
    command: (f, which) => f.u[which],
    apart: (f, which, { apart }, other) => (other ? apart(f, other)[which] : null),
};

const LONG = 18, ENDS = [4, 3]; // of a name that is longer, so many first and last letters of both shapes

// What most names of pairs have in common is left out: 'thumb – ball', 'index – ball' are thumb and index. Long ones lose a prefix
// that all have, as 'rh_', and the middle of their shapes' names, as numbers that tell them apart stand at the end.
function shorten(names) {
    const brief = leaveCommon(names), first = brief.map((name) => name.split(' – ')[0]);
    if (!brief.some((name) => name.length > LONG)) return brief;
    const begin = first[0].match(/^[^_]*_/)?.[0] ?? '', prefix = first.every((name) => name.startsWith(begin)) ? begin : '';
    const cut = (name) => (name.length > ENDS[0] + ENDS[1] + 1 ? `${name.slice(0, ENDS[0])}…${name.slice(-ENDS[1])}` : name);
    const short = brief.map((name) => {
        const parts = name.split(' – ').map((part) => (part.startsWith(prefix) ? part.slice(prefix.length) : part)), whole = parts.join(' – ');
        return whole.length > LONG ? parts.map(cut).join(' – ') : whole;
    });
    return new Set(short).size === new Set(brief).size ? short : brief;
}
function leaveCommon(names) {
    const parts = names.map((name) => name.split(' – ')), count = new Map();
    for (const name of parts.flat()) count.set(name, (count.get(name) ?? 0) + 1);
    const [common, most] = [...count].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
    if (most < 2 || 2 * most < names.length) return names;
    const brief = parts.map((p, i) => (p.length === 2 && p.includes(common) ? p.find((name) => name !== common) ?? common : names[i]));
    return new Set(brief).size === names.length ? brief : names;
}

export class Charts {
    constructor(root, onPick) {
        this.root = root;
        this.onPick = onPick;
        this.sync = uPlot.sync('tact');
        this.plots = [];
    }
    clear() {
        this.seen = null;
        this.plots.forEach((p) => p.plot.destroy());
        this.plots = [];
        this.root.replaceChildren();
    }
    // pairs: names of all; commands: names; object: name of the one whose errors are drawn; mode: '', 'compare', 'follow'; laws: of both sides
    build({ pairs, commands, object, mode, laws = [] }) {
        this.clear();
        this.names = { pair: pairs, command: commands };
        this.laws = laws;
        this.root.dataset.charts = mode === 'compare' ? 5 : 4;
        if (mode === 'follow') {
            this.add(`${object} from its goal`, 'error', ['mm', 'degrees']);
            this.add('solve [ms]', 'solve', ['solve']);
            this.add('commands', 'command', null, 'command');
            this.add('normal force [N]', 'force', null, 'pair');
            return;
        }
        this.add('normal force [N]', 'force', null, 'pair');
        this.add('gap [m]', 'gap', null, 'pair');
        this.add('iterations', 'iterations', ['iterations']);
        this.add('energy [J]', 'energy', ['motion', 'weight', 'sum']);
        if (mode === 'compare') this.add(`${object}: difference`, 'apart', ['m', 'rad']);
    }
    add(title, kind, labels, of) {
        const cell = document.createElement('div'), part = (name) => {
            const made = document.createElement('div');
            made.className = name;
            cell.append(made);
            return made;
        };
        cell.className = 'chart';
        this.root.append(cell);
        const chart = { title, kind, of, labels, cell, head: part('title'), box: part('plot'), legend: part('legend'), used: labels ? labels.map((_, i) => i) : [] };
        this.plots.push(chart);
        this.make(chart, labels ?? []);
    }
    // two curves of each label where laws are compared: the second one thin and pale
    make(chart, labels) {
        const dark = document.documentElement.dataset.theme === 'dark', ink = dark ? '#c9d1d9' : '#3b434c', grid = dark ? '#2b323a' : '#dde3e9';
        const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, font: '11px system-ui', size: 26 };
        const twice = this.laws.length > 1 && chart.kind !== 'apart', series = [{}];
        labels.forEach((label, i) => series.push({ label, ...look(chart.of ? chart.used[i] : i), width: 1.5, points: { show: false } }));
        if (twice) labels.forEach((label, i) => series.push({ label, stroke: `${look(chart.of ? chart.used[i] : i).stroke}99`, width: 1, dash: [3, 3], points: { show: false } }));
        chart.plot?.destroy();
        chart.head.textContent = chart.title;
        chart.items = labels.map((label, i) => {
            const item = document.createElement('span'), name = document.createElement('i'), value = document.createElement('b');
            name.style.borderColor = look(chart.of ? chart.used[i] : i).stroke;
            name.textContent = label;
            name.title = chart.of ? this.names[chart.of][chart.used[i]] : label;
            item.append(name, ' ', value);
            return { item, value };
        });
        chart.legend.replaceChildren(...chart.items.map(({ item }) => item));
        // what differs by rounding is equal
        const equal = (low, high) => high - low <= 1e-12 + 1e-9 * Math.max(-low, high);
        const range = (u, low, high) => (low === null ? [0, 1] : equal(low, high) ? [Math.min(0, low), high > 1e-12 ? high : 1] : uPlot.rangeNum(low, high, 0.1, true));
        chart.plot = new uPlot({ width: Math.max(chart.cell.clientWidth, 160), height: HEIGHT, series, legend: { show: false }, scales: { x: { time: false }, y: { range } },
                                 axes: [axis, { ...axis, size: 52, space: 18, values: (u, ticks) => ticks.map(tick) }], hooks: { setCursor: [() => this.read(chart)] },
                                 cursor: { y: false, sync: { key: this.sync.key }, bind: { mousedown: (u, target, handler) => (e) => { handler(e); this.pick(u); } } } },
                               [[], ...series.slice(1).map(() => [])], chart.box);
    }
    // numbers under the cursor
    read(chart) {
        const { plot, items } = chart, at = plot?.cursor.idx;
        items.forEach(({ value }, i) => {
            const x = at == null ? null : plot.data[i + 1]?.[at];
            value.textContent = x == null ? '' : short(x);
        });
    }
    pick(u) {
        const t = u.posToVal(u.cursor.left, 'x');
        if (Number.isFinite(t)) this.onPick(t);
    }
    // sides: their frames; thinned. ways: energy of a frame, how far two frames are apart
    update(sides, ways, index) {
        if (!this.root.clientWidth) return;
        const [frames, others] = sides, every = Math.max(1, Math.ceil(frames.length / POINTS)), kept = frames.filter((_, i) => i % every === 0 || i === frames.length - 1);
        const t = kept.map((f) => f.t), beside = others && this.align(kept, others);
        for (const chart of this.plots) {
            if (chart.of) this.choose(chart, frames, kept);
            const value = KINDS[chart.kind], data = chart.used.map((which) => kept.map((f, i) => value(f, which, ways, beside?.[i])));
            if (this.laws.length > 1 && chart.kind !== 'apart') for (const which of chart.used) data.push(beside.map((f) => (f ? value(f, which, { energy: ways.otherEnergy }) : null)));
            chart.plot.setData([t, ...data]);
        }
        // scales follow the data a moment later
        setTimeout(() => this.mark(frames[index]?.t));
    }
    // of each frame the one of the other side at the same step
    align(kept, others) {
        let at = 0;
        return kept.map((f) => {
            while (at < others.length - 1 && others[at].step < f.step) at++;
            return others[at]?.step === f.step ? others[at] : null;
        });
    }
    // The strongest pairs, then the nearest; the commands that move most. They change only where another one has become stronger.
    choose(chart, frames, kept) {
        const score = chart.of === 'pair' ? this.scorePairs(frames) : new Map();
        if (chart.of === 'command')
            kept[0].u.forEach((_, k) => {
                let low = Infinity, high = -Infinity;
                for (const f of kept) low = Math.min(low, f.u[k]), high = Math.max(high, f.u[k]);
                score.set(k, high - low);
            });
        const used = [...score].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CURVES).map(([which]) => which).sort((a, b) => a - b);
        const title = score.size > used.length ? `, ${used.length} of ${score.size}` : '';
        if (used.join() !== chart.used.join()) {
            chart.used = used;
            this.make(chart, shorten(used.map((which) => this.names[chart.of][which] ?? String(which))));
        }
        chart.head.textContent = chart.title + title;
    }
    // of each pair that came near: its greatest force, or else how near; frames that were seen before are not read again
    scorePairs(frames) {
        if (!this.seen || this.seen.first !== frames[0] || this.seen.count > frames.length) this.seen = { first: frames[0], count: 0, score: new Map() };
        const { seen } = this, { score } = seen;
        for (; seen.count < frames.length; seen.count++) {
            const { contacts } = frames[seen.count];
            for (let i = 0; i < contacts.length; i += 14) {
                const force = contacts[i + 11], rank = force > 1e-9 ? force : -Math.abs(contacts[i + 1]);
                if (rank > (score.get(contacts[i]) ?? -Infinity)) score.set(contacts[i], rank);
            }
        }
        return score;
    }
    mark(t) {
        if (t === undefined) return;
        for (const { plot } of this.plots) {
            const left = plot.valToPos(t, 'x');
            if (Number.isFinite(left) && !plot.root.matches(':hover')) plot.setCursor({ left, top: 5 }, false);
        }
        this.plots.forEach((chart) => this.read(chart));
    }
    resize() {
        for (const { plot, cell } of this.plots) plot.setSize({ width: Math.max(cell.clientWidth, 160), height: HEIGHT });
    }
}
