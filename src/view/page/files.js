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

    async openFiles(list) {
        const all = [...list];
        if (this.sides.length) this.pause();
        try {
            const traces = [];
            for (const file of all) if (/"tact_trace"/.test(await file.slice(0, 4096).text())) traces.push(file);
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
    async openSceneFiles(all) {
        const texts = {};
        for (const file of all) {
            if (file.size > SCENE_LIMIT) throw new Refused(`${file.name}: larger than 16 MiB`);
            texts[file.name] = /\.(npy|stl)$/i.test(file.name) ? new Uint8Array(await file.arrayBuffer()) : await file.text();
        }
        const looks = (text) => /"tact"\s*:/.test(text) && /"(law|pairs|state|robots)"\s*:/.test(text);
        this.openScene((all.find((file) => looks(texts[file.name])) ?? all[0]).name, texts);
    },
};
