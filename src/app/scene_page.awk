# SPDX-License-Identifier: MIT
# tact-scene(5) from what `tact help scene` prints: a line before an indented block becomes a heading, tables stay as they are.
function put(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    gsub(/'/, "\\(aq", line)
    print (line ~ /^\./ ? "\\&" : "") line
}
BEGIN {
    print ".TH TACT\\-SCENE 5 \"\" \"Tact\" \"File formats\""
    print ".SH NAME\ntact\\-scene \\- scene files of tact(1): bodies, shapes, contacts, drives, and how they begin"
    print ".SH DESCRIPTION\n.nf\n.ad l"
}
{ line[NR] = $0 }
END {
    for (i = 1; i <= NR; i++) {
        if (i > 1 && line[i - 1] == "" && line[i] ~ /^[^ ]/ && line[i + 1] ~ /^  /) {
            heading = line[i]
            gsub(/"/, "\\(dq", heading)
            print ".SS " heading
        } else {
            put(line[i])
        }
    }
    print ".fi\n.SH SEE ALSO\n.BR tact (1)"
}
