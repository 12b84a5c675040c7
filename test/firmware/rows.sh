# SPDX-License-Identifier: MIT
# Rows of a table: a build, and for each model whether its line is the wanted one. For a shell that sets bad and rows to 0.

header() { # FILE: its models
    printf '%-30s' ""
    sed 's/:.*//' "$1" | while read -r model; do printf ' %-10s' "$model"; done
    echo
}

row() { # NAME WANTED GOT; where nothing is wanted, nothing agrees
    printf '%-30s' "$1"
    [ -s "$2" ] || { printf ' DIFFERS'; bad=1; }
    while read -r line; do
        cell=same
        grep -Fxq "$line" "$3" || { cell=DIFFERS; bad=1; }
        printf ' %-10s' "$cell"
    done <"$2"
    echo
    rows=$((rows + 1))
}
