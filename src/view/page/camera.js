// SPDX-License-Identifier: MIT
// The camera: in space at an angle, from the front, the side or above; flat for planar scenes.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const HALF = 17 * Math.PI / 180;  // of the field of view
const WAYS = [[0.62, -1, 0.48], [0, -1, 0.02], [1, 0, 0.02], [0, -0.01, 1]];

export const camera = {
    // 0 at an angle, then front, side, above
    aim(view) {
        const { stage } = this.side, { planar } = stage.picture, { centre, size } = stage, old = this.controls;
        this.view = view;
        const toward = planar ? stage.toward() : new THREE.Vector3(...WAYS[view % 4]), up = planar ? stage.up() : new THREE.Vector3(0, 0, 1);
        this.camera = planar ? new THREE.OrthographicCamera(-1, 1, 1, -1, -10 * size, 10 * size) : new THREE.PerspectiveCamera(34, 1, 0.01 * size, 40 * size);
        this.camera.up.copy(up);
        this.camera.position.copy(centre).addScaledVector(toward.normalize(), planar ? 2 * size : this.distance(toward, up));
        old?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.target.copy(centre);
        this.controls.enableRotate = !planar;
        if (planar) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN, (this.controls.touches.ONE = THREE.TOUCH.PAN);
        this.controls.update();
    },

    // from which the whole extent is seen
    distance(toward, up) {
        const { box, centre, size } = this.side.stage, right = up.clone().cross(toward).normalize(), over = toward.clone().cross(right);
        const room = this.canvas.parentElement.getBoundingClientRect(), aspect = Math.max(1, room.width / room.height), slope = Math.tan(HALF) * 0.92;
        let far = 0.6 * size;
        for (let k = 0; k < 8; k++) {
            const x = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
            far = Math.max(far, x.dot(toward) + Math.max(Math.abs(x.dot(over)) / slope, Math.abs(x.dot(right)) / slope / aspect));
        }
        return far;
    },

    lens(aspect) {
        const { size } = this.side.stage;
        if (this.camera.isPerspectiveCamera) {
            this.camera.aspect = aspect;
            // a narrow picture sees as much across as a wide one sees upwards
            this.camera.fov = aspect < 1 ? 2 * Math.atan(Math.tan(HALF) / aspect) * 180 / Math.PI : 34;
        } else {
            // the whole extent, with some air
            const whole = this.side.stage.box.getSize(new THREE.Vector3()), e = this.camera.matrixWorld.elements;
            const along = (k) => 0.6 * (Math.abs(e[k]) * whole.x + Math.abs(e[k + 1]) * whole.y + Math.abs(e[k + 2]) * whole.z) + 0.03 * size;
            const up = Math.max(along(4) * 1.15, along(0) / aspect);
            Object.assign(this.camera, { left: -up * aspect, right: up * aspect, top: up, bottom: -up });
        }
        this.camera.updateProjectionMatrix();
    },

    // the canvas gets the size of its place; true when that is another
    fit() {
        const box = this.canvas.parentElement.getBoundingClientRect(), width = Math.max(1, Math.floor(box.width)), height = Math.max(1, Math.floor(box.height));
        if (this.width === width && this.height === height) return false;
        this.width = width;
        this.height = height;
        if (!this.renderer) [this.canvas.width, this.canvas.height] = [width, height].map((x) => x * Math.min(devicePixelRatio, 2));
        return true;
    },

    draw() {
        const two = this.sides.length > 1;
        if (this.fit()) {
            this.renderer.setSize(this.width, this.height, false);
            this.charts.resize();
        }
        const { width, height } = this;
        this.controls.update();
        if (this.changed) this.update();
        this.lens(width / this.sides.length / height);
        this.renderer.setScissorTest(true);
        this.sides.forEach((side, i) => {
            const wide = width / this.sides.length;
            this.renderer.setViewport(i * wide, 0, wide, height);
            this.renderer.setScissor(i * wide, 0, wide, height);
            this.renderer.render(side.stage.scene, this.camera);
        });
        const names = document.getElementById('sides');
        names.hidden = !two;
        if (two) this.sides.forEach((side, i) => (names.children[i].textContent = side.scene.header.law));
        this.rendered++;
    },
};
