// SPDX-License-Identifier: MIT
// Makes a robot in URDF, with meshes, and a scene of it: node test/viewer/robot.mjs FOLDER. An arm of two links: the lower one has
// a mesh (a prism of 16 corners), that of the upper one is missing.
import { mkdirSync, writeFileSync } from 'node:fs';

const folder = process.argv[2];
mkdirSync(`${folder}/arm/meshes`, { recursive: true });
const N = 16, triangles = [];
const corner = (k, z) => [0.03 * Math.cos(2 * Math.PI * (k % N) / N), 0.03 * Math.sin(2 * Math.PI * (k % N) / N), z];
for (let k = 1; k < N - 1; k++) triangles.push([0, k + 1, k].map((i) => corner(i, 0)), [0, k, k + 1].map((i) => corner(i, 0.1)));
for (let k = 0; k < N; k++) triangles.push([corner(k, 0), corner(k + 1, 0), corner(k + 1, 0.1)], [corner(k, 0), corner(k + 1, 0.1), corner(k, 0.1)]);
const stl = Buffer.alloc(84 + 50 * triangles.length);
stl.writeUInt32LE(triangles.length, 80);
triangles.forEach((t, i) => t.flat().forEach((x, k) => stl.writeFloatLE(x, 84 + 50 * i + 12 + 4 * k)));
writeFileSync(`${folder}/arm/meshes/prism.stl`, stl);
writeFileSync(`${folder}/arm/package.xml`, '<package><name>arm</name></package>');

const link = (name, mesh) => `<link name="${name}"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://arm/meshes/${mesh}"/></geometry></visual>
<collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.012"/></geometry></collision></link>`;
const joint = (name, parent, child, z, low) => `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><origin xyz="0 0 ${z}"/><axis xyz="1 0 0"/>
<limit lower="${low}" upper="1.5" effort="1" velocity="1"/></joint>`;
writeFileSync(`${folder}/arm/arm.urdf`, `<robot name="arm"><link name="base"/>${link('lower', 'prism.stl')}${link('upper', 'none.stl')}
${joint('shoulder', 'base', 'lower', 0.1, -1.5)}${joint('elbow', 'lower', 'upper', 0.1, -2)}</robot>`);
writeFileSync(`${folder}/robot.json`, JSON.stringify({
    tact: 1, robots: [{ file: 'arm/arm.urdf', prefix: 'left_' }],
    bodies: [{ name: 'ball', parent: 'world', mass: 0.2, joint: { name: 'ball', type: 'translation' } }],
    shapes: [{ name: 'ball', body: 'ball', type: 'sphere', radius: 0.03 }, { name: 'floor', body: 'world', type: 'plane' }],
    pairs: 'auto', mu: 0.5, drives: [{ joint: 'left_*', stiffness: 5 }], state: { q: { ball: [0, -0.12, 0.04], left_elbow: 1 } } }));
