// SPDX-License-Identifier: MIT
// Puts the page together: node build.mjs WASM OUTPUT. One file, whose only script is named in its own policy by its hash.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [wasm, output] = process.argv.slice(2), here = fileURLToPath(new URL('.', import.meta.url));
// the library is packed: the page unpacks it
const asset = { name: 'wasm', setup: (b) => {
    b.onResolve({ filter: /tact\.wasm$/ }, () => ({ path: wasm }));
    b.onLoad({ filter: /tact\.wasm$/ }, () => ({ contents: deflateRawSync(readFileSync(wasm), { level: 9 }), loader: 'binary' }));
} };
const result = await build({ entryPoints: [`${here}main.js`], bundle: true, minify: true, write: false, format: 'iife', target: 'es2022',
                             legalComments: 'eof', plugins: [asset], loader: { '.css': 'text' } });
const program = result.outputFiles[0].text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const hash = createHash('sha256').update(program).digest('base64');
const policy = `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; ` +
    `base-uri 'none'; form-action 'none'`;
const page = readFileSync(`${here}viewer.html`, 'utf8').replace('@POLICY@', () => policy).replace('@PROGRAM@', () => program);
writeFileSync(output, page);
console.log(`${output}: ${page.length} bytes`);
