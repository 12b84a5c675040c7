// SPDX-License-Identifier: MIT
// Charts against time of the frames at hand: normal forces, gaps, iterations, energy.
import uPlot from 'uplot';

const COLOURS = ['#2f76c0', '#d1495b', '#2a9d6f', '#a06cd5', '#d9822b', '#1298a8', '#8a8f2c', '#9a6a4f'], CURVES = 8, POINTS = 1500;

const tick = (x) => (x !== 0 && Math.abs(x) < 1e-3 ? (+x.toPrecision(4)).toExponential() : String(+x.toPrecision(6)));

export class Charts {
    constructor(root, onPick) {
        this.root = root;
        this.onPick = onPick;
        this.sync = uPlot.sync('tact');
        this.plots = [];
    }
    clear() {
        this.plots.forEach((p) => p.plot.destroy());
        this.plots = [];
        this.root.replaceChildren();
    }
    // names: of the pairs
    build(names) {
        this.clear();
        this.names = names;
        this.add('normal force [N]', 'force', true);
        this.add('gap [m]', 'gap', true);
        this.add('iterations', 'iterations', false, ['iterations']);
        this.add('energy [J]', 'energy', false, ['motion', 'weight', 'sum']);
    }
    add(title, kind, pairs, labels) {
        const cell = document.createElement('div');
        cell.className = 'chart';
        this.root.append(cell);
        this.plots.push({ title, kind, pairs, labels, cell, used: labels ? labels.map((_, i) => i) : [], plot: this.make(cell, title, labels ?? []) });
    }
    make(cell, title, labels) {
        const dark = document.documentElement.dataset.theme === 'dark', ink = dark ? '#c9d1d9' : '#3b434c', grid = dark ? '#2b323a' : '#dde3e9';
        const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, font: '11px system-ui', size: 26 };
        const series = [{ label: 't [s]', value: (u, x) => (x == null ? '' : x.toFixed(3)) }];
        labels.forEach((label, i) => series.push({ label: [...label].slice(0, 28).join(''), stroke: COLOURS[i % COLOURS.length], width: 1.4, points: { show: false },
                                                   value: (u, x) => (x == null ? '' : x.toPrecision(4)) }));
        const size = { width: Math.max(cell.clientWidth, 160), height: 118 };
        return new uPlot({ ...size, title, series, legend: { live: true, show: labels.length > 0 }, scales: { x: { time: false } },
                           axes: [axis, { ...axis, size: 52, values: (u, ticks) => ticks.map(tick) }], cursor: { y: false, sync: { key: this.sync.key }, bind: {
                               mousedown: (u, target, handler) => (e) => { handler(e); this.pick(u); } } } }, [[], ...labels.map(() => [])], cell);
    }
    pick(u) {
        const t = u.posToVal(u.cursor.left, 'x');
        if (Number.isFinite(t)) this.onPick(t);
    }
    // the frames, thinned; energies by a function of a frame
    update(frames, energy, index) {
        if (!this.root.clientWidth) return;
        const every = Math.max(1, Math.ceil(frames.length / POINTS)), kept = frames.filter((_, i) => i % every === 0 || i === frames.length - 1);
        const t = kept.map((f) => f.t);
        for (const chart of this.plots) {
            if (chart.pairs) this.choosePairs(chart, kept);
            const data = chart.used.map((which) => kept.map((f) => this.value(chart.kind, f, which, energy)));
            chart.plot.setData([t, ...data]);
        }
        // scales follow the data a moment later
        setTimeout(() => this.mark(frames[index]?.t));
    }
    choosePairs(chart, frames) {
        const used = new Set(chart.used);
        for (const f of frames.slice(-200)) for (let i = 0; i < f.contacts.length; i += 14) if (used.size < CURVES) used.add(f.contacts[i]);
        if (used.size === chart.used.length) return;
        chart.used = [...used];
        chart.plot.destroy();
        chart.plot = this.make(chart.cell, chart.title, chart.used.map((p) => this.names[p] ?? String(p)));
    }
    value(kind, frame, which, energy) {
        if (kind === 'iterations') return frame.iterations;
        if (kind === 'energy') {
            const e = (frame.energy ??= energy(frame));
            return which === 0 ? e.motion : which === 1 ? e.weight : e.motion + e.weight;
        }
        let sum = null;
        for (let i = 0; i < frame.contacts.length; i += 14) {
            if (frame.contacts[i] !== which) continue;
            sum = kind === 'force' ? (sum ?? 0) + frame.contacts[i + 11] : Math.min(sum ?? Infinity, frame.contacts[i + 1]);
        }
        return sum;
    }
    mark(t) {
        if (t === undefined) return;
        for (const { plot } of this.plots) {
            const left = plot.valToPos(t, 'x');
            if (Number.isFinite(left) && !plot.root.matches(':hover')) plot.setCursor({ left, top: 5 }, false);
        }
    }
    resize() {
        for (const { plot, cell } of this.plots) plot.setSize({ width: Math.max(cell.clientWidth, 160), height: 118 });
    }
}
