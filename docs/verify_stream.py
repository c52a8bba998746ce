#!/usr/bin/env python3
"""An independent verifier of what a receiver kept of data streams: the standard library and verify_bundle.py beside it.
   docs/streams.md has the formats.
   Usage: verify_stream.py FILE... [--key KEY]... [--policy FILE]      (plain or gzip, - reads standard input)
   Exit code: 0 intact, 1 broken, 2 unreadable, 3 not proven"""
import gzip, hashlib, json, re, sys
from verify_bundle import (FIELDS, ORIGIN, Fold, Misuse, Trust, checkpoint_of, cosigned_by, covers, decompose, instant,
                           is_hash, leaf, need, parse_note, parted, read_text, signed_by, tell, unbase64)

HEX, UUID = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

class Digits(str): "A number as it is written."

def is_seq(v): return isinstance(v, Digits) and re.fullmatch("[1-9][0-9]{0,14}", v)
def is_hex(v): return isinstance(v, str) and HEX.fullmatch(v)

def as_stored(v):   # JSON as PostgreSQL writes jsonb
    if isinstance(v, Digits): return str(v)
    if isinstance(v, list): return "[" + ", ".join(map(as_stored, v)) + "]"
    if not isinstance(v, dict): return json.dumps(v, ensure_ascii=False)
    members = sorted(v.items(), key=lambda m: (len(m[0].encode()), m[0].encode()))
    return "{" + ", ".join(json.dumps(k, ensure_ascii=False) + ": " + as_stored(m) for k, m in members) + "}"

# What a line holds: ("entry", org, seq, checksum, previous, content) or ("marker", {...}); content True, False or None
def entry_at(org, seq, checksum, previous, content=None):
    good = isinstance(org, str) and UUID.fullmatch(org) and is_seq(seq) and is_hex(checksum) and (previous is None or is_hex(previous))
    return ("entry", org, int(seq), checksum, previous, content) if good else None

def native_entry(v):
    texts = [f for f in FIELDS if f not in ("prevChecksum", "chainSeq", "timestampMs", "details")]
    nullable = ("actorEmail", "resourceId", "resourceName", "ipAddress", "userAgent", "errorMessage")
    if not all(f in v and (type(v[f]) is str or v[f] is None and f in nullable) for f in texts): return None
    at = instant(v.get("timestamp"))
    if at is None: return None
    row = {**v, "timestampMs": at, "details": None if v.get("details") is None else as_stored(v["details"])}
    values = [None if row.get(f) is None else str(row[f]).encode("utf-8", "replace") for f in FIELDS]
    lengths = ",".join("-" if x is None else str(len(x)) for x in values).encode()
    digest = hashlib.sha256(b"v1;" + lengths + b";" + b"".join(x or b"" for x in values)).hexdigest()
    return entry_at(v["orgId"], v.get("chainSeq"), v.get("checksum"), v.get("prevChecksum"), digest == v.get("checksum") if "details" in v else None)

def is_whole(v): return isinstance(v, Digits) and re.fullmatch("0|-?[1-9][0-9]{0,14}", v)

def marker_in(v):
    v = parsed(v) if isinstance(v, str) else v
    if not isinstance(v, dict) or v.get("type") not in ("trailmark.batch", "trailmark.heartbeat"): return None
    gap, filtered = v.get("gap"), v.get("filtered")
    good = (all(isinstance(v.get(n), str) for n in ("batch", "orgId", "origin")) and UUID.fullmatch(v["orgId"])
            and all(is_whole(v.get(n)) for n in ("first", "last", "rows")) and is_hex(v.get("digest"))
            and (v.get("previous") is None or is_hex(v["previous"])) and (v.get("checkpoint") is None or isinstance(v["checkpoint"], str))
            and isinstance(filtered, list) and all(isinstance(p, list) and len(p) == 2 and is_seq(p[0]) and is_hex(p[1]) for p in filtered)
            and (gap is None or isinstance(gap, dict) and is_seq(gap.get("first")) and is_seq(gap.get("last")))
            and all(map(is_hash, v.get("before") or [])))
    return ("marker", v) if good else None

def member(v, *path):
    for name in path: v = v.get(name) if isinstance(v, dict) else v[name] if isinstance(v, list) and isinstance(name, int) and v else None
    return v

def object_found(v):
    if isinstance(v.get("type"), str) and v["type"].startswith("trailmark."):
        return (native_entry(v) if v["type"] == "trailmark.entry.v1" else None) or marker_in(v)
    proof = member(v, "attestation_list", 0)
    if proof: return entry_at(member(proof, "chain_uid"), member(v, "metadata", "sequence"), member(proof, "fingerprint", "value"), member(proof, "prev_event", "fingerprint", "value"))
    if "unmapped" in v: return marker_in(member(v, "unmapped", "trailmark_marker"))
    if member(v, "event", "dataset") == "trailmark.audit":
        return entry_at(member(v, "organization", "id"), member(v, "event", "sequence"), member(v, "event", "hash"), member(v, "trailmark", "previous_hash"))
    return marker_in(member(v, "trailmark", "marker"))

def parsed(text):
    try: return json.loads(text, parse_int=Digits, parse_float=Digits)
    except (ValueError, RecursionError): return None

def in_value(v, depth):
    if type(v) is str: return in_text(v, depth + 1) if "railmark" in v else []
    if depth > 5 or not isinstance(v, (dict, list)): return []
    found = object_found(v) if isinstance(v, dict) else None
    return [found] if found else [x for m in (v.values() if isinstance(v, dict) else v) for x in in_value(m, depth + 1)]

DATA = re.compile(r'\[trailmark@32473((?: [^\s="\]]+="(?:[^"\\\]]|\\.)*")*)\]', re.S)
CEF = re.compile(r"CEF:0\|((?:(?:[^|\\]|\\.)*\|){6})(.*)$", re.S)

def in_text(line, depth=0):
    data, cef, found = DATA.search(line), CEF.search(line), None
    if data:
        v = {n: re.sub(r'\\(["\\\]])', r"\1", x) for n, x in re.findall(r' ([^\s="\]]+)="((?:[^"\\\]]|\\.)*)"', data[1], re.S)}
        found = entry_at(v.get("org"), Digits(v.get("seq", "")), v.get("checksum"), v.get("prev")) or marker_in(v.get("marker"))
    elif cef and cef[1].startswith("Trailmark|"):
        v = {n: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], x, flags=re.S)
             for n, x in re.findall(r"(?:^| )(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|\s*$)", cef[2], re.S)}
        found = entry_at(v.get("cs5"), Digits(v.get("cn1", "")), v.get("cs3"), v.get("cs4")) or marker_in(v.get("msg"))
    if found: return [found]
    for text in [line, re.sub(r"[\],\s]+$", "", re.sub(r"^[\[,\s]+", "", line)), *[line[m.start():] for m in list(re.finditer(r'\{"', line))[:3]]]:
        found = in_value(parsed(text), depth)
        if found: return found
    return []

# Ranges of sequences
def merge(ranges):
    merged = []
    for first, last in sorted(r for r in ranges if r[0] <= r[1]):
        if merged and first <= merged[-1][1] + 1: merged[-1][1] = max(merged[-1][1], last)
        else: merged.append([first, last])
    return merged

def subtract(ranges, without):
    left, holes = [], merge(without)
    for first, last in merge(ranges):
        for a, b in holes:
            if b < first or a > last: continue
            if a > first: left.append([first, a - 1])
            first = max(first, b + 1)
        if first <= last: left.append([first, last])
    return left

def listed(ranges): return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in ranges)

class Chain:
    """What is kept of one organization's log."""
    def __init__(self, org): self.org, self.sealed, self.entries, self.markers, self.bad, self.repeated = org, {}, {}, {}, [], 0

    def seal(self, seq, checksum):
        if self.sealed.setdefault(seq, checksum) != checksum: self.bad.append((seq, "two lines give it different checksums"))

    def add(self, found):
        if found[0] == "entry":
            _, _, seq, checksum, previous, content = found
            self.seal(seq, checksum)
            if content is False: self.bad.append((seq, "its contents do not have its checksum"))
            if seq in self.entries:
                self.repeated += 1
                if self.entries[seq][0] != previous: self.bad.append((seq, "two lines let it follow different entries"))
            if seq not in self.entries or self.entries[seq][1] is None: self.entries[seq] = (previous, content)
            return
        marker = found[1]
        known = self.markers.setdefault(marker["batch"], marker)
        if known is not marker:
            if known == marker: self.repeated += 1
            else: self.bad.append((int(marker["first"]), "another marker has its id"))
        for seq, checksum in marker["filtered"]: self.seal(int(seq), checksum)

    def spans(self, replay): return [(int(m["first"]), int(m["last"])) for m in self.markers.values() if ("replay" in m) == replay]

    def check(self, trust):   # -> sentences, what is missing to a proof
        runs = [(seq, seq) for seq in self.sealed]
        gone = subtract([(int(m["gap"]["first"]), int(m["gap"]["last"])) for m in self.markers.values() if m.get("gap")], runs)
        unmarked = subtract([(seq, seq) for seq in self.entries], self.spans(False) + self.spans(True))
        live = merge(self.spans(False) + gone)
        ahead = any(m["type"] == "trailmark.heartbeat" and int(m["rows"]) > 0 for m in self.markers.values())
        end = max([last for _, last in live], default=0)
        sent = live + [r for r in unmarked if not ahead or r[0] <= end + 1]
        whole = [(min(r[0] for r in sent), max(r[1] for r in sent))] if sent else []
        missing = subtract(whole + self.spans(True), runs + gone)
        for seq, (previous, _) in self.entries.items():
            before = self.sealed.get(seq - 1)
            if (previous is not None) if seq == 1 else (previous is None or before not in (None, previous)): self.bad.append((seq, f"it does not follow sequence {seq - 1}"))
        for m in self.markers.values(): self.check_digest(m)
        lacking = self.check_signatures(trust)
        if gone: lacking.append(f"retention removed {listed(gone)} before it was sent, by the word of a marker")
        if unmarked: lacking.append(f"the marker of the batch of {listed(unmarked)} is not here")
        said = [f"{len(self.entries)} entries, {len(self.sealed) - len(self.entries)} filtered, {self.repeated} repeated; "
                f"contents of {sum(c is not None for _, c in self.entries.values())} recomputed"]
        if missing: said.append("missing " + listed(missing))
        said += [f"sequence {seq}: {why}" for seq, why in sorted(set(self.bad))[:10]]
        return bool(missing or self.bad), said, lacking

    def check_digest(self, m):
        digest, seq = hashlib.sha256((m["previous"] or "").encode() + b"\n"), int(m["first"])
        while seq <= int(m["last"]):
            if seq not in self.sealed: return
            digest.update(f"{seq} {self.sealed[seq]}\n".encode()); seq += 1
        if digest.hexdigest() != m["digest"]: self.bad.append((int(m["first"]), f"the digest of batch {m['batch']} is not that of its entries"))

    def roots(self, sizes):
        fold, base, roots = Fold(), 0, {}
        if 1 not in self.sealed:
            known = sorted((m for m in self.markers.values() if m.get("before") and int(m["first"]) in self.sealed), key=lambda m: int(m["first"]))
            if not known: return {}
            base = int(known[0]["first"]) - 1
            heights = decompose(0, base)
            if len(known[0]["before"]) < len(heights): return {}
            for height, value in zip(heights, known[0]["before"]): fold.push(height, unbase64(value))
        seq = base + 1
        while seq in self.sealed:
            fold.push(0, leaf(bytes.fromhex(self.sealed[seq])))
            if seq in sizes: roots[seq] = fold.root()
            seq += 1
        return roots

    def check_signatures(self, trust):   # -> what is missing to a proof
        found, signed, lost = [], False, []
        for m in self.markers.values():
            if m["checkpoint"] is None: continue
            note = parse_note(m["checkpoint"])
            said = note and checkpoint_of(note[0])
            if not said or ORIGIN.fullmatch(said[0])[1] != self.org: self.bad.append((int(m["first"]), "the checkpoint is none of this log"))
            else: found.append((said, note))
        roots, why = self.roots({said[1] for said, _ in found}), "no trusted key signed a checkpoint over entries that are all here"
        for (origin, size, root, restored, _), note in sorted(found, key=lambda f: f[0][1]):
            checks = [signed_by(note, origin, key[2]) for key in trust.keys if covers(key[0], origin)]
            witnesses = {name: cosigned_by(note, key[0], key[2]) for name, key in trust.witnesses.items()}
            if False in [*checks, *witnesses.values()]: self.bad.append((size, f"a signature under the checkpoint of size {size} does not hold"))
            if size in roots and roots[size] != root: self.bad.append((size, f"the entries do not come to the root of the checkpoint of size {size}"))
            if size not in roots or True not in checks: continue
            if trust.policy and not trust.meets(trust.quorum, {name for name, good in witnesses.items() if good}): why = "the quorum of the policy is not met"; continue
            first = min(self.sealed)
            signed, lost = True, [f"the log was restored to an older state on {when}: of the entries {p + 1} to {n} some are not in it" for p, n, when in restored if first <= n and size > p]
        if not trust.keys: return ["it fits in itself; pass --key"]
        return lost if signed else [why]

def lines_of(path):
    with (sys.stdin.buffer if path == "-" else open(path, "rb")) as raw:
        stream = gzip.open(raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw
        for line in stream: yield line.decode("utf-8", "replace")

def judge(paths, keys=(), policy=None):   # -> word, exit code, sentences
    chains, other = {}, 0
    try:
        trust = Trust(keys, policy)
        for path in paths:
            for line in lines_of(path):
                found = in_text(line.rstrip("\r\n"))
                other += not found and bool(line.strip())
                for one in found:
                    org = one[1] if one[0] == "entry" else one[1]["orgId"]
                    chains.setdefault(org, Chain(org)).add(one)
    except Misuse as error: return "unreadable", 2, [str(error)]
    except (OSError, EOFError) as error: return "unreadable", 2, [str(error)]
    if not chains: return "unreadable", 2, ["no line is of a data stream"]
    verdicts = {org: chain.check(trust) for org, chain in chains.items()}
    sentences = [f"{org}: {text}" for org, (_, said, lacking) in verdicts.items() for text in [*said, *lacking]]
    if other: sentences.append(f"{other} lines are of no stream")
    if any(bad for bad, _, _ in verdicts.values()): return "broken", 1, sentences
    return ("not proven", 3, sentences) if any(lacking for _, _, lacking in verdicts.values()) else ("intact", 0, sentences)

def main(args):
    keys, policy, files, args = [], None, [], parted(args)
    try:
        while args:
            arg, args = args[0], args[1:]
            if arg not in ("--key", "--policy"): files.append(arg); continue
            need(args, arg + " needs a value", Misuse)
            if arg == "--key": keys.append(args[0])
            else: policy = read_text(args[0])
            args = args[1:]
    except Misuse as error: return "unreadable", 2, [str(error)]
    return judge(files, keys, policy) if files else ("unreadable", 2, __doc__.split("\n"))

if __name__ == "__main__": tell(*main(sys.argv[1:]))
