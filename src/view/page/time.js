// SPDX-License-Identifier: MIT
// Time: steps of the solver, the frames that they leave, and what moves among them.
const MOST = { frames: 12000, bytes: 200e6 };

export const sizeOf = (frame) => 8 * (frame.q.length + frame.v.length + frame.u.length + frame.contacts.length) + 300;

export const time = {
    canStep() {
        return Boolean(this.side.scene);
    },

    step() {
        const begin = performance.now();
        let last = 0;
        for (const side of this.sides) {
            if (!side.scene || side.stopped) continue;
            if (this.plan) this.control();
            last = side.scene.step();
            const frame = side.scene.frame();
            if (this.plan && last >= 0) this.judge(frame);
            if (side.restarted) {
                side.restarted = false;
                continue;
            }
            if (last < 0) {
                side.stopped = true;
                this.message(`${side.scene.header.law}: step ${side.scene.steps + 1} has no answer: ${side.scene.statusName()}. Reset, or change something.`);
            }
            side.frames.push(frame);
            if (side.frames.length > MOST.frames || side.frames.length * sizeOf(frame) > MOST.bytes) side.frames.splice(0, Math.ceil(side.frames.length / 12));
        }
        this.solver += performance.now() - begin;
        this.index = this.side.frames.length - 1;
        this.changed = true;
        if (this.sides.every((side) => side.stopped)) this.pause();
    },

    advance(seconds) {
        if (!this.run.playing) return;
        this.due += Math.min(seconds, 0.1) * this.run.speed;
        if (this.canStep()) return this.advanceScene();
        const { frames } = this.side;
        while (this.index < frames.length - 1 && this.due >= frames[this.index + 1].t - frames[this.index].t) {
            this.due -= frames[this.index + 1].t - frames[this.index].t;
            this.index++;
            this.changed = true;
        }
        if (this.index >= frames.length - 1) this.pause();
    },
    // the state goes on from where it is, whatever is looked at
    advanceScene() {
        const { dt } = this.side.scene.header, until = performance.now() + 25;
        while (this.due >= dt && this.run.playing && performance.now() < until) {
            this.due -= dt;
            this.step();
        }
        if (this.due > 4 * dt) this.due = 0;
    },

    play() {
        if (!this.canStep() && this.index >= this.side.frames.length - 1) this.seek(0);
        this.run.playing = true;
        this.due = 0;
        this.sides.forEach((side) => (side.stopped = false));
        this.refresh();
    },
    pause() {
        this.run.playing = false;
        this.refresh();
    },
    toggle() {
        this.run.playing ? this.pause() : this.play();
    },
    single(way) {
        this.pause();
        if (way > 0 && this.canStep() && this.index === this.side.frames.length - 1) this.step();
        else this.seek(this.index + way);
    },
    seek(index) {
        this.index = Math.max(0, Math.min(this.side.frames.length - 1, Math.round(index)));
        if (this.panel) this.readCommands();
        this.changed = true;
    },
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
    },

    reset() {
        for (const side of this.sides) {
            side.stage.clearTrails();
            side.stopped = false;
            if (!side.scene) continue;
            side.scene.reset();
            side.frames = [side.scene.frame()];
        }
        this.release();
        if (this.plan) this.restartFollow();
        else this.run.manual = false;
        this.due = 0;
        this.seek(0);
        this.message('');
        this.refresh();
    },

    // whether the frame that is shown can become the present
    canGoOn() {
        return this.canStep() ? this.index < this.side.frames.length - 1 : Boolean(this.path);
    },
    // The frame that is shown becomes the present: what came after it is forgotten. A recorded run needs its scene for that.
    goOn() {
        const { frame } = this;
        if (frame.status === 'infeasible' || frame.status === 'singular') return this.refuse('this step has no answer to go on from');
        this.release();
        if (this.plan) this.stopFollow();
        if (!this.canStep() && !this.openOrigin()) return;
        this.sides.forEach((side) => {
            const from = side.frames.findLast((f) => f.step <= frame.step) ?? side.frames[0];
            side.frames.length = side.frames.indexOf(from) + 1;
            side.scene.restore(from);
            side.stopped = false;
            side.stage.clearTrails();
        });
        this.seek(Infinity);
        this.message('');
        this.buildPanel();
        this.refresh();
    },
};
