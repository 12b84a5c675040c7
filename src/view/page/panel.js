// SPDX-License-Identifier: MIT
// The panel: law, options, what is shown, joints, files.
import GUI from 'lil-gui';
import { LAWS } from './laws.js';
import { filmKinds } from './record.js';
import { short } from './text.js';

const SHOWN = { forces: 'forces (f)', points: 'contact points', normals: 'normals (n)', cones: 'friction cones (x)', labels: 'labels (b)', trails: 'trails (t)',
                axes: 'x y z: red, green, blue (a)', shadows: 'shadows', edges: 'edges', meshes: 'meshes (y)', plan: 'plan (j)' };

// a slider of the logarithm that shows and takes the number itself
function addLogarithm(folder, run, key, name, low, high, done) {
    const slider = folder.add(run, key, low, high, 0.01).name(name), plain = slider.updateDisplay.bind(slider), box = slider.$input;
    slider.updateDisplay = () => {
        plain();
        if (document.activeElement !== box) box.value = short(10 ** run[key]);
        return slider;
    };
    box.addEventListener('input', (event) => {
        event.stopImmediatePropagation();
        const x = Math.log10(Number(box.value));
        if (Number.isFinite(x)) slider.setValue(Math.min(high, Math.max(low, x)));
    }, true);
    slider.onFinishChange(() => done(+(10 ** run[key]).toPrecision(4)));
    slider.updateDisplay();
}

export const panel = {
    buildPanel() {
        const { run } = this, header = this.side.scene?.header ?? this.header, narrow = innerWidth < 700, live = this.canStep();
        const closed = this.panel ? this.panel._closed : narrow, open = new Set(this.panel?.folders.filter((f) => !f._closed).map((f) => f._title));
        this.panel?.destroy();
        const all = (this.panel = new GUI({ container: document.getElementById('panel'), title: 'Tact', width: narrow ? 260 : 290 }));
        all.add(run, 'speed', 0.05, 4, 0.05).name('speed [x]').listen();
        if (live) {
            all.add(run, 'law', LAWS).onChange((law) => this.setLaw(law)).listen();
            all.add(run, 'compare', ['none', ...LAWS]).name('compare with').onChange((law) => this.setCompare(law)).listen();
            if (this.plan) this.followControls(all.addFolder('Goal'));
            else this.optionSliders(all.addFolder('Options'), header);
        }
        if (!live && this.path) all.add({ on: () => this.goOn() }, 'on').name('go on from this frame (h)');
        const view = all.addFolder('Show').close();
        for (const key of Object.keys(SHOWN)) view.add(this.show, key).name(SHOWN[key]).onChange(() => (this.changed = true)).listen();
        view.add(run, 'arrows', 0.1, 10, 0.1).name('arrow length [x]').onChange(() => (this.changed = true));
        this.jointSliders(all, live);
        this.fileButtons(all.addFolder('File').close(), live);
        all.add({ help: () => this.toggleHelp() }, 'help').name('keys (?)');
        all.folders.filter((f) => open.has(f._title)).forEach((f) => f.open());
        if (closed) all.close();
    },

    followControls(folder) {
        const { run } = this;
        folder.add(run, 'goals', { 'a next one': 'next', stay: 'stay' }).name('once reached');
        folder.add({ f: () => this.nextGoal() }, 'f').name('another goal');
        folder.add({ f: () => this.turnGoal({ x: 0, y: 0, z: 1 }, Math.PI / 2) }, 'f').name('turn it by 90 degrees');
        folder.add({ f: () => this.toggleFollow() }, 'f').name('end following (p)');
    },

    optionSliders(folder, header) {
        const { run } = this, o = header.options ?? {}, law = header.law;
        const logarithm = (key, name, low, high) => {
            if (typeof o[key] !== 'number') return;
            run[key] = Math.log10(Math.max(o[key], 10 ** low));
            addLogarithm(folder, run, key, name, low, high, (x) => this.setOption(key, x));
        };
        logarithm('dt', 'dt [s]', -4, -1);
        if (law === 'barrier') logarithm('kappa', 'κ [1/J]', 0, 7), logarithm('epsilon', 'ε', -3, 2);
        if (law === 'virtual') logarithm('temperature', 'temperature [m]', -6, -1);
        folder.add(run, 'friction', 0, 3, 0.01).name('μ, as factor').onChange((x) => this.sides.forEach((side) => side.scene.friction(x)));
    },

    jointSliders(all, live) {
        const { commands } = this.header, { run } = this;
        this.values = {};
        this.limits = live ? this.side.scene.limits() : [];
        if (!live || !commands.length) return;
        const folder = all.addFolder(`Joints (${commands.length})`).close();
        folder.add(run, 'manual').name('by hand (g)').onChange((on) => this.takeOver(on)).listen();
        folder.add(run, 'chosen', this.choices()).name('chosen (;)').onChange(() => (this.changed = true)).listen();
        folder.add(run, 'derivative').name('∂object/∂chosen (d)').onChange(() => (this.changed = true)).listen();
        commands.forEach((name, k) => {
            const { low, high } = this.limits[k], { u } = this.side.scene, far = this.side.stage.size;
            this.values[k] = u[k];
            const slider = folder.add(this.values, String(k), Math.max(low, u[k] - (low < -1e9 ? far : 1e9)), Math.min(high, u[k] + (high > 1e9 ? far : 1e9)));
            slider.name(name.length > 18 ? `…${[...name].slice(-16).join('')}` : name).decimals(4).onChange((x) => this.command(k, x)).listen();
            slider.domElement.title = `${name} [${this.unitOf(k)}]`;
        });
    },
    // rad or m, or N and N m where a force is commanded
    unitOf(k) {
        const { joints, dofs, commands } = this.header, joint = joints.find((j) => j.v === dofs.indexOf(commands[k]));
        return joint?.type === 'prismatic' ? 'm' : 'rad';
    },

    fileButtons(folder, live) {
        folder.add({ f: () => document.getElementById('file').click() }, 'f').name('open a scene or a trace ...');
        folder.add({ f: () => this.copyState() }, 'f').name('copy state as scene JSON');
        folder.add({ f: () => this.savePicture() }, 'f').name('save picture (PNG)');
        folder.add(this.run, 'film', filmKinds()).name('film (z)').listen();
        if (live) folder.add({ f: () => this.saveTrace() }, 'f').name('save undisturbed run as trace');
    },

    // sliders are where the commands of the frame that is shown are
    readCommands() {
        if (!this.canStep()) return;
        const { u } = this.index === this.side.frames.length - 1 ? this.side.scene : this.frame;
        for (const k of Object.keys(this.values)) this.values[k] = u[k];
    },
    refresh() {
        this.changed = true;
        this.status();
        this.panel?.controllersRecursive().forEach((c) => c.updateDisplay());
    },
};
