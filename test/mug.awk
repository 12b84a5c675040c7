# SPDX-License-Identifier: MIT
# A mug with a handle as a closed mesh in millimetres (Wavefront OBJ): a profile turned about z, and a bent tube whose ends are
# sewn to the borders of two gaps in the wall. Radius 35, height 100, wall and floor 5, handle to x = 74.5 with a radius of 5.5.
#   awk -f test/mug.awk </dev/null >mug.obj
function profile(r, z) { pr[np] = r; pz[np++] = z }
function bow(r, z, radius, from, to, steps, s, a) {
    for (s = 0; s <= steps; s++) {
        a = (from + (to - from) * s / steps) * pi / 180
        profile(r + radius * cos(a), z + radius * sin(a))
    }
}
function vertex(x, y, z) { printf "v %.9g %.9g %.9g\n", x, y, z; return ++count }
function at(p, c) { return first + p * around + (c + around) % around }
# vertex k of the border of a gap with its lowest row at p: columns -2 to 2, four rows, counter-clockwise seen from outside
function border(k, side) {
    k = k % 16
    side = int(k / 4)
    col = side == 0 ? k - 2 : side == 1 ? 2 : side == 2 ? 10 - k : -2
    row = side == 0 ? 0 : side == 1 ? k - 4 : side == 2 ? 4 : 16 - k
}
BEGIN {
    pi = atan2(0, -1); around = 96; rings = 24; tube = 5.5
    # from the bottom's middle up the outside and down the inside
    for (r = 6; r < 32; r += 4) profile(r, -50)
    bow(32, -47, 3, -90, 0, 4)
    low = np - 1
    for (i = 1; i < 41; i++) profile(35, -47 + 94.5 * i / 41)
    bow(32.5, 47.5, 2.5, 0, 180, 8)
    for (i = 1; i < 36; i++) profile(30, 47.5 - 87.5 * i / 36)
    bow(25, -40, 5, 0, -90, 6)
    for (r = 22; r > 5; r -= 4) profile(r, -45)
    first = 1
    for (p = 0; p < np; p++)
        for (c = 0; c < around; c++) vertex(pr[p] * cos(2 * pi * c / around), pr[p] * sin(2 * pi * c / around), pz[p])
    bottom = vertex(0, 0, -50)
    inside = vertex(0, 0, -45)
    # gaps about the heights -10 and 30
    gap[0] = low + 14; gap[1] = low + 31
    for (p = 0; p < np - 1; p++)
        for (c = 0; c < around; c++) {
            hole = c < 2 || c >= around - 2
            if (hole && ((p >= gap[0] && p < gap[0] + 4) || (p >= gap[1] && p < gap[1] + 4))) continue
            printf "f %d %d %d %d\n", at(p, c), at(p, c + 1), at(p + 1, c + 1), at(p + 1, c)
        }
    for (c = 0; c < around; c++) {
        printf "f %d %d %d\n", bottom, at(0, c + 1), at(0, c)
        printf "f %d %d %d\n", inside, at(np - 1, c), at(np - 1, c + 1)
    }
    # the tube: from the upper gap round to the lower one
    high = (pz[gap[1]] + pz[gap[1] + 4]) / 2; deep = (pz[gap[0]] + pz[gap[0] + 4]) / 2
    middle = (high + deep) / 2; half = (high - deep) / 2
    for (k = 0; k < 16; k++) { border(k); last[k] = at(gap[1] + row, col) }
    for (i = 0; i <= rings + 1; i++) {
        a = pi * (0.08 + 0.84 * i / rings)
        tx = 34 * cos(a); tz = -half * sin(a); t = sqrt(tx * tx + tz * tz)
        for (k = 0; k < 16; k++) {
            border(k)
            angle = atan2(row - 2, col)
            if (i <= rings) {
                s = tube * sin(angle)
                now[k] = vertex(35 + 34 * sin(a) - s * tz / t, tube * cos(angle), middle + half * cos(a) + s * tx / t)
            } else now[k] = at(gap[0] + 4 - row, col)
        }
        for (k = 0; k < 16; k++) printf "f %d %d %d %d\n", last[k], last[(k + 1) % 16], now[(k + 1) % 16], now[k]
        for (k = 0; k < 16; k++) last[k] = now[k]
    }
}
