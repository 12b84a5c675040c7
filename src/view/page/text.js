// SPDX-License-Identifier: MIT
// Numbers as people read them.
export const short = (x) => (x === 0 ? '0' : Math.abs(x) >= 0.01 && Math.abs(x) < 1e4 ? String(+x.toPrecision(3)) : x.toExponential(2).replace('e+', 'e'));

const UNITS = [[1, 'm'], [1e-3, 'mm'], [1e-6, 'µm'], [1e-9, 'nm']];
export function length(x) {
    const [unit, name] = UNITS.find(([u]) => Math.abs(x) >= u * 0.9995) ?? UNITS.at(-1);
    return `${short(x / unit)} ${name}`;
}
