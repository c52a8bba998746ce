#!/usr/bin/env python3
"""An independent verifier of Trailmark evidence bundles: the standard library alone. docs/evidence.md has the format.
   Usage: verify_bundle.py FILE      exit code 0 intact, 1 broken, 2 unreadable"""
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
def checkpoint(note, keys):
    text, _, lines = note.partition("\n\n"); text += "\n"; origin, size, root = text.split("\n")[:3]
    for line in lines.splitlines():
        _, name, blob = line.split(" "); blob = base64.b64decode(blob)
        for vkey in keys:
            kname, kid, kdata = vkey.split("+", 2)
            if name == kname and blob[:4].hex() == kid and signed(base64.b64decode(kdata)[1:], text.encode(), blob[4:]):
                return int(size), base64.b64decode(root).hex(), origin
    raise AssertionError(f"checkpoint {size}: no good signature")
def verify(lines):
    head = json.loads(lines[0]); assert head["format"] == "trailmark-evidence" and head["version"] == 1
    seq, prev, anchors, receipt, rows, digest, end = head["start"]["seq"], head["start"]["checksum"], {}, None, 0, hashlib.sha256(), None
    for n, line in enumerate(lines):
        item = json.loads(line)
        if item["type"] == "end": end = item; break
        digest.update(line.encode() + b"\n")
        if item["type"] == "checkpoint":
            at, root, origin = checkpoint(item["note"], head["publicKeys"]); assert origin.endswith("/audit/" + head["orgId"]), "foreign checkpoint"
            anchors[at] = root
        elif item["type"] == "receipt": receipt = item; seq, prev = item["throughSeq"], item["throughChecksum"]
        elif item["type"] == "row":
            values = [None if item[f] is None else str(item[f]).encode() for f in FIELDS]
            payload = b"v1;" + ",".join("-" if v is None else str(len(v)) for v in values).encode() + b";" + b"".join(v or b"" for v in values)
            at = item["chainSeq"]
            assert hashlib.sha256(payload).hexdigest() == item["checksum"], f"sequence {at}: altered"
            assert at == seq + 1, f"sequence {seq + 1}: missing"
            assert item["prevChecksum"] == prev, f"sequence {at}: does not link to its predecessor"
            assert item["orgId"] == head["orgId"], f"sequence {at}: another organization's"
            assert anchors.get(at, item["checksum"]) == item["checksum"], f"sequence {at}: not what its checkpoint signed"
            seq, prev, rows = at, item["checksum"], rows + 1
    assert end and end["rows"] == rows and end["digest"] == digest.hexdigest(), "the end is missing or does not fit"
    assert max(anchors, default=0) <= seq, "cut before its last checkpoint"
    return f"intact: {rows} rows, through sequence {seq}, anchored through {max(anchors, default=0)}, keys {head['publicKeys']}"
if __name__ == "__main__":
    try: lines = open(sys.argv[1], encoding="utf-8", newline="\n").read().rstrip("\n").split("\n"); json.loads(lines[0])["orgId"]
    except Exception as error: print("unreadable:", error); sys.exit(2)
    try: print(verify(lines))
    except Exception as error: print("broken:", error); sys.exit(1)
