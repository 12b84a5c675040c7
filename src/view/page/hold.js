// SPDX-License-Identifier: MIT
// Objects held by a spring, with the mouse or the keys, while the solver runs.
import * as THREE from 'three';

export const hold = {
    canHold(body) {
        const j = this.header.joints[body];
        return j && this.canStep() && !this.side.stage.picture.robot[body] && j.type !== 'fixed';
    },
    com(body) {
        const { pose } = this.side.stage, c = this.header.joints[body].com ?? [0, 0, 0], p = pose.subarray(12 * body, 12 * body + 12);
        return [0, 1, 2].map((i) => p[i] + p[3 + 3 * i] * c[0] + p[4 + 3 * i] * c[1] + p[5 + 3 * i] * c[2]);
    },
    hold(body, target = this.com(body)) {
        this.held = body;
        this.target = target;
        this.sides.forEach((side) => side.scene?.drag(body, target));
        this.status();
    },
    release() {
        this.held = -1;
        this.sides.forEach((side) => side.scene?.drag(-1));
    },
    holdNext() {
        const all = this.side.stage.loose.filter((b) => this.canHold(b));
        if (all.length) this.hold(all[(all.indexOf(this.held) + 1) % all.length]);
    },
    nudge(right, up, near) {
        if (this.held < 0) return;
        const e = this.camera.matrixWorld.elements, s = 0.01 * this.side.stage.size;
        this.hold(this.held, [0, 1, 2].map((i) => this.target[i] + s * (right * e[i] + up * e[4 + i] + near * e[8 + i])));
    },

    ray(event) {
        const box = this.canvas.getBoundingClientRect(), wide = this.sides.length > 1 ? this.freeWidth() / 2 : box.width;
        const x = ((event.clientX - box.left) % wide) / wide * 2 - 1, y = 1 - (event.clientY - box.top) / box.height * 2;
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
        return caster;
    },
    grab(event) {
        if (event.button !== 0) return;
        this.pressed = { x: event.clientX, y: event.clientY };
        if (!this.canStep()) return;
        if (this.grabGoal(event)) {
            event.stopImmediatePropagation();
            this.canvas.setPointerCapture(event.pointerId);
            return;
        }
        const hits = this.ray(event).intersectObjects(this.side.stage.bodies, true).filter((h) => h.object.visible && h.object.userData.body !== undefined);
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
    },
    pull(event) {
        if (this.taken) return this.pullGoal(event);
        if (!this.grabbed) return;
        const at = this.ray(event).ray.intersectPlane(this.grabbed.plane, new THREE.Vector3());
        if (at) this.hold(this.held, this.grabbed.offset.map((x, i) => x + at.getComponent(i)));
    },
    drop(event) {
        if (this.grabbed) this.release();
        const { pressed } = this, still = pressed && event.type === 'pointerup' && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4;
        if (still && !this.taken) this.select(event);
        this.grabbed = this.taken = this.pressed = null;
    },
    // the body under the pointer, of which arrows show the forces; none: all free ones
    select(event) {
        const hit = this.ray(event).intersectObjects(this.side.stage.bodies, true).find((h) => h.object.visible && h.object.userData.body !== undefined);
        this.selected = hit?.object.userData.body ?? -1;
        this.refresh();
    },
};
