// SPDX-License-Identifier: MIT
// Films of the picture: WebM or MP4 by the browser's own encoder, GIF by the one below.
const TYPES = { MP4: ['video/mp4;codecs=avc1.42E01F', 'video/mp4'], WebM: ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'] };
const GIF = { wide: 480, every: 80, frames: 600 };  // pixels, ms between pictures, most of them

const findType = (kind) => TYPES[kind]?.find((type) => window.MediaRecorder?.isTypeSupported(type));

// what this browser can make
export const filmKinds = () => ['WebM', 'MP4'].filter(findType).concat('GIF');

// Colours of 15 bits by how many pixels have them; the 256 most frequent ones, and to each other one the nearest of these.
function makePalette(pixels) {
    const count = new Uint32Array(32768), code = (i) => (pixels[i] >> 3) << 10 | (pixels[i + 1] >> 3) << 5 | pixels[i + 2] >> 3;
    for (let i = 0; i < pixels.length; i += 4) count[code(i)]++;
    const used = [...count.keys()].filter((c) => count[c]).sort((a, b) => count[b] - count[a]), kept = used.slice(0, 256);
    const split = (c) => [c >> 10, c >> 5 & 31, c & 31], entry = kept.map(split), index = new Uint8Array(32768);
    for (const c of used) {
        const [r, g, b] = split(c);
        let best = Infinity;
        entry.forEach(([x, y, z], k) => {
            const off = (r - x) ** 2 + 2 * (g - y) ** 2 + (b - z) ** 2;
            if (off < best) best = off, (index[c] = k);
        });
    }
    const colours = new Uint8Array(768);
    entry.forEach((e, k) => colours.set(e.map((x) => x << 3 | x >> 2), 3 * k));
    return { colours, indices: Uint8Array.from({ length: pixels.length / 4 }, (_, i) => index[code(4 * i)]) };
}

// LZW of GIF, codes of 9 to 12 bits, in blocks of at most 255 bytes
function pack(indices) {
    const out = [];
    let bits = 0, held = 0, size = 9, next = 258, table = new Map();
    const put = (code) => {
        bits |= code << held;
        for (held += size; held >= 8; held -= 8) out.push(bits & 255), (bits >>>= 8);
    };
    put(256);
    let prefix = indices[0];
    for (let i = 1; i < indices.length; i++) {
        const key = prefix << 8 | indices[i], known = table.get(key);
        if (known !== undefined) {
            prefix = known;
            continue;
        }
        put(prefix);
        table.set(key, next++);
        if (next > 1 << size && size < 12) size++;
        if (next === 4096) put(256), (table = new Map()), (next = 258), (size = 9);
        prefix = indices[i];
    }
    put(prefix);
    put(257);
    if (held) out.push(bits & 255);
    const blocks = [8];
    for (let i = 0; i < out.length; i += 255) {
        const part = out.slice(i, i + 255);
        blocks.push(part.length, ...part);
    }
    return [...blocks, 0];
}

const two = (x) => [x & 255, x >> 8];
// frames: of palette and indices; delay: between them [ms]
export function makeGif(width, height, frames, delay) {
    const parts = [new TextEncoder().encode('GIF89a'), [...two(width), ...two(height), 0x70, 0, 0], [0x21, 0xff, 11], new TextEncoder().encode('NETSCAPE2.0'), [3, 1, 0, 0, 0]];
    for (const { colours, indices } of frames)
        parts.push([0x21, 0xf9, 4, 0, ...two(Math.round(delay / 10)), 0, 0, 0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0x87], colours, pack(indices));
    parts.push([0x3b]);
    return new Blob(parts.map((part) => Uint8Array.from(part)), { type: 'image/gif' });
}

export const record = {
    toggleRecord() {
        this.film ? this.endRecord() : this.beginRecord(this.run.film);
    },
    // The picture is copied to a canvas of its own: of a size that stays, and even, as encoders want it.
    beginRecord(kind) {
        const type = findType(kind), scale = Math.min(1, (type ? 1920 : GIF.wide) / this.width), canvas = document.createElement('canvas');
        canvas.width = 2 * Math.round(scale * this.width / 2);
        canvas.height = 2 * Math.round(scale * this.height / 2);
        this.film = { pen: canvas.getContext('2d', { willReadFrequently: !type }), last: -Infinity };
        if (type) {
            const pieces = [], recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: this.run.bitrate ?? 4e6 });
            recorder.ondataavailable = (event) => pieces.push(event.data);
            recorder.onstop = () => this.saveFilm(new Blob(pieces, { type: type.split(';')[0] }), kind);
            recorder.start();
            this.film.recorder = recorder;
        } else {
            this.film.gif = [];
        }
        this.changed = true;
    },
    endRecord() {
        const { film } = this;
        this.film = null;
        this.changed = true;
        if (film.recorder) return film.recorder.stop();
        const { width, height } = film.pen.canvas;
        if (film.gif.length) this.saveFilm(makeGif(width, height, film.gif, GIF.every), 'GIF');
    },
    // after a picture was drawn, in the same turn: its pixels are still there
    filmPicture() {
        const { film } = this, now = performance.now();
        if (!film || (film.gif && now - film.last < GIF.every)) return;
        const { width, height } = film.pen.canvas;
        film.last = now;
        film.pen.drawImage(this.canvas, 0, 0, width, height);
        if (!film.gif) return;
        film.gif.push(makePalette(film.pen.getImageData(0, 0, width, height).data));
        if (film.gif.length >= GIF.frames) this.endRecord();
    },
    saveFilm(blob, kind) {
        this.lastFilm = blob;
        if (!blob.size) return this.refuse(`this browser says that it makes ${kind} and has made nothing: take another kind of film in the panel, GIF always works`);
        this.save(`tact.${kind.toLowerCase()}`, blob);
    },
};
