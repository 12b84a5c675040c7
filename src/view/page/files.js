// SPDX-License-Identifier: MIT
// In and out: files that are opened or dropped, states, pictures and traces that are saved.
import { Refused } from './engine.js';
import { readTraceFile } from './trace.js';

const SCENE_LIMIT = 16 << 20;
const MANY = { fixed: 0, translation: 3, planar: 3, free: 7 };

export const files = {
    stateScene() {
        const { header, frame } = this, q = {};
        for (const joint of header.joints) {
            const n = MANY[joint.type] ?? 1;
            if (n === 0 || joint.ratio !== undefined || joint.offset !== undefined) continue;
            q[joint.name] = n === 1 ? frame.q[joint.q] : [...frame.q.slice(joint.q, joint.q + n)];
        }
        const scene = this.path ? JSON.parse(this.files[this.path]) : {};
        scene.state = { ...scene.state, q };
        for (const [key, value] of Object.entries(this.settings)) if (key.startsWith('options.')) (scene.options ??= {})[key.slice(8)] = Number(value);
        if (this.canStep()) scene.law = this.side.scene.header.law;
        return JSON.stringify(scene, null, 2);
    },
    async copyState() {
        const text = this.stateScene();
        try {
            await navigator.clipboard.writeText(text);
            this.flash('the state is in the clipboard, as a scene');
        } catch {
            this.save('state.json', new Blob([text], { type: 'application/json' }));
        }
        return text;
    },
    save(name, blob) {
        const link = document.createElement('a');
        link.download = name;
        link.href = URL.createObjectURL(blob);
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
    savePicture() {
        this.draw();
        this.canvas.toBlob((blob) => this.save('tact.png', blob));
    },
    // stepped again from the start under the scene's own commands: the lines are those that tact run writes
    saveTrace() {
        if (!this.canStep()) return;
        const scene = this.engine.open(this.path, this.run.law, this.settings), lines = [scene.first, scene.line(0)];
        for (let k = 0; k < this.side.scene.steps && scene.step() >= 0; k++) lines.push(scene.line());
        scene.close();
        this.save('run.jsonl', new Blob([lines.join('\n') + '\n'], { type: 'application/jsonl' }));
    },

    // list: of files, from the dialog; or what was dropped, where folders are read, too
    async openFiles(list) {
        if (this.sides.length) this.pause();
        try {
            const all = list instanceof DataTransferItemList ? await readDropped(list) : [...list].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
            const traces = [];
            for (const { file } of all) if (/"tact_trace"/.test(await file.slice(0, 4096).text())) traces.push(file);
            await (traces.length ? this.openTraceFile(traces[0]) : this.openSceneFiles(all));
            this.play();
        } catch (error) {
            this.refuse(error);
        }
    },
    async openTraceFile(file) {
        const trace = await readTraceFile(file, (part) => this.message(`reading ${file.name}: ${Math.round(100 * part)} %`));
        this.openTrace(trace);
    },
    // Scenes, robots in URDF or MJCF, and meshes, which make a scene of their own; meshes that a robot lacks are added to it.
    async openSceneFiles(all) {
        const texts = {}, refused = all.filter(({ path }) => !KNOWN.test(path));
        for (const { file, path } of all) {
            if (!KNOWN.test(path)) continue;
            if (file.size > (MESH.test(path) ? MESH_LIMIT : SCENE_LIMIT)) throw new Refused(`${path}: larger than ${MESH.test(path) ? 64 : 16} MiB`);
            texts[path] = /\.(npy|stl|obj|dae)$/i.test(path) ? new Uint8Array(await file.arrayBuffer()) : await file.text();
        }
        const names = Object.keys(texts);
        if (!names.length) throw new Refused(`${refused[0]?.path ?? 'an empty folder'}: not a file of this page (scenes and robots in .json, traces in .jsonl, robots in .urdf or .xml, meshes in .stl, .obj or .dae)`);
        const scenes = names.filter((name) => /\.json$/i.test(name) && /"tact"\s*:/.test(texts[name]) && /"(law|pairs|state|robots)"\s*:/.test(texts[name]));
        const robots = names.filter((name) => /<(robot|mujoco)[\s>]/.test(XML.test(name) ? texts[name] : '')), meshes = names.filter((name) => MESH.test(name));
        const wanted = this.wanted?.missing.some((file) => meshes.some((name) => baseName(name) === baseName(file)));
        if (!scenes.length && !robots.length && wanted) return this.openDropped(this.wanted.path, { ...this.wanted.files, ...texts });
        if (!scenes.length && robots.length) {
            // of several models in MJCF the one that includes others
            const included = new Set(robots.flatMap((name) => [...texts[name].matchAll(/<include\s[^>]*file\s*=\s*["']([^"']+)/g)].map(([, file]) => baseName(file))));
            const chosen = robots.find((name) => !included.has(baseName(name))) ?? robots[0];
            return this.openMade(chosen, texts, robotScene(chosen, texts[chosen]));
        }
        const other = names.find((name) => XML.test(name));
        if (!scenes.length && other) throw new Refused(`${other}: neither URDF nor MJCF: no root element <robot> or <mujoco>`);
        if (!scenes.length && meshes.length === names.length) {
            texts['dropped.urdf'] = meshRobot(meshes);
            return this.openMade('dropped.urdf', texts, robotScene('dropped.urdf', ''), baseName(meshes[0]));
        }
        this.openDropped(scenes[0] ?? names[0], texts);
    },
    // a scene that is made for what was dropped
    openMade(file, texts, scene, name = baseName(file)) {
        const path = `${name.replace(/\.[a-z]+$/i, '')} (dropped).json`, made = { ...scene, name: name.replace(/\.[a-z]+$/i, '') };
        for (let tries = 0; ; tries++) {
            texts[path] = JSON.stringify(made, null, 2);
            try {
                return this.openDropped(path, texts);
            } catch (error) {
                // joints that cannot be at 0 begin at the limit that is nearest
                const outside = [...error.message.matchAll(/joint "([^"]+)" begins at \S+, outside \[(\S+), (\S+)\]/g)];
                if (!outside.length || tries > 8) throw error;
                made.state ??= { q: {} };
                for (const [, joint, low, high] of outside) made.state.q[joint] = Number(low) > 0 ? Number(low) : Number(high);
            }
        }
    },
    // Meshes are looked for among the files; what is not there is named, and may be dropped next.
    openDropped(path, texts) {
        this.openScene(path, texts, { meshes: true });
        const missing = [...new Set(this.meshes.missing)], names = missing.slice(0, 6).map(baseName).join(', ');
        this.wanted = missing.length ? { path, files: texts, missing } : null;
        const more = missing.length > 6 ? ` and ${missing.length - 6} more` : '', one = missing.length === 1;
        const said = missing.length ? [`${one ? 'a mesh is' : `${missing.length} meshes are`} not among the files: ${names}${more}. Drop ${one ? 'it' : 'them'}, too, or the robot's whole folder.`] : this.meshes.notes;
        this.warn(said);
    },
};

const MESH_LIMIT = 64 << 20, KNOWN = /\.(json|npy|urdf|xml|mjcf|stl|obj|dae)$/i, MESH = /\.(stl|obj|dae)$/i, XML = /\.(urdf|xml|mjcf)$/i, FILES = 1000;
const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
const escape = (text) => text.replace(/[&<"]/g, (c) => `&#${c.charCodeAt(0)};`);

// The robot in a scene. URDF has no drives: joints hold where they are, by gentle springs. A robot alone touches nothing.
function robotScene(file, text) {
    const driven = /<actuator[\s>]/.test(text), joints = /<joint\s/.test(text) && /type\s*=\s*["'](revolute|continuous|prismatic)/.test(text);
    const free = /<freejoint|type\s*=\s*["']free/.test(text);
    return { tact: 1, law: 'barrier', robots: [{ file }], ...(driven || !joints ? {} : { drives: [{ joint: '*', stiffness: 10 }] }), pairs: free ? 'auto' : [], mu: 0.5 };
}
// meshes by themselves: one link that shows them all
const meshRobot = (meshes) => `<robot name="meshes"><link name="mesh">${meshes.map((file) => `<visual><geometry><mesh filename="${escape(file)}"/></geometry></visual>`).join('')}</link></robot>`;

// All files of what was dropped, those in folders by their path.
async function readDropped(items) {
    const plain = [...items].map((item) => item.getAsFile()), entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), found = [];
    if (!entries.length) return plain.filter(Boolean).map((file) => ({ file, path: file.name }));
    while (entries.length) {
        const entry = entries.shift(), path = entry.fullPath.replace(/^\//, '');
        if (entry.isFile) {
            const file = await new Promise((done, failed) => entry.file(done, failed));
            found.push({ file, path });
        } else {
            const reader = entry.createReader();
            for (let part = null; !part || part.length; entries.push(...part)) part = await new Promise((done, failed) => reader.readEntries(done, failed));
        }
        if (found.length > FILES) throw new Refused(`more than ${FILES} files: drop the folder of one robot`);
    }
    return found;
}
