# SPDX-License-Identifier: MIT
# Worst stack below the functions named in `roots`, from gcc's call graphs (-fcallgraph-info=su): the deepest sum along calls.
# An indirect call goes to any function named in `indirect`. Fails on recursion and on stack that is not static.
function name(text) { sub(/.*"/, "", text); return text }

/^node:/ {
    match($0, /title: "[^"]*"/)
    node = substr($0, RSTART + 8, RLENGTH - 9)
    sub(/.*:/, "", node)
    if (match($0, /[0-9]+ bytes \([a-z,]*\)/)) {
        text = substr($0, RSTART, RLENGTH)
        split(text, part, " ")
        if (part[1] > bytes[node]) bytes[node] = part[1]
        if (text ~ /dynamic/ && text !~ /bounded/) bad = bad " " node
    }
}
/^edge:/ {
    match($0, /sourcename: "[^"]*"/); from = substr($0, RSTART + 13, RLENGTH - 14); sub(/.*:/, "", from)
    match($0, /targetname: "[^"]*"/); to = substr($0, RSTART + 13, RLENGTH - 14); sub(/.*:/, "", to)
    calls[from] = calls[from] " " to
}
# below[node]: the deepest way down; state 1 while on the way, 2 when known
function depth(node,    list, count, i, most, d) {
    if (state[node] == 2) return below[node]
    if (state[node] == 1) { cycle = cycle " " node; return 0 }
    state[node] = 1
    count = split(node == "__indirect_call" ? indirect : calls[node], list, " ")
    for (i = 1; i <= count; i++) { d = depth(list[i]); if (d > most) most = d }
    state[node] = 2
    return below[node] = bytes[node] + most
}
END {
    count = split(indirect, list, " ")
    for (i = 1; i <= count; i++) if (!(list[i] in bytes)) bad = bad " no:" list[i]
    count = split(roots, list, " ")
    for (i = 1; i <= count; i++) if (!(list[i] in bytes)) bad = bad " no:" list[i]
    for (i = 1; i <= count; i++) { d = depth(list[i]); if (d > most) most = d }
    if (cycle || bad) { print "stack: recursion:" cycle "; not static or not found:" bad; exit 1 }
    print most
}
