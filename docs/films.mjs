// SPDX-License-Identifier: MIT
// Pictures and films of the tasks of control, as the page shows them: node docs/films.mjs TACT, by make films. Needs Chromium. Pictures
// are taken by steps and not by the clock; the bytes depend on the browser.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { chromium } from '../src/view/page/node_modules/playwright-core/index.mjs';

// scene, goals that are to be reached
const TASKS = [['allegro_cube', 1], ['push_t', 1], ['allegro_lid', 1], ['fingertips_lift', 1]], SIZE = { width: 480, height: 320 }, RATE = 12.5, MOST = 80;

// runs in the page: follows goals, and encodes every fourth tick's picture as VP9
async function film({ goals, rate, most, bitrate }) {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    tact.pause();
    tact.reset();
    tact.toggleFollow();
    tact.pause();
    document.body.classList.add('nocharts');
    tact.panel.close();
    for (let i = 0; i < 4; i++) await frame();
    tact.aim(0);
    // from here on pictures are drawn by the steps only
    window.requestAnimationFrame = () => 0;
    const { canvas } = tact, blocks = [], wide = canvas.width & ~1, high = canvas.height & ~1;
    const encoder = new VideoEncoder({ error: (error) => console.error(error), output: (chunk) => {
        const data = new Uint8Array(chunk.byteLength);
        chunk.copyTo(data);
        blocks.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key', data: [...data] });
    } });
    encoder.configure({ codec: 'vp09.00.10.08', width: wide, height: high, bitrate, framerate: rate, latencyMode: 'realtime' });
    const copy = new OffscreenCanvas(wide, high), pen = copy.getContext('2d'), every = Math.round(1 / rate / tact.plan.tick) * tact.plan.parts;
    let still = null;
    for (let k = 0, after = 0; k < most && after < 8; k++) {
        for (let i = 0; i < every; i++) tact.step();
        after += tact.counts.reached >= goals;
        tact.changed = true;
        tact.draw();
        pen.drawImage(canvas, 0, 0);
        const picture = new VideoFrame(copy, { timestamp: k * 1e6 / rate });
        encoder.encode(picture, { keyFrame: k === 0 });
        picture.close();
        if (k === 12) still = canvas.toDataURL('image/png');
        while (encoder.encodeQueueSize > 4) await new Promise((done) => setTimeout(done, 5));
    }
    await encoder.flush();
    return { blocks, wide, high, still, counts: tact.counts };
}

// ---- Matroska: an element is its name, its length in eight bytes, what it holds
const number = (x, size) => Array.from({ length: size }, (_, i) => Math.floor(x / 256 ** (size - 1 - i)) & 255);
const element = (id, ...content) => {
    const data = Buffer.concat(content.map((c) => (typeof c === 'string' ? Buffer.from(c) : Buffer.from(c))));
    return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([1, ...number(data.length, 7)]), data]);
};
function float(x) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(x);
    return bytes;
}
function makeWebm({ blocks, wide, high }, rate) {
    const head = element('1a45dfa3', element('4286', [1]), element('42f7', [1]), element('42f2', [4]), element('42f3', [8]), element('4282', 'webm'), element('4287', [2]), element('4285', [2]));
    const info = element('1549a966', element('2ad7b1', number(1000000, 3)), element('4489', float(blocks.length * 1000 / rate)), element('4d80', 'tact'), element('5741', 'tact'));
    const track = element('1654ae6b', element('ae', element('d7', [1]), element('73c5', [1]), element('83', [1]), element('86', 'V_VP9'), element('e0', element('b0', number(wide, 2)), element('ba', number(high, 2)))));
    const simple = blocks.map((b) => element('a3', [0x81, ...number(b.time, 2), b.key ? 0x80 : 0], b.data));
    return Buffer.concat([head, element('18538067', info, track, element('1f43b675', element('e7', [0]), ...simple))]);
}

const tact = process.argv[2], work = mkdtempSync(`${tmpdir()}/films`);
const browser = await chromium.launch({ executablePath: process.env.BROWSER || '/usr/bin/chromium', headless: true, chromiumSandbox: false,
                                        args: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
for (const [scene, goals] of TASKS.filter(([name]) => !process.argv[3] || name === process.argv[3])) {
    execFileSync(tact, ['view', `data/scenes/${scene}.json`, '-o', `${work}/${scene}.html`, '--no-open'], { stdio: 'ignore' });
    const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: 1 });
    page.on('pageerror', (error) => console.error(String(error)));
    await page.goto(`file://${work}/${scene}.html`);
    await page.waitForFunction(() => window.tact?.rendered > 1);
    const made = await page.evaluate(film, { goals, rate: RATE, most: Number(process.env.MOST ?? MOST), bitrate: 150000 }), webm = makeWebm(made, RATE);
    writeFileSync(`docs/${scene}.webm`, webm);
    writeFileSync(`docs/${scene}.png`, Buffer.from(made.still.split(',')[1], 'base64'));
    console.log(`docs/${scene}.webm: ${webm.length} bytes, ${made.blocks.length} pictures, goals reached ${made.counts.reached}, dropped ${made.counts.dropped}`);
    await page.close();
}
await browser.close();
rmSync(work, { recursive: true });
