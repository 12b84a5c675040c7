// SPDX-License-Identifier: MIT
// The solver on the state at hand: its law, another one beside it, options, commands; and the scene of a recorded run.
import { Refused } from './engine.js';

// words of options that the first line of a trace has as numbers, in their order; limits is true or false there
const WORDS = { limits: ['off', 'barrier'], integrator: ['bdf1', 'bdf2', 'midpoint'], penalty: ['exp', 'softplus', 'algebraic', 'quadratic'],
                friction: ['clamp', 'tanh', 'none'], damping: ['product', 'sum'], gradient: ['exact', 'straight', 'frozen'],
                manifold: ['features', 'closest', 'sum', 'stein', 'descent'] };
export const LAWS = ['barrier', 'virtual', 'rigid'];
const setting = (key, value) => (WORDS[key] ? WORDS[key][Number(value)] : JSON.stringify(value));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export const laws = {
    reopen(side, law) {
        const scene = this.engine.open(this.path, law, this.settings);
        scene.copy(side.scene);
        this.dropProbe(side);
        this.prepare(scene);
        side.scene.close();
        side.scene = scene;
        side.stopped = false;
    },
    prepare(scene) {
        scene.take(this.run.manual);
        scene.friction(this.run.friction);
    },

    // whether the scene can be stepped by a law
    takes(law) {
        const key = `${law} ${JSON.stringify(this.settings)}`;
        this.taking ??= new Map();
        if (!this.taking.has(key)) {
            try {
                this.engine.open(this.path, law, this.settings).close();
                this.taking.set(key, true);
            } catch {
                this.taking.set(key, false);
            }
        }
        return this.taking.get(key);
    },
    // the keys pass over laws that refuse the scene, and say so where there is no other
    nextLaw() {
        if (!this.canStep()) return this.setLaw('');
        const at = LAWS.indexOf(this.run.law), law = [1, 2].map((k) => LAWS[(at + k) % 3]).find((l) => this.takes(l));
        if (law) this.setLaw(law);
        else this.flash(`no other law takes this scene: the list of laws in the panel says why`);
    },
    nextCompare() {
        if (!this.canStep()) return this.setCompare('none');
        const all = ['none', ...LAWS.filter((l) => l !== this.run.law && this.takes(l)), this.run.law], at = all.indexOf(this.run.compare);
        this.setCompare(all[(at + 1) % all.length]);
    },

    setLaw(law) {
        if (!this.canStep()) return this.refuse('a recorded run has one law; go on from one of its frames, or open its scene, to change it');
        if (this.plan) this.stopFollow();
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
    },

    setCompare(law) {
        if (!this.canStep()) return this.refuse('a recorded run has one law; go on from one of its frames, or open its scene, to compare');
        const [, other] = this.sides;
        if (other) {
            other.scene.close();
            other.stage.dispose();
            this.sides.length = 1;
        }
        if (law !== 'none' && this.plan) this.stopFollow();
        this.run.compare = 'none';
        try {
            if (law !== 'none') {
                const side = this.makeSide(this.engine.open(this.path, law, this.settings));
                side.scene.copy(this.side.scene);
                this.prepare(side.scene);
                side.frames = [side.scene.frame()];
                this.sides.push(side);
                this.run.compare = law;
            }
        } catch (error) {
            this.refuse(error);
        }
        this.buildCharts();
        this.refresh();
    },

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
    },

    takeOver(manual) {
        this.run.manual = manual;
        this.sides.forEach((side) => side.scene?.take(manual));
        this.refresh();
    },
    command(k, value) {
        if (!this.run.manual) this.takeOver(true);
        for (const side of this.sides) if (side.scene) side.scene.u[k] = value;
    },

    // The scene of which the recorded run is, with the law and options of the run. What remains different is refused.
    findOrigin(header) {
        const settings = { ...this.settings };
        for (let round = 0;; round++) {
            const scene = this.engine.open(this.path, header.law, settings), { options } = scene.header;
            const odd = Object.keys(header.options).filter((key) => !same(header.options[key], options[key]));
            const other = ['bodies', 'dofs', 'commands', 'joints', 'shapes', 'pairs'].find((key) => !same(header[key], scene.header[key]));
            if (!odd.length && !other) {
                this.settings = settings;
                return scene;
            }
            scene.close();
            if (other) throw new Refused(`${this.path} is not the scene of this run: its ${other} are others`);
            if (round === 3) throw new Refused(`${this.path} is not the scene of this run: its ${odd[0]} is another`);
            // these follow from others unless they were given: they are set only where they differ all the same
            const given = odd.filter((key) => key !== 'margin' && key !== 'force_min');
            for (const key of given.length ? given : odd) settings[key === 'gravity' ? key : `options.${key}`] = setting(key, header.options[key]);
        }
    },
    // A recorded run becomes one that is stepped, with its frames up to now. False after telling why not.
    openOrigin() {
        try {
            const { frames } = this.side, { index } = this, side = this.makeSide(this.findOrigin(this.trace.header));
            this.replaceSides([{ ...side, frames: frames.slice() }]);
            this.trace = null;
            this.index = index;
            this.prepare(side.scene);
            return true;
        } catch (error) {
            this.refuse(error);
            return false;
        }
    },
};
