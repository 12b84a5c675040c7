// SPDX-License-Identifier: MIT
// Meshes as tact view writes them (view/mesh.h), made to geometry whose edges sharper than 35 degrees stay sharp.
import * as THREE from 'three';

const SHARP = Math.cos(35 * Math.PI / 180);

function decode(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)), view = new DataView(bytes.buffer);
    return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => view.getUint16(2 * i, true));
}

// of each triangle: the normal times twice the area
function findFaces(points, triangles) {
    const faces = new Float32Array(triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[t + k]);
        const u = [0, 1, 2].map((k) => points[b + k] - points[a + k]), v = [0, 1, 2].map((k) => points[c + k] - points[a + k]);
        faces.set([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], t);
    }
    return faces;
}

// the angle at each corner of each triangle
function findAngles(points, triangles) {
    return Float32Array.from(triangles, (p, i) => {
        const own = i - i % 3, [b, c] = [1, 2].map((k) => triangles[own + (i + k) % 3]);
        const u = [0, 1, 2].map((k) => points[3 * b + k] - points[3 * p + k]), v = [0, 1, 2].map((k) => points[3 * c + k] - points[3 * p + k]);
        const size = Math.hypot(...u) * Math.hypot(...v);
        return size > 0 ? Math.acos(Math.min(1, Math.max(-1, (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / size))) : 0;
    });
}

// corners at each point: from[p] to from[p + 1] in around
function findAround(count, triangles) {
    const from = new Uint32Array(count + 2), around = new Uint32Array(triangles.length);
    triangles.forEach((p) => from[p + 2]++);
    for (let p = 2; p < from.length; p++) from[p] += from[p - 1];
    triangles.forEach((p, i) => (around[from[p + 1]++] = i));
    return { from, around };
}

// A corner's normal is the mean over the triangles around it that are not turned away too far, by area times angle: so the
// corners of a flat face weigh alike, however it is cut into triangles.
function findNormals(points, triangles) {
    const faces = findFaces(points, triangles), angles = findAngles(points, triangles), { from, around } = findAround(points.length / 3, triangles), normals = new Float32Array(3 * triangles.length);
    const dot = (s, t) => faces[s] * faces[t] + faces[s + 1] * faces[t + 1] + faces[s + 2] * faces[t + 2];
    triangles.forEach((p, i) => {
        const own = i - i % 3, sum = [0, 0, 0];
        for (let k = from[p]; k < from[p + 1]; k++) {
            const other = around[k] - around[k] % 3;
            if (dot(own, other) < SHARP * Math.sqrt(dot(own, own) * dot(other, other))) continue;
            for (let j = 0; j < 3; j++) sum[j] += angles[around[k]] * faces[other + j];
        }
        const size = Math.hypot(...sum) || 1;
        for (let j = 0; j < 3; j++) normals[3 * i + j] = sum[j] / size;
    });
    return normals;
}

export function readSurface({ low, step, points, triangles }) {
    const at = Float32Array.from(decode(points), (k, i) => low[i % 3] + step[i % 3] * k), corners = decode(triangles), flat = new Float32Array(3 * corners.length);
    corners.forEach((p, i) => flat.set(at.subarray(3 * p, 3 * p + 3), 3 * i));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(flat, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(findNormals(at, corners), 3));
    geometry.computeBoundingBox();
    return geometry;
}
