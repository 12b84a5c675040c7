// SPDX-License-Identifier: MIT
// node check.mjs RUN.mcap RUN.jsonl: reads the file with npm's @mcap/core, by its indices and as a stream, all checksums
// compared; decodes the messages by the descriptors in it, which must be those of @foxglove/schemas; and compares them with the trace.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { McapIndexedReader, McapStreamReader } from '@mcap/core';
import protobuf from 'protobufjs';

const require = createRequire(import.meta.url);
const descriptor = require('protobufjs/ext/descriptor');
const foxglove = require('@foxglove/schemas/internal');
const [mcapPath, tracePath] = process.argv.slice(2);
const fail = (text) => {
    console.error(`${mcapPath}: ${text}`);
    process.exit(1);
};
const same = (what, got, wanted) => {
    if (!(got === wanted || Math.abs(got - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted)))) fail(`${what}: ${got}, not ${wanted}`);
};

const bytes = readFileSync(mcapPath);
const lines = readFileSync(tracePath, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const [header, ...steps] = lines;
let freeBodies = 0;
const readable = {
    size: async () => BigInt(bytes.length),
    read: async (at, size) => new Uint8Array(bytes.subarray(Number(at), Number(at + size))),
};

// every field of every message as the published schema has it
function compareSchema(root) {
    for (const type of root.lookup('foxglove').nestedArray) {
        if (!(type instanceof protobuf.Type)) continue;
        const schema = foxglove.foxgloveMessageSchemas[type.name];
        if (!schema) fail(`no schema ${type.name}`);
        const choices = Object.values(foxglove.foxgloveEnumSchemas).filter((one) => one.parentSchemaName === type.name);
        const text = foxglove.generateProto(schema, choices).replace(/\/\/.*$/gm, '');
        const own = type.fieldsArray.map((f) => `${f.repeated ? 'repeated ' : ''}${f.resolvedType ? f.resolvedType.name : f.type} ${f.name} = ${f.id}`);
        const theirs = [...text.matchAll(/^ {2}(repeated )?([\w.]+) (\w+) = (\d+)/gm)].map(
            (m) => `${m[1] ?? ''}${m[2].split('.').pop()} ${m[3]} = ${m[4]}`);
        if (own.join() !== theirs.join()) fail(`schema of ${type.name}: ${own} is not ${theirs}`);
    }
}

const reader = await McapIndexedReader.Initialize({ readable });
const types = new Map();
for (const channel of reader.channelsById.values()) {
    const schema = reader.schemasById.get(channel.schemaId);
    if (schema.encoding !== 'protobuf') continue;
    const root = protobuf.Root.fromDescriptor(descriptor.FileDescriptorSet.decode(schema.data));
    root.resolveAll();
    compareSchema(root);
    types.set(channel.id, root.lookupType(schema.name));
}

const topics = { '/tf': [], '/contacts': [], '/state': [], '/scene': [] };
for await (const message of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(message.channelId), type = types.get(channel.id);
    const value = type ? type.toObject(type.decode(message.data), { longs: Number, defaults: true }) : JSON.parse(Buffer.from(message.data).toString());
    topics[channel.topic].push({ time: Number(message.logTime) * 1e-9, value });
}
const stream = new McapStreamReader({ validateCrcs: true });
stream.append(bytes);
while (stream.nextRecord());
if (!stream.done()) fail('the stream has no end');

for (const topic of ['/tf', '/contacts', '/state']) same(`messages of ${topic}`, topics[topic].length, steps.length);
same('messages of /scene', topics['/scene'].length, 1);
same('entities', topics['/scene'][0].value.entities.length, header.bodies.length + 1);
const solids = topics['/scene'][0].value.entities.flatMap((e) => [...e.cubes, ...e.spheres, ...e.cylinders, ...e.triangles]);
if (solids.length < header.shapes.filter((s) => s.type !== 'union').length) fail('shapes are missing');
steps.forEach((step, k) => {
    const state = topics['/state'][k].value, tf = topics['/tf'][k], arrows = topics['/contacts'][k].value.entities[0].arrows;
    if (Math.abs(tf.time - step.t) > 1e-9) fail(`time ${tf.time}, not ${step.t}`); // nanoseconds
    same('step', state.step, step.step);
    Object.values(state.q).forEach((x, i) => same(`q ${i} of step ${k}`, x, step.q[i]));
    const loaded = step.contacts.filter((c) => Math.hypot(...c.force) > 0);
    if (arrows.length > loaded.length) fail(`arrows of step ${k}`);
    for (const arrow of arrows) {
        // the arrow's x axis is along the force of the contact where it begins
        const { x, y, z, w } = arrow.pose.orientation, p = arrow.pose.position;
        const axis = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
        const contact = loaded.find((c) => Math.hypot(c.point[0] - p.x, c.point[1] - p.y, c.point[2] - p.z) < 1e-12);
        if (!contact) fail(`an arrow of step ${k} is nowhere`);
        const size = Math.hypot(...contact.force);
        axis.forEach((a, i) => { if (Math.abs(a - contact.force[i] / size) > 1e-9) fail(`direction of an arrow of step ${k}`); });
    }
    for (const [i, body] of header.bodies.entries()) {
        const frame = tf.value.transforms[i];
        if (frame.childFrameId !== body.name) fail(`frame ${frame.childFrameId}, not ${body.name}`);
        if (body.joint?.type !== 'free' && body.type !== 'free') continue;
        const at = Object.keys(state.q).findIndex((name) => name === `${body.joint?.name ?? body.name}.x`);
        if (at < 0 || body.parent !== 'world') continue;
        same('x', frame.translation.x, step.q[at]);
        same('z', frame.translation.z, step.q[at + 2]);
        same('turn', Math.abs(frame.rotation.w), Math.abs(step.q[at + 3]));
        freeBodies++;
    }
});
if (header.bodies.some((b) => (b.joint?.type ?? b.type) === "free") && freeBodies === 0) fail("no free body was compared");
console.log(`${mcapPath}: ${steps.length} states, ${freeBodies} poses of free bodies`);
