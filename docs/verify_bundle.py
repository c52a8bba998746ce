#!/usr/bin/env python3
"""An independent verifier of Trailmark evidence bundles: the standard library alone (and OpenSSL for --tsa).
   docs/evidence.md has the format.
   Usage: verify_bundle.py FILE [--key KEY]... [--policy FILE] [--since NOTE] [--tsa CERTIFICATES]
   Exit code: 0 intact or empty, 1 broken, 2 unreadable, 3 not proven"""
import base64, functools, hashlib, json, os, re, subprocess, sys, tempfile
from datetime import datetime, timedelta, timezone

# Ed25519 (RFC 8032), points as X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

def point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P: x = x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and sign): raise ValueError("not a point")
    if x % 2 != sign: x = P - x
    return x, y, 1, x * y % P

def add(a, b):
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(n, a):
    r = (0, 1, 1, 0)
    while n: r, a, n = (add(r, a) if n & 1 else r), add(a, a), n >> 1
    return r

BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

@functools.lru_cache(maxsize=4096)
def holds(key, message, signature):
    try:
        if len(signature) != 64 or int.from_bytes(signature[32:], "little") >= L: return False
        h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
        x, y, z, t = point(key)
        x, y, z, _ = add(times(int.from_bytes(signature[32:], "little"), BASE), times(h, (P - x, y, z, P - t)))
        x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
        return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]
    except ValueError: return False

# Keys and signed notes (c2sp.org/signed-note)
class Bad(Exception): "What contradicts; its text says where."
class Misuse(Exception): "A key, policy or note that is none."

def need(truth, text, kind=Bad):
    if not truth: raise kind(text)

def unbase64(text):
    try: data = base64.b64decode(text, validate=True)
    except (ValueError, TypeError): return None
    return data if base64.b64encode(data).decode() == text else None

def key_id(name, data): return hashlib.sha256(name.encode() + b"\n" + data).hexdigest()[:8]

def is_small(public):   # a point of small order, under which signatures hold that nobody made
    try: x, y, z, _ = times(8, point((int.from_bytes(public, "little") & (2**255 - 1)).to_bytes(32, "little")))
    except ValueError: return int.from_bytes(public, "little") & (2**255 - 1) in (P, P + 1)
    return x % P == 0 and (y - z) % P == 0

def verifier_key(text, types=(1,)):   # -> name, type, public key
    found = re.fullmatch(r"([^\s\x00-\x1f\x7f-\x9f+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)", text)
    data = found and unbase64(found[3])
    need(data and len(data) == 33 and data[0] in types and key_id(found[1], data) == found[2] and not is_small(data[1:]),
         "not a verifier key: " + text[:60].split("\n")[0] + "…", Misuse)   # no more of it: it may be a private key
    return found[1], data[0], data[1:]

def parse_note(text):   # -> signed text, [(name, id, bytes)]; None when it is no note
    if re.search("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]", text) or len(text.encode()) > 65536 or not text.endswith("\n"): return None
    split = text.rfind("\n\n")
    if split < 0: return None
    lines = text[split + 2:-1].split("\n") if split + 2 < len(text) else []
    if len(lines) > 16: return None
    found = [re.fullmatch(r"\u2014 ([^\s\x80-\x9f+]+) ([A-Za-z0-9+/]+=*)", line) for line in lines]
    blobs = [line and unbase64(line[2]) for line in found]
    if not all(blob and len(blob) > 4 for blob in blobs): return None
    return text[:split + 1], [(line[1], blob[:4].hex(), blob[4:]) for line, blob in zip(found, blobs)]

def signed_by(note, name, public):   # True, False (a line of this key that does not hold) or None (no line of it)
    kid = key_id(name, b"\x01" + public)
    lines = [blob for n, i, blob in note[1] if (n, i) == (name, kid)]
    return None if not lines else all(holds(public, note[0].encode(), blob) for blob in lines)

MAX_SECONDS = 253402300799   # the end of the year 9999

def cosigned_by(note, name, public):
    kid = key_id(name, b"\x04" + public)
    lines = [blob for n, i, blob in note[1] if (n, i) == (name, kid)]
    return None if not lines else all(
        len(blob) == 72 and int.from_bytes(blob[:8], "big") <= MAX_SECONDS and holds(public, f"cosignature/v1\ntime {int.from_bytes(blob[:8], 'big')}\n{note[0]}".encode(), blob[8:])
        for blob in lines)

class Trust:
    """Keys that are believed, and the witnesses that must have cosigned."""
    def __init__(self, keys=(), policy=None):
        self.keys, self.policy, self.witnesses, self.groups, self.quorum = [], policy is not None, {}, {}, None
        if policy is not None: self.read(policy)
        self.keys += [verifier_key(key) for key in keys]

    def read(self, text):
        seen, members, named = False, set(), set()
        lines = text.split("\n")
        need(len(lines) <= 1000, "policy: more than 1000 lines", Misuse)
        for number, line in enumerate(lines, 1):
            need(not re.search("[\x00-\x08\x0b-\x1f\x7f]", line), f"policy, line {number}: a control character", Misuse)
            words, bad = [w for w in re.split("[ \t]+", line) if w], f"policy, line {number}"
            if not words or words[0].startswith("#"): continue
            if words[0] == "log" and len(words) in (2, 3):
                key = verifier_key(words[1])
                need(key[2] not in [k[2] for k in self.keys], bad + ": twice", Misuse); self.keys.append(key)
            elif words[0] == "witness" and len(words) in (3, 4):
                key = verifier_key(words[2], (4,))
                need(words[1] != "none" and words[1] not in named, bad + ": the name is taken", Misuse)
                need(key[2] not in [k[2] for k in self.witnesses.values()], bad + ": twice", Misuse)
                need(len(words) < 4 or re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?(/\S*)?", words[3], re.A), bad + ": no URL", Misuse)
                named.add(words[1]); self.witnesses[words[1]] = key
            elif words[0] == "group" and len(words) > 3:
                count = {"all": len(words) - 3, "any": 1}.get(words[2]) or (int(words[2]) if re.fullmatch(r"[1-9][0-9]{0,3}", words[2], re.A) else 0)
                need(1 <= count <= len(words) - 3 and words[1] != "none" and words[1] not in named, bad, Misuse)
                for member in words[3:]:
                    need(member in named and member not in members, bad + ": " + member, Misuse); members.add(member)
                named.add(words[1]); self.groups[words[1]] = (count, words[3:])
            elif words[0] == "quorum" and len(words) == 2:
                need(not seen and (words[1] == "none" or words[1] in named), bad, Misuse)
                seen, self.quorum = True, None if words[1] == "none" else words[1]
            else: raise Misuse(bad)
        need(seen, "policy: no quorum line", Misuse)

    def meets(self, name, cosigned):
        met = {None, *cosigned}
        for group, (count, members) in self.groups.items():   # each stands behind its members
            if len(met.intersection(members)) >= count: met.add(group)
        return name in met

def covers(name, origin): return origin == name or origin.startswith(name + "/")

# The tree (RFC 6962, proofs of RFC 9162)
def sha(data): return hashlib.sha256(data).digest()
def leaf(checksum): return sha(b"\0" + checksum)
def node(left, right): return sha(b"\1" + left + right)

def decompose(begin, end):   # -> heights
    heights = []
    while begin < end:
        height = 0
        while begin % 2**(height + 1) == 0 and begin + 2**(height + 1) <= end: height += 1
        heights.append(height); begin += 2**height
    return heights

class Fold:
    def __init__(self): self.parts, self.size = [], 0
    def push(self, height, value):
        self.size += 2**height
        while self.parts and self.parts[-1][0] == height: height, value = height + 1, node(self.parts.pop()[1], value)
        self.parts.append((height, value))
    def root(self):
        if not self.parts: return sha(b"")
        root = self.parts[-1][1]
        for _, left in reversed(self.parts[:-1]): root = node(left, root)
        return root

def included(index, size, value, path, root):
    if index >= size: return False
    last = size - 1
    for other in path:
        if last == 0: return False
        if index % 2 or index == last:
            value = node(other, value)
            while index % 2 == 0 and index: index, last = index // 2, last // 2
        else: value = node(value, other)
        index, last = index // 2, last // 2
    return last == 0 and value == root

def consistent(older, size, older_root, root, proof):
    if older > size: return False
    if older == size: return not proof and older_root == root
    if older == 0: return not proof and older_root == sha(b"")
    proof = ([older_root] if older & (older - 1) == 0 else []) + proof
    if not proof: return False
    at, last = older - 1, size - 1
    while at % 2: at, last = at // 2, last // 2
    first = second = proof[0]
    for other in proof[1:]:
        if last == 0: return False
        if at % 2 or at == last:
            first, second = node(other, first), node(other, second)
            while at % 2 == 0 and at: at, last = at // 2, last // 2
        else: second = node(second, other)
        at, last = at // 2, last // 2
    return last == 0 and first == older_root and second == root

# Lines
FIELDS = ["prevChecksum", "chainSeq", "id", "orgId", "timestampMs", "actorType", "actorId", "actorEmail", "action",
          "resourceType", "resourceId", "resourceName", "details", "ipAddress", "userAgent", "result", "errorMessage"]
NULLABLE = {"actorEmail", "resourceId", "resourceName", "details", "ipAddress", "userAgent", "errorMessage"}
ORIGIN = re.compile(r".+/log/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.S)
NUMBER = re.compile(r"(0|[1-9]\d{0,14})", re.A)
TEXT = r'"(?:[^"\\\x00-\x1f]|\\["\\bfnrt]|\\u00(?:0[0-7bef]|1[0-9a-f]))*"'
UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SHAPE = {"id": f'"{UUID}"', "orgId": f'"{UUID}"', "prevChecksum": '(?:null|"[0-9a-f]{64}")', "chainSeq": "[1-9][0-9]{0,14}", "timestampMs": "(?:0|-?[1-9][0-9]{0,14})"}
ROW = re.compile(r'\{"type":"row",' + ",".join(
    f'"{f}":' + SHAPE.get(f, f"(?:null|{TEXT})" if f in NULLABLE else TEXT) for f in FIELDS) + r',"checksum":"[0-9a-f]{64}"\}')

def instant(text):   # -> milliseconds, or None
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", text, re.A): return None
    try: at = datetime.strptime(text[:-5], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError: return None
    return (at - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1) + int(text[-4:-1])

def iso(ms): return (datetime(1970, 1, 1) + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds") + "Z"
def is_int(low): return lambda v: type(v) is int and low <= v < 10**15
def is_text(v): return isinstance(v, str)
def is_hash(v): return is_text(v) and len(unbase64(v) or b"") == 32
def is_hashes(most): return lambda v: isinstance(v, list) and len(v) <= most and all(map(is_hash, v))
def or_null(is_good): return lambda v: v is None or is_good(v)
def is_one(value): return lambda v: v == value and type(v) is type(value)
def is_instant(v): return instant(v) is not None

def shaped(value, members):
    return isinstance(value, dict) and list(value) == list(members) and all(check(value[name]) for name, check in members.items())

def is_range(v):
    return shaped(v, {"kind": is_one("whole")}) \
        or shaped(v, {"kind": is_one("sequence"), "first": is_int(1), "last": is_int(1)}) \
        or shaped(v, {"kind": is_one("time"), "from": or_null(is_instant), "to": or_null(is_instant)})

def is_org(v): return is_text(v) and re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", v)
def is_texts(v): return isinstance(v, list) and all(map(is_text, v))
def is_alarm(v): return shaped(v, {"since": is_instant, "found": is_text})
HEADER = {"format": is_one("trailmark-evidence"), "version": is_one(2), "origin": is_text, "orgId": is_org, "organization": is_text,
          "range": is_range, "createdAt": is_instant, "publicKeys": is_texts}
LINES = {
    "header": [HEADER, {**HEADER, "alarm": is_alarm}],
    "checkpoint": [{"note": is_text}], "receipt": [{"note": is_text}], "end": [{"note": is_text}],
    "timestamp": [{"token": lambda v: is_text(v) and unbase64(v) is not None}],
    "since": [{"size": is_int(0), "hashes": is_hashes(64)}],
    "skip": [{"through": is_int(1), "hashes": is_hashes(128)}]}

def read(line):   # a line that is no row: of a known shape, and written as that is written
    try: item = json.loads(line)
    except (ValueError, RecursionError): raise Bad("not JSON")
    kind = item.get("type") if isinstance(item, dict) else None
    shapes = LINES.get(kind, []) if is_text(kind) else []
    need(any(shaped(item, {"type": is_one(kind), **shape}) for shape in shapes), "a line of unknown type or members")
    need(json.dumps(item, ensure_ascii=False, separators=(",", ":")) == line, "a line written in another way")
    return item

def read_row(line):   # -> the row, whether its contents have its checksum
    need(ROW.fullmatch(line), "a row that is not written as the format says")
    row = json.loads(line)
    values = [None if row[f] is None else str(row[f]).encode() for f in FIELDS]
    lengths = ",".join("-" if v is None else str(len(v)) for v in values).encode()
    row["good"] = hashlib.sha256(b"v1;" + lengths + b";" + b"".join(v or b"" for v in values)).hexdigest() == row["checksum"]
    return row

# Statements
def restored_in(lines):   # -> [(proven, lost, when)] of a checkpoint's further lines, None where one cannot be read
    found = [line.split(" ")[1:] for line in lines if line.startswith("restored")]
    good = all(line.startswith("restored ") for line in lines if line.startswith("restored")) and all(len(f) == 4 and NUMBER.fullmatch(f[0]) and NUMBER.fullmatch(f[1]) and int(f[0]) < int(f[1]) and is_hash(f[2]) and is_instant(f[3]) for f in found)
    return [(int(f[0]), int(f[1]), f[3]) for f in found] if good else None

def checkpoint_of(text):   # -> origin, size, root, restorations, when it was signed
    lines = text.split("\n")
    if len(lines) < 4 or not ORIGIN.fullmatch(lines[0]) or not NUMBER.fullmatch(lines[1]) or not is_hash(lines[2]): return None
    restored = restored_in(lines[4:])
    if restored is None or not lines[3].startswith("signed-at ") or not is_instant(lines[3][10:]): return None
    return lines[0], int(lines[1]), unbase64(lines[2]), restored, lines[3][10:]

def receipt_of(text):   # -> origin, through, before, days, the entry that set these
    found = re.fullmatch(r"trailmark/prune/v1\n(.+)\n(0|[1-9]\d{0,14})\nbefore (.+)\ndays (0|[1-9]\d{0,14})\npolicy (0|[1-9]\d{0,14})\nsigned-at (.+)\n", text, re.A)
    return (found[1], int(found[2]), found[3], int(found[4]), int(found[5])) if found and ORIGIN.fullmatch(found[1]) and is_instant(found[3]) and is_instant(found[6]) else None

def seal_of(text):   # -> origin, digest
    found = re.fullmatch(r"trailmark/bundle/v2\n(.+)\n(.+)\n", text)
    return (found[1], unbase64(found[2])) if found and ORIGIN.fullmatch(found[1]) and is_hash(found[2]) else None

def under(receipt): return f"under the window of {receipt[3]} days that " + (f"entry {receipt[4]} set" if receipt[4] else "every log begins with")

class Log:
    """The log of one bundle: which keys count there, and what is missing to a proof."""
    def __init__(self, trust, origin, named):
        self.trust, self.origin, self.first, self.missing, self.notices = trust, origin, [], [], []
        self.trusted = [key[2] for key in trust.keys if covers(key[0], origin)]
        self.named = [key[2] for key in named if covers(key[0], origin) and key[1] == 1 and key[2] not in self.trusted]

    def note(self, text, parse, what):   # -> statement, note, whether a trusted key signed
        note = parse_note(text)
        said = note and parse(note[0])
        need(said, f"the note is no {what}")
        need(said[0] == self.origin, f"the {what} is of another log, {said[0]}")
        checks = [signed_by(note, self.origin, key) for key in self.trusted]
        need(False not in checks + [signed_by(note, self.origin, key) for key in self.named]
             + [cosigned_by(note, key[0], key[2]) for key in self.trust.witnesses.values()], f"a signature of the {what} does not hold")
        return said, note, True in checks

MAX_LINE = 64 * 1024 * 1024   # a file without line breaks must not fill the memory

def lines_of(stream):
    while line := stream.readline(MAX_LINE + 1):
        need(len(line) <= MAX_LINE, "a line is too long")
        yield line, line[:-1] if line.endswith(b"\n") else None

def text_of(data):
    try: return data.decode("utf-8")
    except UnicodeDecodeError: raise Bad("not UTF-8")

ORDER = ["header", "checkpoint", "timestamp", "since", "receipt", "skip", "end"]

def stamp(text, token, certificates):   # -> when and by whom, or None and why not; OpenSSL checks it
    with tempfile.TemporaryDirectory() as dir:
        def openssl(*args): return subprocess.run(["openssl", "ts", *args], cwd=dir, capture_output=True, text=True, errors="replace")
        for name, data in (("text", text), ("reply", token)):
            with open(os.path.join(dir, name), "wb") as file: file.write(data)
        try: shown = openssl("-reply", "-in", "reply", "-text").stdout
        except OSError as error: raise Misuse(f"--tsa: openssl, which checks time-stamps, did not run: {error}")
        said = dict(re.findall("^(Time stamp|TSA|Policy OID): (.+)$", shown, re.M))
        try: at = datetime.strptime(re.sub(r"\.\d+", "", said["Time stamp"]), "%b %d %H:%M:%S %Y GMT")
        except (KeyError, ValueError): return None, "it is no reply that grants one"
        ca, moment = os.path.abspath(certificates), str(int((at - datetime(1970, 1, 1)).total_seconds()))
        found = openssl("-verify", "-data", "text", "-in", "reply", "-CAfile", ca, "-untrusted", ca, "-attime", moment)
        if found.returncode: return None, (found.stderr.strip().split("\n")[-1].split(":") + ["", "", "", "", ""])[5] or "it is malformed"
        return f"{at.isoformat()}Z", f"{said.get('TSA', 'an authority')}, policy {said.get('Policy OID')}"

def verify(first, stream, trust, since, tsa=None):
    head = read(first)
    origin, org, span = head["origin"], head["orgId"], head["range"]
    need((ORIGIN.fullmatch(origin) or [0, 0])[1] == org, "the origin is of another organization")
    need("\n" not in origin, "the origin holds a line break")
    low, high = 1, 10**15
    if span["kind"] == "sequence":
        low, high = span["first"], span["last"]; need(low <= high, "the range ends before it begins")
    begin, end = [instant(span[m]) if span.get(m) else None for m in ("from", "to")]
    need(begin is None or end is None or begin <= end, "the range ends before it begins")
    try: named = [verifier_key(text, (1, 4)) for text in head["publicKeys"]]
    except Misuse as error: raise Bad(str(error))
    log, digest, fold = Log(trust, origin, named), hashlib.sha256(first.encode() + b"\n"), Fold()
    order, size, root, receipt, seal, older = 0, None, None, None, None, None
    at, before, skipped, rows, first_row, token = 0, None, 0, 0, None, None
    for raw, data in lines_of(stream):
        need(order < 6, "something stands behind the end line")
        need(data is not None, "the last line does not end")
        line = text_of(data)
        if line.startswith('{"type":"row"'):
            row = read_row(line); seq = row["chainSeq"]
            need(size is not None, "a row stands in the wrong place"); order = 5
            need(row["good"], f"sequence {seq}: altered")
            need(row["orgId"] == org, f"sequence {seq}: another organization's")
            need(seq == at + 1 and seq <= size, f"sequence {at + 1}: missing, or {seq} inserted")
            need(low <= seq <= high and (begin is None or row["timestampMs"] >= begin) and (end is None or row["timestampMs"] <= end),
                 f"sequence {seq}: not of the range")
            need(row["prevChecksum"] is None if seq == 1 else row["prevChecksum"] is not None and before in (None, row["prevChecksum"]), f"sequence {seq}: relinked")
            fold.push(0, leaf(bytes.fromhex(row["checksum"])))
            at, before, rows, first_row = seq, row["checksum"], rows + 1, first_row or seq
        else:
            item = read(line); place = ORDER.index(item["type"])
            need((place > order or place == order == 5) and (place < 2 or size is not None), f"a {item['type']} line stands in the wrong place")
            order = place
            if place == 1: (_, size, root, restored, signed), cosigned, good = log.note(item["note"], checkpoint_of, "checkpoint"); checked = cosigned[0].encode()
            elif place == 2: token = unbase64(item["token"])
            elif place == 3: older = item
            elif place == 4: receipt = log.note(item["note"], receipt_of, "receipt")
            elif place == 5:
                need(at == 0 or before is not None, "a skip behind a skip")
                need(at < item["through"] <= size, "a skip that leads nowhere")
                heights = decompose(at, item["through"])
                need(len(heights) == len(item["hashes"]), "another number of hashes than the tree has")
                for height, value in zip(heights, item["hashes"]): fold.push(height, unbase64(value))
                if rows: need(span["kind"] == "time" or (span["kind"] == "sequence" and at >= high), f"sequence {at + 1}: missing")
                else: skipped = item["through"]
                at, before = item["through"], None
            elif place == 6: seal = log.note(item["note"], seal_of, "seal"); continue
        digest.update(raw)
    need(seal, "the file ends without its end line")
    need(at == size, f"the checkpoint is of size {size}, the lines end at {at}")
    need(span["kind"] != "sequence" or high <= size, "the range goes beyond the checkpoint")
    pruned = 0 if span["kind"] == "time" or skipped < low else min(skipped, high)
    need(pruned <= (receipt[0][1] if receipt else 0), f"sequence {low}: missing, and no receipt explains it")
    need(fold.root() == root, "entries and hashes do not come to the checkpoint's root")
    need(seal[0][1] == digest.digest(), "the digest is not the one of the seal")
    alarm = head.get("alarm")
    if alarm: log.first.append(f"an alarm was open on this log since {alarm['since']}: {alarm['found']}")
    if pruned: log.first.append(f"entries {low} to {pruned} of the range are gone: removed {under(receipt[0])}")
    if alarm: log.missing.append(log.first[0])
    if not trust.keys: log.missing.append("it fits in itself; pass --key")
    elif not log.trusted: log.missing.append(f"the trusted key is not good for {origin}")
    else:
        if not good: log.missing.append("no trusted key signed the checkpoint")
        for proven, lost, when in restored:
            if span["kind"] != "sequence" or (span["first"] <= lost and span["last"] > proven):
                log.missing.append(f"the log was restored to an older state on {when}: of the entries {proven + 1} to {lost} that had been signed, some are not in it")
        if not seal[2]: log.missing.append("no trusted key signed the seal")
        if pruned and not receipt[2]: log.missing.append("no trusted key signed the receipt")
        names = {name for name, key in trust.witnesses.items() if cosigned_by(cosigned, key[0], key[2])}
        if trust.policy and not trust.meets(trust.quorum, names): log.missing.append("the quorum of the policy is not met")
    if since: check_since(log, since, older, org, size, root, restored, signed)
    if receipt and span["kind"] == "time" and (begin is None or instant(receipt[0][2]) > begin):
        log.notices.append(f"retention was allowed to remove entries before {receipt[0][2]}")
    if receipt:
        log.notices.append(f"retention: through sequence {receipt[0][1]}, {under(receipt[0])}")
    if span["kind"] == "time": log.notices.append("that no entry of the range is left out is the installation's signed word")
    if tsa and token is None: log.missing.append("the bundle holds no time-stamp")
    elif tsa:
        when, by = stamp(checked, token, tsa)
        if when: log.notices.append(f"the checkpoint was there on {when}: time-stamped by {by}")
        else: log.missing.append(f"the time-stamp does not hold: {by}")
    elif token is not None: log.notices.append("a time-stamp is present, not checked here: --tsa CERTIFICATES checks it")
    said = f"{rows} entries inside the range, {size - rows} outside as hashes only, {head['organization']}, range {json.dumps(span)}, checkpoint of size {size}"
    return ("intact" if rows else "empty"), [*log.first, said], log.missing, log.notices

def read_since(text, trust):   # -> organization, size, root, whether a trusted key signed
    note = parse_note(text)
    said = note and checkpoint_of(note[0])
    need(said, "--since: not a signed checkpoint", Misuse)
    checks = [signed_by(note, said[0], key[2]) for key in trust.keys if covers(key[0], said[0])]
    return ORIGIN.fullmatch(said[0])[1], said[1], said[2], said[4], False if False in checks else True in checks or None

def check_since(log, since, older, org, size, root, restored, signed):
    of, number, value, at, good = since
    if of != org: return log.missing.append("the note given with --since is of another log")
    need(good is not False, "a signature of the note given with --since does not hold")
    if good is None: return log.missing.append("no trusted key signed the note given with --since")
    need(number <= size or at > signed or any(at < when and number > proven for proven, _, when in restored),
         f"the log had {number} entries before the bundle's checkpoint of size {size} was signed")
    if number > size: return log.missing.append("the note given with --since is newer than the bundle's checkpoint")
    fits = older and older["size"] == number
    if not fits and number not in (0, size): return log.missing.append(f"the bundle holds no proof from size {number}")
    proof = [unbase64(h) for h in older["hashes"]] if fits else []
    need(consistent(number, size, value, root, proof), f"the log does not go on from the note of size {number}")
    log.notices.append("the log goes on from the note given with --since")

def why_no_header(first):
    if not first: return "the file is empty"
    if first.startswith(b"c2sp.org/tlog-proof@"): return "it is the proof of an entry: verify_proof.py checks it"
    other = re.match(rb'\{"type":"header","format":"trailmark-evidence","version":(\d{1,9})?', first)
    if other: return f"it is an evidence bundle of version {(other[1] or b'unknown').decode()}, which is not supported: version 2 is"
    return "it is no evidence bundle: it does not begin with the header of one"

def read_text(path):   # of an option
    try:
        with open(path, encoding="utf-8", newline="") as file: return file.read()
    except UnicodeDecodeError: raise Misuse(f"{path}: it is not a text in UTF-8")
    except OSError as error: raise Misuse(f"{path}: {error.strerror}")

def judge(path, keys=(), policy=None, since=None, tsa=None):   # -> word, exit code, sentences
    try:
        trust = Trust(keys, policy)
        kept = read_since(since, trust) if since is not None else None
        stream = open(path, "rb")
    except Misuse as error: return "unreadable", 2, [str(error)]
    except OSError as error: return "unreadable", 2, [f"{path}: {error.strerror}"]
    with stream:
        try:
            first = stream.readline(MAX_LINE + 1)
            if not first.startswith(b'{"type":"header","format":"trailmark-evidence","version":2,'): return "unreadable", 2, [why_no_header(first)]
            need(first.endswith(b"\n"), "the file ends in its first line")
            first = text_of(first[:-1])
            word, said, missing, notices = verify(first, stream, trust, kept, tsa)
        except Misuse as error: return "unreadable", 2, [str(error)]
        except Bad as error: return "broken", 1, [str(error)]
        except OSError as error: return "unreadable", 2, [f"{path}: {error.strerror}"]
    return ("not proven", 3, [*said, *missing, *notices]) if missing else (word, 0, [*said, *notices])

def parted(args):   # --key=KEY as --key KEY
    return [part for arg in args for part in (arg.split("=", 1) if re.match("--(key|policy|since|tsa)=", arg) else [arg])]

def main(args):
    keys, options, files, args = [], {}, [], parted(args)
    try:
        while args:
            arg, args = args[0], args[1:]
            if arg not in ("--key", "--policy", "--since", "--tsa"): files.append(arg); continue
            need(args, arg + " needs a value", Misuse)
            if arg == "--key": keys.append(args[0])
            elif arg == "--tsa": read_text(args[0]); options["tsa"] = args[0]
            else: options[arg[2:]] = read_text(args[0])
            args = args[1:]
    except Misuse as error: return "unreadable", 2, [str(error)]
    return judge(files[0], keys, **options) if len(files) == 1 else ("unreadable", 2, __doc__.split("\n"))

def tell(word, code, sentences):   # what a terminal would act upon instead of showing it is escaped: no file writes its own verdict
    sys.stdout.reconfigure(errors="backslashreplace")
    unseen = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
    print(word + ":", *[unseen.sub(lambda mark: f"\\u{ord(mark[0]):04x}", sentence) for sentence in sentences], sep="\n  ")
    sys.exit(code)

if __name__ == "__main__": tell(*main(sys.argv[1:]))
