#!/usr/bin/env python3
"""An independent verifier of proofs of single entries (.tlog-proof): the standard library and verify_bundle.py beside it.
   docs/proofs.md has the format.
   Usage: verify_proof.py FILE [--key KEY]... [--policy FILE]
   Exit code: 0 intact, 1 broken, 2 unreadable, 3 not proven"""
import re, sys
from verify_bundle import (FIELDS, NULLABLE, NUMBER, Bad, Misuse, ORIGIN, Trust, checkpoint_of, cosigned_by, covers,
                           UUID, included, leaf, need, parse_note, parted, read_text, sha, signed_by, tell, unbase64)

HEADER = "c2sp.org/tlog-proof@v1"

def row_of(payload):   # the canonical payload v1;LENGTHS;VALUES taken apart by its lengths
    found = re.match(rb"v1;((?:-|0|[1-9][0-9]{0,14})(?:,(?:-|0|[1-9][0-9]{0,14}))*);", payload)
    lengths = found[1].decode().split(",") if found else []
    need(len(lengths) == len(FIELDS), "the entry is not in the form that is hashed")
    at, row = found.end(), {}
    for field, length in zip(FIELDS, lengths):
        need(length != "-" or field in NULLABLE or field == "prevChecksum", f"{field} is missing")
        end = at + (0 if length == "-" else int(length))
        try: row[field] = None if length == "-" else payload[at:end].decode("utf-8")
        except UnicodeDecodeError: raise Bad("the entry is not UTF-8")
        at = end
    need(at == len(payload), "the entry is not as long as it says")
    need(re.fullmatch(UUID, row["id"]) and re.fullmatch(UUID, row["orgId"]) and re.fullmatch("[1-9][0-9]{0,14}", row["chainSeq"])
         and re.fullmatch("0|-?[1-9][0-9]{0,14}", row["timestampMs"])
         and (row["prevChecksum"] is None if row["chainSeq"] == "1" else re.fullmatch("[0-9a-f]{64}", row["prevChecksum"] or "")),
         "a member is not written as in a bundle")
    return row

def verify(text, trust):   # -> what was proven, what is missing
    need(len(text) <= 4 * 1024 * 1024 and "\ufffd" not in text, "not of the form")
    head, split, rest = text.partition("\n\n")
    lines = head.split("\n")
    need(split and len(lines) >= 3 and lines[1].startswith("extra ") and lines[2].startswith("index "), "not of the form")
    payload, index = unbase64(lines[1][6:]), lines[2][6:]
    path, note = [unbase64(line) for line in lines[3:]], parse_note(rest)
    checkpoint = note and checkpoint_of(note[0])
    need(payload is not None and NUMBER.fullmatch(index) and checkpoint and len(path) <= 64, "not of the form")
    need(all(hash is not None and len(hash) == 32 for hash in path), "a hash of the path is none")
    (origin, size, root, restored, _), row, index = checkpoint, row_of(payload), int(index)
    need(row["chainSeq"] == str(index + 1), "the entry is of another place than the proof")
    need(row["orgId"] == ORIGIN.fullmatch(origin)[1], "the entry is of another organization than the checkpoint")
    need(included(index, size, leaf(sha(payload)), path, root), "the entry is not part of the log")
    keys = [key[2] for key in trust.keys if covers(key[0], origin)]
    signed = [signed_by(note, origin, key) for key in keys]
    seen = {name: cosigned_by(note, key[0], key[2]) for name, key in trust.witnesses.items()}
    need(False not in signed + list(seen.values()), "a signature does not hold")
    missing = [] if True in signed else ["no trusted key signed the checkpoint"]
    if not trust.meets(trust.quorum, [name for name in seen if seen[name]]): missing.append("the quorum of the policy is not met")
    for proven, lost, when in restored:
        if proven <= index < lost: missing.append(f"the log was restored to an older state on {when}: of the entries {proven + 1} to {lost} that had been signed, some are not in it")
    return f"entry {index + 1} of {size} in {origin}: {row['action']} by {row['actorEmail'] or row['actorId']}", missing

def judge(data, keys=(), policy=None):   # -> word, exit code, sentences
    try: trust = Trust(keys, policy)
    except Misuse as error: return "unreadable", 2, [str(error)]
    if data.split(b"\n", 1)[0] != HEADER.encode(): return "unreadable", 2, ["not the proof of an entry"]
    try:
        try: text = data.decode("utf-8")
        except UnicodeDecodeError: raise Bad("not UTF-8")
        said, missing = verify(text, trust)
    except Bad as error: return "broken", 1, [str(error)]
    return ("not proven", 3, [said, *missing]) if missing else ("intact", 0, [said])

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
        if len(files) != 1: return "unreadable", 2, __doc__.split("\n")
        with open(files[0], "rb") as stream: data = stream.read(4 * 1024 * 1024 + 1)
    except Misuse as error: return "unreadable", 2, [str(error)]
    except OSError as error: return "unreadable", 2, [f"{files[0]}: {error.strerror}"]
    return judge(data, keys, policy)

if __name__ == "__main__": tell(*main(sys.argv[1:]))
