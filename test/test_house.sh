#!/bin/sh
# SPDX-License-Identifier: MIT
# `make house`: this tree keeps its limits; of a small tree the figures are those counted by hand, and each limit can be broken.
# `make site`: a broken link is refused.
. test/test.sh
gates=$(pwd)/test/gates
python=
for each in python3 /usr/bin/python3; do
    "$each" -c 'import sys; assert sys.version_info >= (3, 8)' 2>/dev/null && python=$each && break
done
if [ -z "$python" ]; then
    echo "skipped: figures of the house (no python3)"
    echo "house (no python3): 0 passed, 0 failed"
    exit
fi
check "this tree" "$python" "$gates/house.py" "$BUILD/libtact.so"

mkdir -p "$work/small/src/base" "$work/small/src/app" "$work/small/include/tact" "$work/small/test/gates" && cd "$work/small" || exit 1
echo 'int tact_sum(int a, int b, int c);' >include/tact/base.h
cat >src/base/sum.c <<'END'
// Adds.
#include "tact/base.h"

static int once(int a) {
    // twice a
    return a + a;
}

int tact_sum(int a, int b, int c) {
    TACT_ASSERT(a);
    if (law == &tact_law_rigid) return once(a);
    return a + b + c;
}
END
printf '#include "tact/base.h"\n#include "app/app.h"\n#include "base/sum.h"\n' >src/app/main.c
printf 'a\nb\nc\n' >README.md
sed 's/at most \( *\)| *[0-9.]* /at most \1| 1000 /; s/at least\( *\)| *[0-9.]* /at least\1| 0 /' "$gates/house.txt" >test/gates/house.txt
figure() { # NAME NUMBER: that figure is printed
    "$python" "$gates/house.py" >said 2>&1 || { cat said; return 1; }
    grep -qE "^$1 +$2 +at " said || { echo "wanted $1 $2"; cat said; return 1; }
}
limit() { # NAME LIMIT: refused under that limit
    sed "s/^\($1 *| at [a-z]* *| *\)[0-9.]*/\1$2/" test/gates/house.txt >changed
    cmp -s changed test/gates/house.txt && { echo "no rule $1"; return 0; }
    "$python" "$gates/house.py" --limits changed
}
broken() { # NAME NUMBER LIMIT: the figure, and that the limit refuses it
    check "$1 is $2" figure "$1" "$2"
    refuse "$1 beyond $3" "house: worse than its limit: $4" limit "$1" "$3"
}
broken 'lines of code' 12 11 'lines of code'
broken 'asserts per 1000 lines of code' 83.3 90 asserts
broken 'tests for a law outside src.law' 1 0 tests
broken 'includes of non-public headers in src.app' 1 0 includes
broken 'lines of README.md' 3 2 'lines of README.md'
if ctags --version 2>/dev/null | grep -q Universal; then
    broken 'function length, median' 5 4 function
    broken 'parameters, most' 3 2 parameters
    broken 'static functions called once \[%\]' 100 99 static
    broken 'comments inside functions \[%\]' 20 30 comments
else
    echo "skipped: figures of functions (no universal-ctags)"
fi
check "tightened" "$python" "$gates/house.py" --write
check "the limit is then what is reached" grep -qE '^lines of code +\| at most +\| +12 ' test/gates/house.txt
refuse "a figure without a limit" "no limit for: lines of code" sh -c "grep -v '^lines of code' test/gates/house.txt >less; '$python' '$gates/house.py' --limits less"

# a site of three pages, with a link that leads to nothing
mkdir -p docs
printf '# A\n\n[b](docs/b.md#there)\n' >README.md
for page in CHANGELOG CONTRIBUTING SECURITY; do printf '# %s\n' $page >$page.md; done
printf '# B\n\n## There\n\n[a](../README.md)\n' >docs/b.md
if sh "$gates/site.sh" "$work/site" 2>&1 | grep -q '^skipped'; then
    echo "skipped: the site (no pandoc, no python3-markdown)"
else
    check "a site" sh "$gates/site.sh" "$work/site"
    check "links lead to HTML" grep -q 'href="docs/b.html#there"' "$work/site/index.html"
    printf '# B\n\n## Elsewhere\n' >docs/b.md
    refuse "a link to a heading that is gone" "docs/b.html#there leads to nothing" sh "$gates/site.sh" "$work/site"
fi
test_end house
