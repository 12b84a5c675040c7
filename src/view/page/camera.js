// SPDX-License-Identifier: MIT
// The camera: in space at an angle, from the front, the side or above; flat for planar scenes.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const HALF = 17 * Math.PI / 180, FILL = 0.72;  // of the field of view, and how much of it is filled
const WAYS = [[0.62, -1, 0.48], [0, -1, 0.02], [1, 0, 0.02], [0, -0.01, 1]];

export const camera = {
    // 0 at an angle, then front, side, above
    aim(view) {
        const { stage } = this.side, { planar } = stage.picture, { size } = stage, old = this.controls;
        this.view = view;
        const toward = planar ? stage.toward() : new THREE.Vector3(...WAYS[view % 4]), up = planar ? stage.up() : new THREE.Vector3(0, 0, 1);
        this.camera = planar ? new THREE.OrthographicCamera(-1, 1, 1, -1, -10 * size, 10 * size) : new THREE.PerspectiveCamera(34, 1, 0.01 * size, 40 * size);
        const { centre, far } = this.findView(toward.normalize(), up);
        this.camera.up.copy(up);
        this.camera.position.copy(centre).addScaledVector(toward, planar ? 2 * size : far);
        old?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.target.copy(centre);
        this.controls.enableRotate = !planar;
        if (planar) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN, (this.controls.touches.ONE = THREE.TOUCH.PAN);
        this.controls.update();
    },

    // Where to look and from how far, that what is there fills two thirds of the free room, by its longer side.
    findView(toward, up) {
        const { cloud, size } = this.side.stage, right = up.clone().cross(toward).normalize(), over = toward.clone().cross(right), wide = this.freeWidth();
        const aspect = Math.max(1, wide / Math.max(1, this.height)), slope = Math.tan(HALF) * FILL, centre = this.side.stage.centre.clone();
        let far = 0.5 * size;
        // perspective moves the middle a little: a few rounds
        for (let round = 0; round < 4; round++) {
            const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
            far = 0;
            for (const point of cloud) {
                const x = point.clone().sub(centre), depth = x.dot(toward);
                far = Math.max(far, depth + Math.max(Math.abs(x.dot(over)) / slope, Math.abs(x.dot(right)) / slope / aspect));
            }
            far = Math.max(far, 0.3 * size);
            for (const point of cloud) {
                const x = point.clone().sub(centre), scale = far / Math.max(far - x.dot(toward), 0.1 * far);
                [right, over].forEach((way, k) => {
                    low[k] = Math.min(low[k], x.dot(way) * scale);
                    high[k] = Math.max(high[k], x.dot(way) * scale);
                });
            }
            centre.addScaledVector(right, (low[0] + high[0]) / 2).addScaledVector(over, (low[1] + high[1]) / 2);
        }
        return { centre, far };
    },
    // of the picture, without the panel that lies on it
    freeWidth() {
        const open = innerWidth >= 700 && !this.panel?._closed, panel = open ? (document.getElementById('panel').offsetWidth || 290) + 12 : 0;
        return Math.max(120, this.width - panel);
    },

    // aspect: of the free room; the rest of the width lies to its right
    lens(aspect, rest) {
        const { camera } = this;
        camera.clearViewOffset();
        if (camera.isPerspectiveCamera) {
            camera.aspect = aspect;
            // a narrow picture sees as much across as a wide one sees upwards
            camera.fov = aspect < 1 ? 2 * Math.atan(Math.tan(HALF) / aspect) * 180 / Math.PI : 2 * HALF * 180 / Math.PI;
        } else {
            const { low, high } = this.flat(), up = Math.max((high[1] - low[1]) / 2 / FILL, (high[0] - low[0]) / 2 / FILL / aspect);
            Object.assign(camera, { left: -up * aspect, right: up * aspect, top: up, bottom: -up });
        }
        if (rest > 0) camera.setViewOffset(this.width - rest, this.height, 0, 0, this.width, this.height);
        camera.updateProjectionMatrix();
    },
    // the extent of a planar scene in its picture
    flat() {
        const { cloud } = this.side.stage, e = this.camera.matrixWorld.elements, low = [Infinity, Infinity], high = [-Infinity, -Infinity];
        for (const { x, y, z } of cloud)
            for (const k of [0, 1]) {
                const at = e[4 * k] * x + e[4 * k + 1] * y + e[4 * k + 2] * z;
                low[k] = Math.min(low[k], at);
                high[k] = Math.max(high[k], at);
            }
        return { low, high };
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
        const free = this.freeWidth(), wide = free / this.sides.length;
        this.lens(wide / height, two ? 0 : width - free);
        this.renderer.setScissorTest(true);
        this.sides.forEach((side, i) => {
            // beside the panel where there are two, otherwise under it
            const room = two ? wide : width;
            this.renderer.setViewport(i * wide, 0, room, height);
            this.renderer.setScissor(i * wide, 0, two && i === 1 ? width - wide : room, height);
            this.renderer.render(side.stage.scene, this.camera);
        });
        this.filmPicture();
        const names = document.getElementById('sides');
        names.hidden = !two;
        names.style.width = `${free}px`;
        if (two) this.sides.forEach((side, i) => (names.children[i].textContent = side.scene.header.law));
        this.rendered++;
    },
};
