// SPDX-License-Identifier: MIT
// Model predictive control, live: each tick the controller of `tact mpc` plans from the state at hand, and the scene is moved by its
// command. The goal is a ghost that the mouse or the keys take along; who reaches it gets the next one.
import * as THREE from 'three';

const DROP = 0.15;  // so far below the goal the object has been dropped [m]

export const follow = {
    // settings of the scene that is moved: rigid, in whole parts of a tick
    plantSettings(plan) {
        return { ...this.settings, 'options.dt': String(plan.dt) };
    },
    toggleFollow() {
        this.plan ? this.stopFollow() : this.startFollow();
    },
    startFollow() {
        if (!this.canStep()) return this.refuse('a recorded run has nothing to control: go on from one of its frames first');
        let plan, scene;
        try {
            plan = this.engine.plan(this.path, this.settings);
            scene = this.engine.open(this.path, 'rigid', this.plantSettings(plan));
        } catch (error) {
            plan?.close();
            return this.refuse(error);
        }
        if (this.sides.length > 1) this.setCompare('none');
        this.release();
        const { side, frame } = this;
        side.probe?.close();
        side.probe = null;
        scene.q.set(frame.q);
        scene.v.fill(0);
        scene.take(true);
        scene.c.tact_page_restored(scene.at, frame.t, 0);
        side.scene.close();
        Object.assign(side, { scene, frames: [], stopped: false });
        this.plan = plan;
        this.lawBefore = this.run.law;
        Object.assign(this.run, { law: 'rigid', manual: true });
        this.counts = { reached: 0, dropped: 0 };
        this.goal = [...plan.goal];
        this.firstGoal = [...plan.goal];
        this.beginFollow();
        this.message('');
        this.buildRest();
        this.play();
    },
    // from the start of the scene and with its goal
    restartFollow() {
        this.side.scene.take(true);
        this.goal = this.firstGoal.slice();
        this.counts = { reached: 0, dropped: 0 };
        this.beginFollow();
    },
    // the plan begins anew where the object is
    beginFollow() {
        const { side, plan } = this;
        plan.reset(side.scene.q.slice());
        this.heldFor = 0;
        this.part = 0;
        side.frames = [side.scene.frame()];
        side.stage.clearTrails();
        side.stage.showGoal(plan.body, plan.horizon);
        this.index = 0;
        this.changed = true;
    },
    stopFollow() {
        const { side } = this, state = side.scene.q.slice(), { time } = side.scene;
        this.plan.close();
        this.plan = null;
        side.stage.hideGoal();
        const scene = this.engine.open(this.path, this.lawBefore, this.settings);
        scene.q.set(state);
        scene.c.tact_page_restored(scene.at, time, 0);
        side.scene.close();
        Object.assign(side, { scene, stopped: false });
        side.frames = [scene.frame()];
        this.run.law = this.lawBefore;
        this.takeOver(false);
        this.seek(0);
        this.buildRest();
    },

    // before a step of the scene: at the begin of a tick a new command
    control() {
        const { side, plan } = this, { scene } = side;
        if (this.part++ % plan.parts !== 0) return;
        plan.goal.set(this.goal);
        const begin = performance.now(), at = plan.solve(scene.q.slice()), solve = performance.now() - begin;
        scene.u.set(this.engine.numbers(at, scene.header.nu));
        this.tickData = { solve, fan: plan.fan(), goal: this.goal.slice() };
    },
    // after it: how far off, reached or dropped
    judge(frame) {
        const { plan } = this, { scene } = this.side;
        Object.assign(frame, this.tickData);
        plan.goal.set(this.goal);
        frame.error = plan.error(scene.q.slice());
        if (this.part % plan.parts !== 0) return;
        const within = frame.error.position < plan.positionTolerance && frame.error.angle < plan.angleTolerance;
        this.heldFor = within ? this.heldFor + plan.tick : 0;
        if (this.heldFor >= plan.hold - plan.tick / 2) return this.reach();
        const down = this.side.stage.picture.gravity, size = Math.hypot(...down), at = scene.header.joints[plan.body].q;
        const p = scene.q.slice(at, at + 3);
        if (scene.header.joints[plan.body].type === 'free' && size > 0 && p.reduce((sum, x, i) => sum + (x - this.goal[i]) * down[i], 0) > DROP * size) this.lose();
    },
    reach() {
        this.counts.reached++;
        this.heldFor = 0;
        if (this.run.goals !== 'stay') this.nextGoal();
        this.status();
    },
    lose() {
        const counts = { ...this.counts, dropped: this.counts.dropped + 1 };
        this.flash('dropped: it begins anew');
        this.side.scene.reset();
        this.restartFollow();
        this.counts = counts;
        this.side.restarted = true;
    },
    // turned about the vertical, by 30 to 90 degrees to either side in an order that repeats
    nextGoal() {
        const k = this.counts.reached, part = (k * 0.6180339887498949) % 1, angle = (k % 2 ? 1 : -1) * (Math.PI / 6 + part * Math.PI / 3);
        this.turnGoal(new THREE.Vector3(0, 0, 1), angle);
    },

    // ---- the ghost
    turnGoal(axis, angle) {
        const [, , , w, x, y, z] = this.goal, turn = new THREE.Quaternion().setFromAxisAngle(axis, angle);
        const now = turn.multiply(new THREE.Quaternion(x, y, z, w)).normalize();
        this.goal.splice(3, 4, now.w, now.x, now.y, now.z);
        this.changed = true;
    },
    moveGoal(shift) {
        for (let i = 0; i < 3; i++) this.goal[i] += shift[i];
        this.changed = true;
    },
    // The mouse takes the ghost along in the plane of the picture; with shift, or by its ring, it turns. False: it is not there.
    grabGoal(event) {
        if (!this.plan) return false;
        const ray = this.ray(event), { stage } = this.side, ring = ray.intersectObject(stage.ring)[0], hit = ray.intersectObject(stage.goalGroup, true)[0];
        if (!ring && (!hit || event.altKey)) return false;
        const plane = new THREE.Plane(), at = (ring ?? hit).point, centre = new THREE.Vector3(...this.goal);
        const normal = ring && !event.shiftKey ? new THREE.Vector3(0, 0, 1) : this.camera.getWorldDirection(new THREE.Vector3());
        plane.setFromNormalAndCoplanarPoint(normal, ring && !event.shiftKey ? centre : at);
        const kind = event.shiftKey ? 'trackball' : ring ? 'ring' : 'move';
        this.taken = { kind, plane, last: ring ? ray.ray.intersectPlane(plane, new THREE.Vector3()) ?? at : at, x: event.clientX, y: event.clientY };
        return true;
    },
    pullGoal(event) {
        const { taken } = this;
        if (taken.kind === 'trackball') {
            const e = this.camera.matrixWorld.elements, far = 0.01;
            this.turnGoal(new THREE.Vector3(e[4], e[5], e[6]), far * (event.clientX - taken.x));
            this.turnGoal(new THREE.Vector3(e[0], e[1], e[2]), far * (event.clientY - taken.y));
            Object.assign(taken, { x: event.clientX, y: event.clientY });
            return;
        }
        const at = this.ray(event).ray.intersectPlane(taken.plane, new THREE.Vector3());
        if (!at) return;
        if (taken.kind === 'move') {
            this.moveGoal(at.clone().sub(taken.last).toArray());
        } else {
            const angle = (p) => Math.atan2(p.y - this.goal[1], p.x - this.goal[0]);
            this.turnGoal(new THREE.Vector3(0, 0, 1), angle(at) - angle(taken.last));
        }
        taken.last = at;
    },
    // by the keys: along the axes of the picture, or with shift about them
    nudgeGoal(right, up, near, turn) {
        const e = this.camera.matrixWorld.elements, way = [0, 1, 2].map((i) => right * e[i] + up * e[4 + i] + near * e[8 + i]);
        if (turn) this.turnGoal(new THREE.Vector3(...(near ? way : [0, 1, 2].map((i) => right * e[4 + i] - up * e[i]))), 0.1);
        else this.moveGoal(way.map((x) => 0.005 * x * Math.min(1, 4 * this.side.stage.size)));
    },
    followStatus() {
        const { plan, counts, frame } = this, e = frame.error;
        const parts = [`goals reached: ${counts.reached}`];
        if (counts.dropped) parts.push(`dropped: ${counts.dropped}`);
        if (e) parts.push(`${(1000 * e.position).toFixed(1)} mm${plan.oriented ? `, ${(180 / Math.PI * e.angle).toFixed(1)}°` : ''} off`);
        if (frame.solve !== undefined) parts.push(`solve ${frame.solve.toFixed(1)} ms`);
        return parts;
    },
};
