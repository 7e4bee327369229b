#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_check: looks at HTML pages in headless Chromium, narrow and wide, light and dark, and reports their faults.

Usage: page_check.py CHROMIUM FOLDER PAGE...; it leaves two pictures of each page in FOLDER, light and dark.

Each page is copied with an added script that measures the page's text boxes, and shown in a frame of 400 and a frame of 1600 pixels. The page itself has no
script and forbids scripts, so the copy lacks that policy. Exit status: 0 no fault, 1 faults, with a line for each.
"""
import concurrent.futures
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTHS = (400, 1600)
HEIGHT = 3400
# Lines of text are a little higher than their letters.
TOLERANCE = 2.5
CONTRAST_MIN = 4.5

MEASURE = """<script>
addEventListener('load', () => {
  const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, range = document.createRange();
    if (!node.data.trim() || node.parentElement.closest('script,style')) continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 0 && box.height > 0) texts.push({node: texts.node = node, box, text: node.data.trim().slice(0, 40)});
  }
  const overlaps = [];
  texts.forEach((one, i) => texts.slice(i + 1).forEach(other => {
    if (one.node === other.node) return;
    const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    if (across > 1 && down > TOLERANCE) overlaps.push(one.text + ' / ' + other.text);
  }));
  const outside = texts.filter(t => t.box.left < 0 || t.box.right > innerWidth + 0.5).map(t => t.text);
  const style = getComputedStyle(document.body), soft = document.querySelector('.soft');
  parent.postMessage({width: innerWidth, scroll: document.documentElement.scrollWidth, texts: texts.length, overlaps, outside,
    empty: [...document.querySelectorAll('figure svg')].filter(s => !s.querySelector('path,polyline')).length, pictures: document.querySelectorAll('svg').length,
    back: style.backgroundColor, ink: style.color, soft: soft ? getComputedStyle(soft).color : style.color,
    requests: performance.getEntriesByType('resource').map(e => e.name)}, '*');
});
</script>""".replace("TOLERANCE", str(TOLERANCE))

FRAMES = """<!doctype html><meta charset="utf-8"><style>:root{color-scheme:light dark}body{margin:0;display:flex}iframe{border:0;flex:none}</style>
<pre id="told" hidden></pre><script>const all=[];addEventListener('message',e=>{all.push(e.data);told.textContent=JSON.stringify(all)})</script>"""


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def look(chromium, page, colours, folder):
    """What each frame says of itself."""
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        text = page.read_bytes().decode("utf-8")
        policy = re.search(r'<meta http-equiv="Content-Security-Policy"[^>]*>', text)
        if not policy:
            return [{"problem": "it has no policy that forbids requests and scripts"}]
        (scratch / "copy.html").write_text(text.replace(policy.group(), "").replace("</body>", MEASURE + "</body>"), encoding="utf-8")
        frames = "".join(f'<iframe src="copy.html" width="{width}" height="{HEIGHT}"></iframe>' for width in WIDTHS)
        (scratch / "frames.html").write_text(FRAMES + frames, encoding="utf-8")
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={scratch}/profile",
             f"--blink-settings=preferredColorScheme={0 if colours == 'dark' else 1}", f"--window-size={sum(WIDTHS)},{HEIGHT}",
             "--virtual-time-budget=3000", f"--screenshot={folder}/{page.stem}-{colours}.png", "--dump-dom", f"file://{scratch}/frames.html"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False)
        told = re.search(r'<pre id="told"[^>]*>(.*?)</pre>', done.stdout.decode("utf-8", "replace"), re.S)
        return json.loads(html.unescape(told.group(1)) or "[]") if told else []


def problems_of(page, light, dark):
    for colours, frames in (("light", light), ("dark", dark)):
        if any("problem" in frame for frame in frames):
            yield frames[0]["problem"]
            return
        if sorted(frame["width"] for frame in frames) != list(WIDTHS):
            yield f"{colours}: Chromium measured {len(frames)} of {len(WIDTHS)} frames"
            return
        for frame in frames:
            where = f"{colours}, {frame['width']} pixels"
            for text in frame["overlaps"][:5]:
                yield f"{where}: one text lies over another: {text}"
            for text in frame["outside"][:5]:
                yield f"{where}: a text reaches outside: {text}"
            if frame["scroll"] > frame["width"]:
                yield f"{where}: it is {frame['scroll']} pixels wide"
            if frame["requests"]:
                yield f"{where}: it asks for {frame['requests']}"
            if frame["texts"] < 10 or not frame["pictures"] or frame["empty"]:
                yield f"{where}: {frame['texts']} texts, {frame['pictures']} pictures, {frame['empty']} of them empty"
            for word in "ink", "soft":
                if contrast(frame[word], frame["back"]) < CONTRAST_MIN:
                    yield f"{where}: {word} can hardly be read: {frame[word]} on {frame['back']}"
    if luminance(light[0]["back"]) < 0.5 or luminance(dark[0]["back"]) > 0.5:
        yield f"its ground is {light[0]['back']} in the light and {dark[0]['back']} in the dark"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    chromium, folder, pages = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), [pathlib.Path(p) for p in sys.argv[3:]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        looks = {(page, colours): pool.submit(look, chromium, page, colours, folder) for page in pages for colours in ("light", "dark")}
    found = False
    for page in pages:
        for problem in problems_of(page, looks[page, "light"].result(), looks[page, "dark"].result()):
            print(f"{page.name}: {problem}")
            found = True
    sys.exit(found)


if __name__ == "__main__":
    main()
