// SPDX-License-Identifier: MIT
// How an object would move with the commands: of one joint, or of a finger that closes. A finger is a chain of driven joints that
// ends in a contact sphere, from where it leaves the palm. It closes as its joints bring that sphere towards the object's centre of
// mass, each in proportion to how much it does, all together by one unit: sqrt(sum of squares) = 1 rad (or m).

// fingers of a picture: name of the sphere, its shape, its top body, its commands
export function findFingers(picture) {
    const { joints, bodies, dofs, commands } = picture.header, index = new Map(bodies.map((name, b) => [name, b]));
    const parent = joints.map((j) => index.get(j.parent) ?? -1), depth = (b) => (b < 0 ? 0 : 1 + depth(parent[b]));
    const tips = picture.shapes.map((shape, s) => ({ ...shape, s })).filter((shape) => shape.figure === 'ball' && shape.body >= 0 && picture.robot[shape.body]);
    // on how many ways from a body there are tips
    const ways = bodies.map(() => new Set());
    for (const tip of tips) for (let b = tip.body; parent[b] >= 0; b = parent[b]) ways[parent[b]].add(b);
    const fingers = new Map();
    for (const tip of tips) {
        const chain = [tip.body];
        while (parent[chain[0]] >= 0 && ways[parent[chain[0]]].size < 2) chain.unshift(parent[chain[0]]);
        const driven = chain.filter((b) => joints[b].v !== undefined && commands.includes(dofs[joints[b].v]));
        const known = fingers.get(chain[0]);
        if (!driven.length || (known && depth(known.body) >= depth(tip.body))) continue;
        fingers.set(chain[0], { name: tip.name, tip: tip.s, body: tip.body, top: chain[0] });
    }
    return [...fingers.values()];
}

export const derivative = {
    // what can be chosen: fingers, then joints
    choices() {
        return [...this.fingers.map((f) => `finger ${f.name}`), ...this.header.commands.map((name) => `joint ${name}`)];
    },
    chosenFinger() {
        return this.fingers.find((f) => `finger ${f.name}` === this.run.chosen);
    },
    chosenJoint() {
        return this.header.commands.findIndex((name) => `joint ${name}` === this.run.chosen);
    },
    chooseNext() {
        const all = this.choices();
        this.run.chosen = all[(all.indexOf(this.run.chosen) + 1) % all.length] ?? '';
        this.refresh();
    },

    // what is held, or the first object that moves
    object() {
        return this.held >= 0 ? this.held : this.side.stage.loose.find((b) => this.header.joints[b].type !== 'fixed') ?? -1;
    },
    // the direction of what is chosen; null when it does not move anything
    way(scene) {
        const finger = this.chosenFinger(), joint = this.chosenJoint(), body = this.object();
        if (body < 0) return null;
        if (finger) return scene.closeFinger(finger.tip, finger.top, body) > 0 ? scene.way : null;
        if (joint < 0) return null;
        scene.way.fill(0);
        scene.way[joint] = 1;
        return scene.way;
    },
    // The scene in the state that is shown: itself, or while an earlier frame is looked at another one of it.
    shownScene() {
        const { side, frame } = this;
        if (!side.scene || this.index === side.frames.length - 1) return side.scene;
        side.probe ??= this.engine.open(this.path, side.scene.header.law, this.plan ? this.plantSettings(this.plan) : this.settings);
        side.probe.take(true);
        side.probe.restore(frame);
        return side.probe;
    },
    dropProbe(side) {
        side.probe?.close();
        side.probe = null;
    },
    drawDerivative() {
        const { stage } = this.side, body = this.object(), scene = this.run.derivative ? this.shownScene() : null;
        this.slope = null;
        if (!scene || !this.way(scene)) return stage.hideSlope();
        this.slope = scene.slope(body);
        stage.drawSlope(this.com(body), this.slope);
    },
    // a little way along what is chosen: a finger closes or opens, a joint turns
    turn(way) {
        if (!this.canStep()) return;
        const { scene } = this.side, along = this.way(scene);
        if (!along) return;
        const direction = [...along];
        direction.forEach((x, k) => {
            if (x === 0) return;
            const { low, high } = this.limits[k], size = this.chosenJoint() >= 0 && high - low < 1e9 ? (high - low) / 50 : 0.03;
            this.command(k, Math.min(high, Math.max(low, scene.u[k] + way * size * x)));
        });
        this.readCommands();
    },
};
