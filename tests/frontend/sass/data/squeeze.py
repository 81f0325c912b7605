"""Shrinks a `cuobjdump -sass -elf` listing to what the tests need."""
import re
import sys

KEEP = (".nv.constant2", ".nv.constant3", ".nv.constant4", ".nv.global.init", ".nv.info")
keep = True
code = False
for line in sys.stdin:
    text = re.sub(r"\s+", " ", line).strip()
    if text.startswith("code for"):
        code = True
    if not code:
        if re.fullmatch(r"\.[\w.$]+", text):
            keep = text.startswith(KEEP) and not text.startswith(".nv.info.")
        elif text.startswith(".section"):
            keep = "symtab" in text or ".nv.constant4" in text
        if not keep or re.match(r"(<|Attribute|Format)", text):
            continue
    if text:
        print(text)
