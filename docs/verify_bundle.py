#!/usr/bin/env python3
"""An independent verifier of Trailmark evidence bundles: the standard library alone. docs/evidence.md has the format.
   Usage: verify_bundle.py FILE [--key KEY]...   exit code 0 intact, 1 broken, 2 unreadable, 3 not proven"""
import base64, hashlib, json, sys
FIELDS = ["prevChecksum", "chainSeq", "id", "orgId", "timestampMs", "actorType", "actorId", "actorEmail", "action",
          "resourceType", "resourceId", "resourceName", "details", "ipAddress", "userAgent", "result", "errorMessage"]
P, D = 2**255 - 19, -121665 * pow(121666, -1, 2**255 - 19) % (2**255 - 19)   # Ed25519 (RFC 8032)
L, I = 2**252 + 27742317777372353535851937790883648493, pow(2, (2**255 - 20) // 4, 2**255 - 19)
def point(data):
    y = int.from_bytes(data, "little"); sign, y = y >> 255, y & (2**255 - 1)
    xx = (y * y - 1) * pow(D * y * y + 1, -1, P) % P; x = pow(xx, (P + 3) // 8, P)
    x = x * I % P if (x * x - xx) % P else x
    if (x * x - xx) % P: raise ValueError("not a point")
    return (P - x if x % 2 != sign else x, y)
def add(a, b):
    t = D * a[0] * b[0] * a[1] * b[1] % P
    return ((a[0] * b[1] + b[0] * a[1]) * pow(1 + t, -1, P) % P, (a[1] * b[1] + a[0] * b[0]) * pow(1 - t, -1, P) % P)
def times(n, a):
    r = (0, 1)
    while n: r, a, n = (add(r, a) if n & 1 else r), add(a, a), n >> 1
    return r
G = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
def signed(key, text, sig):
    try:
        h = int.from_bytes(hashlib.sha512(sig[:32] + key + text).digest(), "little") % L
        return times(int.from_bytes(sig[32:], "little"), G) == add(point(sig[:32]), times(h, point(key)))
    except ValueError: return False
def verifier_key(text):
    name, kid, data = text.split("+", 2); data = base64.b64decode(data, validate=True)
    assert len(data) == 33 and data[0] == 1 and hashlib.sha256(name.encode() + b"\n" + data).hexdigest()[:8] == kid, "not a verifier key: " + text
    return name, kid, data[1:]
def checkpoint(note, trusted, own):   # -> sequence, checksum, origin, whether a trusted key signed; None when only strangers did
    text, _, lines = note.partition("\n\n"); text += "\n"; origin, size, root = text.split("\n")[:3]; found = set()
    for line in lines.splitlines():
        _, name, blob = line.split(" "); blob = base64.b64decode(blob)
        for key in trusted + own:
            if (name, blob[:4].hex()) == key[:2]:
                assert signed(key[2], text.encode(), blob[4:]), f"checkpoint {size}: a signature does not hold"
                found.add(key in trusted)
    return (int(size), base64.b64decode(root).hex(), origin, True in found) if found else None
def verify(lines, trusted):
    head = json.loads(lines[0]); assert head["format"] == "trailmark-evidence" and head["version"] == 1
    seq, prev, anchors, receipt, rows, digest, end = head["start"]["seq"], head["start"]["checksum"], {}, None, 0, hashlib.sha256(), None
    assert seq == 0 or prev, f"sequence {seq}: missing"
    own, proven, first = [], set(), None
    for text in head["publicKeys"]:
        try: own.append(verifier_key(text))
        except Exception: pass
    for n, line in enumerate(lines):
        item = json.loads(line)
        if item["type"] == "end": end = item; assert n == len(lines) - 1, "something stands behind the end line"; break
        digest.update(line.encode() + b"\n")
        if item["type"] == "checkpoint":
            known = checkpoint(item["note"], trusted, own)
            if not known: continue
            at, root, origin, good = known; assert origin.endswith("/audit/" + head["orgId"]), "foreign checkpoint"
            anchors[at] = root; proven |= {at} if good else set()
        elif item["type"] == "receipt": receipt = item; seq, prev = item["throughSeq"], item["throughChecksum"]
        elif item["type"] == "row":
            assert list(item) == ["type"] + FIELDS + ["checksum"], f"line {n + 1}: other members than the format's"
            assert json.dumps(item, ensure_ascii=False, separators=(",", ":")) == line, f"line {n + 1}: written in another way"
            values = [None if item[f] is None else str(item[f]).encode() for f in FIELDS]
            payload = b"v1;" + ",".join("-" if v is None else str(len(v)) for v in values).encode() + b";" + b"".join(v or b"" for v in values)
            at = item["chainSeq"]
            assert hashlib.sha256(payload).hexdigest() == item["checksum"], f"sequence {at}: altered"
            assert at == seq + 1, f"sequence {seq + 1}: missing"
            assert item["prevChecksum"] == prev, f"sequence {at}: does not link to its predecessor"
            assert item["orgId"] == head["orgId"], f"sequence {at}: another organization's"
            assert anchors.get(at, item["checksum"]) == item["checksum"], f"sequence {at}: not what its checkpoint signed"
            seq, prev, rows, first = at, item["checksum"], rows + 1, first or at
    assert end and end["rows"] == rows and end["digest"] == digest.hexdigest(), "the end is missing or does not fit"
    assert max(anchors, default=0) <= seq, "cut before its last checkpoint"
    missing = []
    if not trusted: missing.append("no key was given")
    elif not rows or seq not in proven: missing.append("no checkpoint of a given key names the last row")
    if receipt and first == receipt["throughSeq"] + 1: missing.append("the receipt of retention is not signed")
    return f"{rows} rows, through sequence {seq}, keys in the bundle {head['publicKeys']}", missing
if __name__ == "__main__":
    try:
        files = [a for i, a in enumerate(sys.argv[1:], 1) if a != "--key" and sys.argv[i - 1] != "--key"]
        trusted = [verifier_key(sys.argv[i + 1]) for i, a in enumerate(sys.argv) if a == "--key"]
        (path,) = files; text = open(path, encoding="utf-8", newline="\n").read()
        lines = text[:-1].split("\n") if text.endswith("\n") else text.split("\n"); json.loads(lines[0])["orgId"]
    except Exception as error: print("unreadable:", error); sys.exit(2)
    try: said, missing = verify(lines, trusted)
    except Exception as error: print("broken:", error); sys.exit(1)
    print("not proven:" if missing else "intact:", said, *missing, sep="\n  "); sys.exit(3 if missing else 0)
