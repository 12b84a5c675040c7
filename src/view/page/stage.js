// SPDX-License-Identifier: MIT
// Draws one scene: bodies, contacts with their forces, trails, labels. Everything comes from the library; nothing is recomputed.
import * as THREE from 'three';
import { findFingers } from './derivative.js';
import { readSurface } from './meshes.js';

const OBJECTS = [0x4ea86e, 0xde9e42, 0x9872cc, 0x2e98a6, 0xcc6080], LIMB = 0x969ea8, TIP = 0xd64848, STILL = 0xb0b6be;
const CONTACTS = 1024, TRAIL = 1500, GOAL = 0xe8a013, SHARP = 35;  // degrees, from which an edge is drawn

const v3 = (p) => new THREE.Vector3(p[0], p[1], p[2]);
const Z = new THREE.Vector3(0, 0, 1), Y = new THREE.Vector3(0, 1, 0);

// p, R row-major
function matrix(x, at = 0) {
    return new THREE.Matrix4().set(x[at + 3], x[at + 4], x[at + 5], x[at], x[at + 6], x[at + 7], x[at + 8], x[at + 1], x[at + 9],
                                   x[at + 10], x[at + 11], x[at + 2], 0, 0, 0, 1);
}

// half the size of a shape's box, and where its middle is
function halfBox({ figure, size, points }) {
    const r = size[0], none = new THREE.Matrix4();
    if (figure === 'ball') return { half: [r, r, r], middle: none };
    if (figure === 'capsule' || figure === 'cylinder') return { half: [r, r, size[1] + (figure === 'capsule' ? r : 0)], middle: none };
    if (figure === 'box' || figure === 'ellipsoid') return { half: size.slice(0, 3), middle: none };
    if (figure === 'rectangle') return { half: [size[0], size[1], 0], middle: none };
    const many = figure === 'hull' ? 3 : 2, low = [0, 0, 0], high = [0, 0, 0];
    for (let k = 0; k < many; k++) {
        const along = points.filter((_, i) => i % many === k);
        low[k] = Math.min(...along);
        high[k] = Math.max(...along);
    }
    return { half: low.map((x, k) => (high[k] - x) / 2), middle: none.clone().setPosition(...low.map((x, k) => (high[k] + x) / 2)) };
}

export class Stage {
    // meshes: {surfaces, bodies} as tact view writes them, or null
    constructor(picture, dark, meshes = null) {
        this.picture = picture;
        this.surfaces = this.readMeshes(meshes);
        this.scene = new THREE.Scene();
        this.show = { forces: true, points: true, normals: false, cones: false, labels: false, trails: true, axes: true, shadows: true, meshes: true, edges: true, plan: true };
        this.selected = -1;
        this.newtons = 1;
        this.bodies = [];
        this.extent();
        this.lights();
        this.build();
        this.contacts();
        this.theme(dark);
    }

    // {body, geometry, place}; those of bodies that are not here are left out
    readMeshes(meshes) {
        const geometry = meshes?.surfaces.map(readSurface) ?? [], { bodies } = this.picture.header;
        const all = (meshes?.bodies ?? []).map((m) => ({ body: bodies.indexOf(m.body), geometry: geometry[m.surface],
                                                          place: matrix([...m.p, ...m.R]).scale(new THREE.Vector3(...m.scale)) }));
        return all.filter((m) => m.body >= 0);
    }

    // Where things are, and will be, for camera, lights and sizes: corners of all shapes. What is flung far away does not count.
    extent() {
        const { picture } = this, box = new THREE.Box3(), v = new Float64Array(picture.nv);
        this.cloud = [];
        let first = Infinity;
        for (const q of picture.header.places) {
            const { pose } = picture.move(q, v), points = [], near = box.clone();
            const add = (body, place, half) => {
                const at = body >= 0 ? matrix(pose, 12 * body).multiply(place) : place;
                for (let k = 0; k < 8; k++) points.push(new THREE.Vector3(k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]).applyMatrix4(at));
            };
            for (const shape of picture.shapes)
                if (!['plane', 'halfplane', 'none'].includes(shape.figure)) add(shape.body, matrix([...shape.p, ...shape.R]).multiply(halfBox(shape).middle), halfBox(shape).half);
            for (const mesh of this.surfaces) {
                const { min, max } = mesh.geometry.boundingBox, middle = min.clone().add(max).multiplyScalar(0.5);
                add(mesh.body, mesh.place.clone().multiply(new THREE.Matrix4().setPosition(middle)), max.clone().sub(middle).toArray());
            }
            for (const limb of picture.limbs) for (const end of [limb.a, limb.b]) add(limb.body, new THREE.Matrix4().setPosition(v3(end)), [limb.radius, limb.radius, limb.radius]);
            points.forEach((p) => near.expandByPoint(p));
            const size = near.getSize(new THREE.Vector3()).length();
            if (size > 1e-6) first = Math.min(first, size);
            if (points.length && size > 10 * first) continue;
            box.copy(near);
            this.cloud.push(...points);
        }
        // nothing, or a lone point: a metre about it
        if (box.isEmpty()) box.expandByPoint(new THREE.Vector3());
        if (box.getSize(new THREE.Vector3()).length() < 1e-6) this.cloud.push((box.expandByScalar(0.5), box.min.clone()), box.max.clone());
        this.box = box;
        this.centre = box.getCenter(new THREE.Vector3());
        this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-3);
        // the gap whose colour is that of far away
        this.far = Math.min(picture.margin || Infinity, +(0.05 * this.size).toPrecision(1));
    }

    lights() {
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0xa8adb5, 2.2));
        const sun = new THREE.DirectionalLight(0xffffff, 2.2), s = this.size;
        sun.position.copy(this.centre).add(this.picture.planar ? this.toward().multiplyScalar(2 * s) : new THREE.Vector3(-0.5 * s, -0.8 * s, 2 * s));
        sun.target.position.copy(this.centre);
        sun.castShadow = !this.picture.planar;
        sun.shadow.mapSize.set(2048, 2048);
        Object.assign(sun.shadow.camera, { left: -s, right: s, top: s, bottom: -s, near: 0.1 * s, far: 5 * s });
        sun.shadow.bias = -0.0005;
        sun.shadow.normalBias = 0.002 * s;
        this.sun = sun;
        this.scene.add(sun, sun.target);
    }

    // for planar scenes: towards the viewer, and up
    toward() {
        const { normal, gravity } = this.picture, n = v3(normal), right = this.up().cross(n);
        return right.x + right.y / 2 + right.z / 4 < 0 ? n.negate() : n;
    }
    up() {
        const n = v3(this.picture.normal);
        for (const way of [v3(this.picture.gravity).negate(), Z.clone(), Y.clone()]) {
            way.normalize();
            if (way.lengthSq() > 0 && Math.abs(way.dot(n)) < 0.1) return way.addScaledVector(n, -way.dot(n)).normalize();
        }
        return Z.clone();
    }

    material(colour, opacity = 1) {
        return new THREE.MeshPhongMaterial({ color: colour, specular: 0x303030, shininess: 40, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    }

    build() {
        const { picture } = this, loose = [...Array(picture.nbody).keys()].filter((b) => !picture.robot[b]);
        this.colours = picture.robot.map((robot, b) => (robot ? LIMB : OBJECTS[loose.indexOf(b) % OBJECTS.length]));
        for (let b = 0; b < picture.nbody; b++) {
            const group = new THREE.Group();
            group.matrixAutoUpdate = false;
            this.bodies.push(group);
            this.scene.add(group);
        }
        this.blocks = [];
        this.tips = new Set(findFingers(picture).map((finger) => finger.tip));
        this.edges = [];
        picture.shapes.forEach((shape, s) => this.addShape(shape, s));
        // a scene in space without a ground gets one to look at, where its lowest point is
        if (!picture.planar && !this.floor && !this.blocks.length)
            this.addFloor({ figure: 'plane', body: -1, p: [0, 0, this.box.min.z - 0.002 * this.size], R: [1, 0, 0, 0, 1, 0, 0, 0, 1] });
        for (const limb of picture.limbs) this.addLimb(limb);
        // what a mesh takes the place of, and the meshes
        this.replaced = this.bodies.filter((_, b) => this.surfaces.some((m) => m.body === b)).flatMap((group) => group.children.filter((m) => !m.userData.tip));
        this.skins = this.surfaces.map((m) => this.addMesh(m));
        this.loose = loose;
        this.trails = loose.map((b) => {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * TRAIL), 3));
            geometry.setDrawRange(0, 0);
            const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: this.colours[b], transparent: true, opacity: 0.7 }));
            line.frustumCulled = false;
            this.scene.add(line);
            return { b, line, count: 0 };
        });
        this.labels = [];
        this.axes = new THREE.AxesHelper(0.2 * this.size).setColors(0xd1293d, 0x2a9d3f, 0x2f76c0);
        this.scene.add(this.axes);
    }

    place(mesh, shape) {
        mesh.applyMatrix4(matrix([...shape.p, ...shape.R]));
        mesh.userData.body = shape.body;
        mesh.castShadow = shape.body >= 0;
        mesh.receiveShadow = true;
        (shape.body >= 0 ? this.bodies[shape.body] : this.scene).add(mesh);
    }

    addShape(shape, s) {
        const { size, figure } = shape, { picture } = this;
        if (figure === 'none') return;
        if (figure === 'plane' || figure === 'halfplane') return this.addFloor(shape);
        const robot = shape.body >= 0 && picture.robot[shape.body];
        // fingertips are red, whatever else of a robot is a ball is a part of its limb
        const ball = robot && figure === 'ball', tip = ball && (this.tips.has(s) || !this.tips.size);
        const material = tip ? this.material(TIP, 0.75) : this.material(shape.body < 0 ? STILL : this.colours[shape.body], robot || shape.body < 0 ? 1 : 0.86);
        const mesh = new THREE.Mesh(this.geometry(shape), material);
        if (figure === 'capsule' || figure === 'cylinder') mesh.geometry.rotateX(Math.PI / 2);
        mesh.userData.tip = ball && this.tips.has(s);
        if (['box', 'hull', 'rectangle', 'polygon', 'cylinder'].includes(figure)) this.addEdges(mesh);
        this.place(mesh, shape);
        if (figure === 'ball' && size[0] > 0 && !robot) this.addMark(mesh, size[0]);
    }

    // lines where faces meet at an angle
    addEdges(mesh) {
        const lines = new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, SHARP), new THREE.LineBasicMaterial({ color: 0x20242a, transparent: true, opacity: 0.55 }));
        lines.raycast = () => {};
        mesh.add(lines);
        this.edges.push(lines);
    }

    addMesh({ body, geometry, place }) {
        const material = this.material(this.colours[body]);
        material.side = THREE.DoubleSide;
        const mesh = new THREE.Mesh(geometry, material);
        this.addEdges(mesh);
        mesh.applyMatrix4(place);
        mesh.userData.body = body;
        mesh.castShadow = mesh.receiveShadow = true;
        this.bodies[body].add(mesh);
        return mesh;
    }

    // a ring, so that one sees a ball turn
    addMark(mesh, radius) {
        const ring = new THREE.Mesh(new THREE.TorusGeometry(radius, 0.012 * radius, 6, 64), new THREE.MeshBasicMaterial({ color: 0x20242a }));
        const other = ring.clone();
        other.rotation.x = Math.PI / 2;
        if (this.picture.planar) other.visible = false;
        mesh.add(ring, other);
        if (!this.picture.planar) return;
        const line = new THREE.Mesh(new THREE.BoxGeometry(radius, 0.03 * radius, 0.03 * radius), ring.material);
        line.position.x = radius / 2;
        line.renderOrder = 5;
        line.material.depthTest = false;
        mesh.add(line);
    }

    geometry({ figure, size, points }) {
        const least = 0.004 * this.size, depth = 0.08 * this.size;
        switch (figure) {
        case 'ball': return new THREE.SphereGeometry(Math.max(size[0], least), 32, 20);
        case 'capsule': return new THREE.CapsuleGeometry(size[0], 2 * size[1], 10, 28);
        case 'cylinder': return new THREE.CylinderGeometry(size[0], size[0], 2 * size[1], 48);
        case 'box': return new THREE.BoxGeometry(2 * size[0], 2 * size[1], 2 * size[2]);
        case 'ellipsoid': return new THREE.SphereGeometry(1, 40, 28).scale(size[0], size[1], size[2]);
        case 'hull': {
            const faces = new THREE.BufferGeometry();
            faces.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
            faces.computeVertexNormals();
            return faces;
        }
        case 'rectangle': return new THREE.BoxGeometry(2 * size[0], 2 * size[1], depth);
        default: {
            const outline = new THREE.Shape();
            for (let i = 0; i < points.length; i += 2) outline[i ? 'lineTo' : 'moveTo'](points[i], points[i + 1]);
            return new THREE.ExtrudeGeometry(outline, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2);
        }
        }
    }

    addFloor(shape) {
        const half = 1.5 * this.size, flat = shape.figure === 'halfplane' || this.picture.planar;
        const R = matrix([...shape.p, ...shape.R]), inverse = R.clone().invert(), middle = this.centre.clone().applyMatrix4(inverse);
        const group = new THREE.Group();
        group.applyMatrix4(R);
        if (flat) {
            // the solid side, as a block with its upper face on the line
            const line = shape.figure === 'halfplane';
            const mesh = new THREE.Mesh(new THREE.BoxGeometry(8 * this.size, line ? 2 * half : 8 * this.size, line ? 0.2 * half : 2 * half),
                                        this.material(STILL));
            this.blocks.push(mesh.material);
            mesh.position.set(middle.x, line ? -half : middle.y, line ? 0 : -half);
            mesh.receiveShadow = true;
            group.add(mesh);
        } else {
            const step = 10 ** Math.floor(Math.log10(this.size / 2)), cells = Math.ceil(2 * half / step);
            const mesh = new THREE.Mesh(new THREE.PlaneGeometry(cells * step, cells * step), this.material(0xe9edf1));
            const grid = new THREE.GridHelper(cells * step, cells, 0x8c959f, 0xb6bec7);
            mesh.material.polygonOffset = true;
            mesh.material.polygonOffsetFactor = mesh.material.polygonOffsetUnits = 1;
            mesh.receiveShadow = true;
            grid.rotation.x = Math.PI / 2;
            // its lines at whole steps, and both end together
            mesh.position.set(Math.round(middle.x / step) * step, Math.round(middle.y / step) * step, 0);
            grid.position.set(mesh.position.x, mesh.position.y, 0.0005 * this.size);
            this.floor = mesh;
            this.grid = grid;
            group.add(mesh, grid);
        }
        (shape.body >= 0 ? this.bodies[shape.body] : this.scene).add(group);
    }

    addLimb(limb) {
        const a = v3(limb.a), b = v3(limb.b), along = b.clone().sub(a);
        const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(limb.radius, along.length(), 8, 20), this.material(LIMB));
        mesh.quaternion.setFromUnitVectors(Y, along.clone().normalize());
        mesh.position.copy(a.add(b).multiplyScalar(0.5));
        mesh.userData.body = limb.body;
        mesh.castShadow = mesh.receiveShadow = true;
        this.bodies[limb.body].add(mesh);
    }

    label(name, b) {
        const canvas = document.createElement('canvas'), pen = canvas.getContext('2d'), short = [...String(name)].slice(0, 40).join('');
        pen.font = '44px system-ui, sans-serif';
        canvas.width = pen.measureText(short).width + 24;
        canvas.height = 64;
        pen.font = '44px system-ui, sans-serif';
        pen.fillStyle = 'rgba(20,24,29,.75)';
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.fillStyle = '#fff';
        pen.fillText(short, 12, 47);
        const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), depthTest: false }));
        sprite.scale.set(0.05 * this.size * canvas.width / canvas.height, 0.05 * this.size, 1);
        sprite.userData.label = b;
        sprite.renderOrder = 20;
        this.scene.add(sprite);
        return sprite;
    }

    contacts() {
        const r = 0.006 * this.size, over = (colour, more = {}) => new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, ...more });
        // a planar scene has nothing in front of anything
        const near = (colour) => (this.picture.planar ? over(colour) : this.drawnNearer(new THREE.MeshBasicMaterial({ color: colour })));
        const many = (geometry, material, order) => {
            const mesh = new THREE.InstancedMesh(geometry, material, CONTACTS);
            mesh.count = 0;
            mesh.frustumCulled = false;
            mesh.renderOrder = order;
            mesh.raycast = () => {};
            this.scene.add(mesh);
            return mesh;
        };
        // what lies behind something is there as a trace only
        const shaft = new THREE.CylinderGeometry(0.6 * r, 0.6 * r, 1, 10).translate(0, 0.5, 0), head = new THREE.ConeGeometry(1.7 * r, 4 * r, 14).translate(0, -2 * r, 0);
        this.shafts = many(shaft, near(0x1f6fe0), 10);
        this.heads = many(head, near(0x1f6fe0), 11);
        this.points = many(new THREE.SphereGeometry(0.9 * r, 12, 8), near(0xffffff), 12);
        this.faint = [this.shafts, this.heads].map((mesh) => {
            const twin = many(mesh.geometry, over(0x1f6fe0, { opacity: 0.5 }), 9);
            twin.instanceMatrix = mesh.instanceMatrix;
            return twin;
        });
        this.normals = many(new THREE.CylinderGeometry(0.25 * r, 0.25 * r, 1, 6).translate(0, 0.5, 0), over(0x2a9d6f), 9);
        this.cones = many(new THREE.ConeGeometry(1, 1, 24, 1, true).translate(0, -0.5, 0).rotateX(Math.PI),
                          over(0xd9822b, { opacity: 0.3, side: THREE.DoubleSide }), 8);
        this.slopeArrow = new THREE.ArrowHelper(Z, new THREE.Vector3(), 1, 0xe0701a);
        this.slopeArrow.line.material.depthTest = this.slopeArrow.cone.material.depthTest = false;
        this.slopeArrow.line.renderOrder = this.slopeArrow.cone.renderOrder = 15;
        this.slopeArrow.visible = false;
        this.scene.add(this.slopeArrow);
    }

    // As if it lay nearer to the eye by a part of the scene: a dot in a contact is seen past the fingertip before it, not through a hand.
    drawnNearer(material) {
        const shift = (0.03 * this.size).toFixed(6);
        material.onBeforeCompile = (shader) => {
            shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', `#include <project_vertex>
                vec4 nearer = projectionMatrix * (mvPosition + vec4(0.0, 0.0, ${shift}, 0.0));
                gl_Position.z = nearer.z / nearer.w * gl_Position.w;`);
        };
        material.customProgramCacheKey = () => `nearer ${shift}`;
        return material;
    }

    theme(dark) {
        this.scene.background = new THREE.Color(dark ? 0x14181d : 0xf6f8fa);
        if (this.floor) this.floor.material.color.set(dark ? 0x39424c : 0xe9edf1);
        if (this.grid) Object.assign(this.grid.material, { transparent: true, opacity: dark ? 0.3 : 0.8 });
        for (const material of this.blocks) material.color.set(dark ? 0x272e35 : STILL);
        for (const { material } of this.edges) material.color.set(dark ? 0x0b0e11 : 0x20242a);
        for (const mesh of [this.shafts, this.heads, ...this.faint]) mesh.material.color.set(dark ? 0x6cb0ff : 0x1f5fbf);
    }

    // a frame: q, v, contacts (14 numbers each)
    update(frame, follow = true) {
        const { pose, motion, weight } = this.picture.move(frame.q, frame.v);
        this.energy = { motion, weight };
        this.pose = pose;
        this.bodies.forEach((group, b) => {
            group.matrix.copy(matrix(pose, 12 * b));
            group.matrixWorldNeedsUpdate = true;
        });
        if (follow) this.extendTrails(pose);
        if (this.show.labels && !this.labels.length) this.labels = this.loose.map((b) => this.label(this.picture.header.bodies[b], b));
        this.labels.forEach((sprite) => {
            sprite.visible = this.show.labels;
            const b = sprite.userData.label;
            sprite.position.set(pose[12 * b], pose[12 * b + 1], pose[12 * b + 2]).add(this.labelShift());
        });
        this.trails.forEach(({ line }) => (line.visible = this.show.trails));
        this.skins.forEach((mesh) => (mesh.visible = this.show.meshes));
        this.replaced.forEach((mesh) => (mesh.visible = !this.show.meshes));
        this.axes.visible = this.show.axes;
        this.sun.castShadow = this.show.shadows && !this.picture.planar;
        this.edges.forEach((lines) => (lines.visible = this.show.edges));
        this.drawContacts(frame.contacts);
        this.drawGoal(frame);
    }

    // the body of which forces are shown: the selected one, or each free one
    sign(pair) {
        const { picture, selected } = this, bodyOf = (name) => picture.shapes[this.shapeIndex.get(name)]?.body ?? -1;
        this.shapeIndex ??= new Map(picture.header.shapes.map((shape, i) => [shape.name, i]));
        const a = bodyOf(pair.a), b = bodyOf(pair.b), free = (body) => body >= 0 && !picture.robot[body] && picture.header.joints[body].type !== 'fixed';
        if (selected >= 0 && (a === selected) !== (b === selected)) return a === selected ? -1 : 1;
        return free(a) && !free(b) ? -1 : 1;
    }

    // ---- the goal of a controller: a ghost of the body with a ring that turns it, and the plan as a fan of paler ones
    showGoal(body, horizon) {
        this.hideGoal();
        const copy = (opacity, order) => {
            const group = new THREE.Group(), material = new THREE.MeshPhongMaterial({ color: GOAL, transparent: true, opacity, depthWrite: false });
            group.matrixAutoUpdate = false;
            for (const mesh of this.bodies[body].children) {
                if (!mesh.isMesh) continue;
                const twin = new THREE.Mesh(mesh.geometry, material);
                twin.applyMatrix4(mesh.matrix);
                twin.renderOrder = order;
                if (order === 6) for (const lines of mesh.children.filter((m) => m.isLineSegments)) twin.add(Object.assign(new THREE.LineSegments(lines.geometry, this.goalLines), { raycast() {} }));
                group.add(twin);
            }
            this.scene.add(group);
            return group;
        };
        this.goalLines = new THREE.LineBasicMaterial({ color: GOAL });
        this.goalGroup = copy(0.26, 6);
        this.fan = Array.from({ length: horizon }, () => copy(0.045, 5));
        const box = new THREE.Box3(), inverse = this.bodies[body].matrix.clone().invert();
        this.bodies[body].children.forEach((mesh) => mesh.isMesh && box.union(new THREE.Box3().setFromObject(mesh).applyMatrix4(inverse)));
        const radius = 0.5 * box.getSize(new THREE.Vector3()).length() || 0.1 * this.size;
        this.ring = new THREE.Mesh(new THREE.TorusGeometry(radius, 0.035 * radius, 8, 72), new THREE.MeshBasicMaterial({ color: GOAL, transparent: true, opacity: 0.75 }));
        this.scene.add(this.ring);
    }
    hideGoal() {
        for (const group of [this.goalGroup, this.ring, ...(this.fan ?? [])]) if (group) this.scene.remove(group);
        this.ring?.geometry.dispose();
        this.goalGroup = this.ring = null;
        this.fan = [];
    }
    placeGoal([x, y, z, w, i, j, k]) {
        if (!this.goalGroup) return;
        this.goalGroup.matrix.compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(i, j, k, w), new THREE.Vector3(1, 1, 1));
        this.goalGroup.matrixWorldNeedsUpdate = true;
        this.ring.position.set(x, y, z);
    }
    drawGoal(frame) {
        this.fan?.forEach((group, i) => {
            group.visible = this.show.plan && Boolean(frame.fan) && 12 * i < frame.fan.length;
            if (!group.visible) return;
            group.matrix.copy(matrix(frame.fan, 12 * i));
            group.matrixWorldNeedsUpdate = true;
        });
    }

    labelShift() {
        return (this.picture.planar ? this.up() : Z.clone()).multiplyScalar(0.09 * this.size);
    }

    extendTrails(pose) {
        for (const trail of this.trails) {
            const array = trail.line.geometry.attributes.position.array;
            if (trail.count === TRAIL) array.copyWithin(0, 3 * TRAIL / 2), (trail.count = TRAIL / 2);
            array.set(pose.subarray(12 * trail.b, 12 * trail.b + 3), 3 * trail.count++);
            trail.line.geometry.setDrawRange(0, trail.count);
            trail.line.geometry.attributes.position.needsUpdate = true;
        }
    }
    clearTrails() {
        for (const trail of this.trails) trail.line.geometry.setDrawRange(0, (trail.count = 0));
    }

    drawContacts(list) {
        const { show } = this, count = Math.min(list.length / 14, CONTACTS), m = new THREE.Matrix4(), turn = new THREE.Quaternion();
        const one = new THREE.Vector3(1, 1, 1), colour = new THREE.Color(), pairs = this.picture.header.pairs;
        let arrows = 0;
        for (let i = 0; i < count; i++) {
            const x = list.subarray(14 * i, 14 * i + 14), at = v3(x.subarray(2, 5)), normal = v3(x.subarray(5, 8)), force = v3(x.subarray(8, 11)).multiplyScalar(this.sign(pairs[x[0]]));
            const size = force.length(), length = size * this.newtons;
            // near is red, far within the margin is blue
            const near = 1 - Math.min(1, Math.max(0, x[1]) / this.far);
            this.points.setMatrixAt(i, m.compose(at, turn.identity(), one));
            this.points.setColorAt(i, colour.setHSL(0.62 * (1 - near), 0.85, 0.52));
            turn.setFromUnitVectors(Y, normal);
            this.normals.setMatrixAt(i, m.compose(at, turn, new THREE.Vector3(1, 0.08 * this.size, 1)));
            const wide = 0.06 * this.size, mu = pairs[x[0]]?.mu ?? 0;
            this.cones.setMatrixAt(i, m.compose(at, turn, new THREE.Vector3(wide * mu, wide, wide * mu)));
            if (length < 0.004 * this.size) continue;
            turn.setFromUnitVectors(Y, force.clone().divideScalar(size));
            this.shafts.setMatrixAt(arrows, m.compose(at, turn, new THREE.Vector3(1, length, 1)));
            // a short arrow has a small head, or weak forces beside each other would be one blot
            const head = Math.min(1, length / (0.06 * this.size));
            this.heads.setMatrixAt(arrows++, m.compose(at.clone().addScaledVector(force, this.newtons), turn, new THREE.Vector3(head, head, head)));
        }
        this.arrows = arrows;
        for (const mesh of [this.shafts, this.heads, ...this.faint]) mesh.count = show.forces ? arrows : 0;
        this.points.count = show.points ? count : 0;
        this.normals.count = show.normals ? count : 0;
        this.cones.count = show.cones ? count : 0;
        for (const mesh of [this.shafts, this.heads, ...this.faint, this.points, this.normals, this.cones]) {
            mesh.visible = mesh.count > 0;
            mesh.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
        }
    }

    // d(body)/d(command): direction as it is, length on a logarithmic scale since it grows by orders before contact
    drawSlope(at, slope) {
        const d = v3(slope), size = d.length(), arrow = this.slopeArrow;
        arrow.visible = size > 1e-12;
        if (!arrow.visible) return;
        const length = this.size * 0.035 * Math.max(1, 9 + Math.log10(size));
        arrow.position.set(...at);
        arrow.setDirection(d.divideScalar(size));
        arrow.setLength(length, 0.28 * length, 0.14 * length);
    }
    hideSlope() {
        this.slopeArrow.visible = false;
    }

    dispose() {
        this.scene.traverse((node) => {
            node.geometry?.dispose();
            node.material?.map?.dispose();
            node.material?.dispose?.();
        });
        this.picture.close();
    }
}
