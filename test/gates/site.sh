#!/bin/sh
# SPDX-License-Identifier: MIT
# Renders README.md, CHANGELOG.md, CONTRIBUTING.md, SECURITY.md and docs/ to HTML: sh test/gates/site.sh FOLDER. By pandoc, or else by
# Python's Markdown (Debian: python3-markdown). Links between pages become links between the HTML files; links to files that are not
# part of the site are kept as text. Fails where a link of the site leads to nothing.
set -u
out=$1
by= python=
for each in python3 /usr/bin/python3; do
    if [ -z "$by" ] && "$each" -c 'import sys; assert sys.version_info >= (3, 8)' 2>/dev/null; then
        python=$each
        if command -v pandoc >/dev/null; then by=pandoc; elif "$each" -c 'import markdown' 2>/dev/null; then by=markdown; fi
    fi
done
[ "$by" ] || { echo "skipped: site (needs python3, and pandoc or python3-markdown)"; exit 0; }
rm -rf "$out"
mkdir -p "$out"
"$python" - "$out" $by <<'END'
import html, os, re, shutil, subprocess, sys
from urllib.parse import unquote

out, by = sys.argv[1:]
pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
for folder, _, files in sorted(os.walk("docs")):
    pages += [os.path.join(folder, f) for f in sorted(files) if f.endswith(".md")]
STYLE = """body{font:16px/1.5 sans-serif;max-width:60em;margin:0 auto;padding:1em;color:#123;background:#fff}
nav{font-size:14px;border-bottom:1px solid #ccd;padding-bottom:.5em}code,pre{font-size:14px;background:#f3f5f9}
pre{padding:.7em;overflow-x:auto}table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #ccd;padding:.2em .6em}
img{max-width:100%}a{color:#14c}@media(prefers-color-scheme:dark){body{color:#dde;background:#15181f}code,pre{background:#222733}
a{color:#8bf}td,th{border-color:#445}}"""


def place(page):
    return "index.html" if page == "README.md" else page[:-3] + ".html"


def slug(text):
    text = re.sub(r"[^\w\-\s]", "", re.sub(r"<[^>]*>", "", html.unescape(text)).lower())
    return re.sub(r"\s", "-", text)  # pandoc breaks the lines of headings


def render(text):
    # lists and tables as GitHub reads them: Python's Markdown wants an empty line before a list
    text = re.sub(r"(?m)^(?![*\d ])(.+)\n(?=\* )", r"\1\n\n", text)
    if by == "pandoc":
        return subprocess.run(["pandoc", "-f", "gfm", "-t", "html"], input=text, capture_output=True, text=True, check=True).stdout
    import markdown
    return markdown.markdown(text, extensions=["tables", "fenced_code", "md_in_html"])


def resolve(page, target):
    """A link of a page: what it is in the site; None: not part of it."""
    path, _, anchor = target.partition("#")
    if not path:
        return target
    path = os.path.normpath(os.path.join(os.path.dirname(page), unquote(path)))
    if path in pages:
        there = place(path)
    elif path.startswith("docs" + os.sep) and os.path.isfile(path):
        there = path
        os.makedirs(os.path.dirname(os.path.join(out, path)), exist_ok=True)
        shutil.copy(path, os.path.join(out, path))
    else:
        return None
    return os.path.relpath(there, os.path.dirname(place(page)) or ".") + ("#" + anchor if anchor else "")


titles = {}
for page in pages:
    titles[page] = re.search(r"(?m)^# (.*)", open(page, encoding="utf-8").read())[1]
for page in pages:
    body = render(open(page, encoding="utf-8").read())
    body = re.sub(r"<h(\d)[^>]*>(.*?)</h\1>", lambda m: '<h%s id="%s">%s</h%s>' % (m[1], slug(m[2]), m[2], m[1]), body, flags=re.S)

    def link(m):
        if re.match(r"[a-z]+:", m[2]):
            return m[0]
        target = resolve(page, m[2])
        return m[0] if target == m[2] else m[1] + target + m[3] if target else m[1] + "#" + m[3] + ' class="outside"'

    body = re.sub(r'((?:href|src)=")([^"]*)(")', link, body)
    body = re.sub(r'<a href="#" class="outside">(.*?)</a>', r"\1", body, flags=re.S)
    up = os.path.dirname(place(page)) or "."
    nav = " · ".join('<a href="%s">%s</a>' % (os.path.relpath(place(p), up), html.escape(titles[p])) for p in pages)
    target = os.path.join(out, place(page))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as f:
        f.write('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                "<title>%s</title><style>%s</style></head><body><nav>%s</nav>%s</body></html>\n" % (html.escape(titles[page]), STYLE, nav, body))

# what the HTML files point to
bad = links = 0
ids = {}
for folder, _, files in os.walk(out):
    for f in files:
        if f.endswith(".html"):
            name = os.path.join(folder, f)
            ids[name] = set(re.findall(r'id="([^"]+)"', open(name, encoding="utf-8").read()))
for name in sorted(ids):
    for target in re.findall(r'(?:href|src)="([^"]*)"', open(name, encoding="utf-8").read()):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        path, _, anchor = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(there) or (anchor and there in ids and anchor not in ids[there]):
            bad += 1
            print("%s: %s leads to nothing" % (name, target))
print("site: %d pages in %s, %d links, %d broken (%s)" % (len(pages), out, links, bad, by))
sys.exit(bad > 0)
END
