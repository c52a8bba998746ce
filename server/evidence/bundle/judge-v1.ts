import {
  type BundleHeader,
  bundleCheckpoint,
  bundleEnd,
  bundleHeader,
  bundleReceipt,
} from "@/server/evidence/chain/bundle";
import { type ParsedNote, parseNote } from "@/server/evidence/chain/note";
import { type Anchor, type Break, breakOf, type Verdict, Verifier } from "@/server/evidence/chain/verifier";
import { keyIdOf, type NoteTools, parseVerifierKey, toHex, type VerifierKey } from "@/server/evidence/tree/signed-note";
import { BadLine, jsonOf, readShape } from "./format";
import { RowReader } from "./row-line";
import { type Trust, textsOf } from "./trust";
import type { JudgedBundle } from "./verdict";

/**
 * The judge of version 1: the chain of rows, checkpoints over the chain's checksums, no signature over the header. Such
 * bundles verify permanently.
 */

const utf8 = new TextEncoder();
const ROW_START = '{"type":"row"';
/** The order of the lines between header and end; of receipts there is one at most. */
const ORDER = { checkpoint: 0, receipt: 1, row: 2 };

type SignedAnchor = Anchor & { isTrusted: boolean };

export class BundleJudgeV1 {
  readonly #breaks: Break[] = [];
  readonly #anchors: SignedAnchor[] = [];
  /** What checkpoints name at their sequences: two of one sequence must not differ. */
  readonly #checksums = new Map<number, string>();
  readonly #signers = new Map<string, VerifierKey>();
  readonly #row = new RowReader();
  #order = -1;
  #header: BundleHeader | null = null;
  #trusted: VerifierKey[] = [];
  #named: VerifierKey[] = [];
  #end: { rows: number; digest: string } | null = null;
  #pruned: { throughSeq: number; throughChecksum: string | null } | null = null;
  #judge: Verifier | null = null;
  #rows = 0;
  #inside = 0;
  #span: { from: number; to: number } = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  #times: { first: number; last: number } | null = null;

  constructor(
    private readonly tools: NoteTools,
    private readonly input: { trust: Trust },
  ) {}

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /**
   * What is behind the rows says nothing of them any more: they were judged by what stood before.
   * @throws BadLine for a line in the wrong place
   */
  #advance(type: keyof typeof ORDER): void {
    const order = ORDER[type];
    if (order < this.#order || (type === "receipt" && order === this.#order))
      throw new BadLine(`a ${type} line stands in the wrong place`);
    this.#order = order;
  }

  /** A line that is no row. @throws BadLine */
  line(text: string): void {
    const value = jsonOf(text);
    const type = typeof value === "object" && value !== null && "type" in value ? value.type : null;
    if (type === "checkpoint" || type === "receipt") this.#advance(type);
    if (!this.#header) this.#takeHeader(readShape(bundleHeader, value, text));
    else if (type === "checkpoint") this.#checkpoint(readShape(bundleCheckpoint, value, text).note);
    else if (type === "receipt") this.#pruned = readShape(bundleReceipt, value, text);
    else if (type === "end") this.#end = readShape(bundleEnd, value, text);
    else if (text.startsWith(ROW_START)) throw new BadLine("a row that is not written as the format says");
    else throw new BadLine("it is of an unknown type");
  }

  #takeHeader(header: BundleHeader): void {
    this.#header = header;
    const instant = (text: string | null, open: number) => (text === null ? open : Date.parse(text));
    this.#span = { from: instant(header.from, this.#span.from), to: instant(header.to, this.#span.to) };
    // Version 1 signed in the installation's name, regardless of what the key is pinned for.
    const name = header.origin.slice(0, Math.max(0, header.origin.indexOf("/audit/")));
    const here = (key: VerifierKey) => ({ ...key, name, id: keyIdOf(this.tools.sha256, { ...key, name }) });
    this.#trusted = this.input.trust.logs
      .filter((key) => key.name === name || key.name.startsWith(`${name}/`))
      .map(here);
    this.#named = header.publicKeys
      .map((text) => parseVerifierKey(this.tools.sha256, text))
      .filter((key) => key !== null);
  }

  /** Checkpoints and the receipt come before the rows, so that the judge knows them when the rows come. */
  #verifier(): Verifier {
    this.#judge ??= new Verifier({
      start: this.#header?.start ?? { seq: 0, checksum: null },
      pruned: this.#pruned,
      anchors: this.#anchors,
    });
    return this.#judge;
  }

  /** A line that begins as a row does. @throws BadLine */
  row(bytes: Uint8Array): void {
    const row = this.#row;
    if (!row.read(bytes)) throw new BadLine("a row that is not written as the format says");
    this.#advance("row");
    const { seq, id, timestampMs: ms } = row;
    const recomputed = toHex(this.tools.sha256(row.payload()));
    const prevChecksum = row.hasPrevious ? toHex(row.prevChecksum) : null;
    this.#verifier().add({ seq, id, checksum: toHex(row.checksum), prevChecksum, recomputed });
    const orgId = this.#header?.orgId;
    if (row.orgId !== orgId)
      this.#breaks.push({
        seq,
        id,
        kind: "inserted",
        expected: `organization ${orgId}`,
        actual: `organization ${row.orgId}`,
      });
    this.#rows++;
    if (ms >= this.#span.from && ms <= this.#span.to) this.#inside++;
    this.#times = { first: Math.min(this.#times?.first ?? ms, ms), last: Math.max(this.#times?.last ?? ms, ms) };
  }

  /** The keys among these that signed a note; null when a line of one of them does not hold. */
  #signersOf(note: ParsedNote, keys: readonly VerifierKey[]): VerifierKey[] | null {
    const signers: VerifierKey[] = [];
    for (const key of keys)
      for (const { name, keyId, signature } of note.signatures) {
        if (name !== key.name || toHex(keyId) !== key.id) continue;
        if (!this.tools.verify(key.publicKey, utf8.encode(note.text), signature)) return null;
        signers.push(key);
      }
    return signers;
  }

  #checkpoint(text: string): void {
    const note = parseNote(text);
    const trusted = note && this.#signersOf(note, this.#trusted);
    const named = note && this.#signersOf(note, this.#named);
    if (!note || !trusted || !named || note.checkpoint.orgId !== this.#header?.orgId) {
      const actual = note ? "a checkpoint that does not hold" : "a note that cannot be read";
      const expected = "a checkpoint of this organization, its signature good";
      this.#breaks.push(breakOf({ seq: note?.checkpoint.seq ?? 0, kind: "altered", expected, actual }));
      return;
    }
    if (trusted.length + named.length === 0) return; // signed by strangers alone: proves nothing, contradicts nothing
    const { seq, checksum } = note.checkpoint;
    const other = this.#checksums.get(seq) ?? checksum;
    if (other !== checksum) this.#breaks.push(breakOf({ seq, kind: "altered", expected: other, actual: checksum }));
    this.#checksums.set(seq, checksum);
    for (const key of this.input.trust.logs.length > 0 ? trusted : named)
      this.#signers.set(`${key.name}+${key.id}`, key);
    this.#anchors.push({ ...note.checkpoint, isTrusted: trusted.length > 0 });
  }

  #reasons(verdict: Verdict): string[] {
    const reasons: string[] = [];
    const { lastSeq } = verdict;
    const { logs: keys, quorum } = this.input.trust;
    const signed = textsOf([...this.#signers.values()]).join(" ");
    if (keys.length === 0)
      reasons.push(
        `It fits in itself, ${signed ? `signed by ${signed}` : "signed by no key that it names"}; pass --key.`,
      );
    else if (lastSeq === null)
      reasons.push("The bundle holds no entries, and nothing signed says that there were none.");
    else if (!this.#anchors.some(({ seq, isTrusted }) => isTrusted && seq === lastSeq))
      reasons.push(`No checkpoint that a trusted key signed names the last entry, sequence ${lastSeq}.`);
    const { firstSeq, prunedPrefix } = verdict;
    if (prunedPrefix && firstSeq === prunedPrefix.throughSeq + 1)
      reasons.push("The receipt for the entries that retention removed is not signed.");
    else if (firstSeq !== null && firstSeq > 1 && (this.#header?.start.seq ?? 0) <= 0)
      reasons.push(`The entries before sequence ${firstSeq} are not in it, and no receipt says why.`);
    if (quorum) reasons.push("The quorum of the policy is not met: no witness cosigned version 1.");
    return reasons;
  }

  /** What the end line says of everything before it. */
  #checkEnd(lastSeq: number, digest: Uint8Array): void {
    const end = this.#end;
    const cut = (expected: string, actual: string) =>
      this.#breaks.push(breakOf({ seq: lastSeq + 1, kind: "truncated", expected, actual }));
    if (!end) cut("an end line", "the file ends without one");
    else if (end.rows !== this.#rows) cut(`${end.rows} rows`, `${this.#rows} rows`);
    else if (end.digest !== toHex(digest)) {
      const [expected, actual] = [`digest ${end.digest}`, `digest ${toHex(digest)}`];
      this.#breaks.push(breakOf({ seq: 0, kind: "altered", expected, actual }));
    }
  }

  /** A line is not of the format: nothing behind it was read. */
  fail(line: number, reason: string): void {
    const actual = `line ${line}: ${reason}`;
    this.#breaks.push(breakOf({ seq: 0, kind: "altered", expected: "lines of the format", actual }));
  }

  /** @param digest SHA-256 of every byte before the end line; null when the file was not read to its end */
  finish(digest: Uint8Array | null): JudgedBundle {
    const verdict = this.#verifier().finish("unknown");
    if (digest) this.#checkEnd(verdict.lastSeq ?? 0, digest);
    const breaks = [...verdict.breaks, ...this.#breaks].sort((a, b) => a.seq - b.seq);
    const reasons = breaks.length > 0 ? [] : this.#reasons(verdict);
    const { firstSeq, lastSeq, prunedPrefix } = verdict;
    const hasTrust = this.input.trust.logs.length > 0;
    const counted = this.#anchors
      .filter(({ isTrusted, seq }) => (isTrusted || !hasTrust) && seq >= (firstSeq ?? seq + 1) && seq <= (lastSeq ?? 0))
      .map(({ seq }) => seq);
    const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
    return {
      status: breaks.length > 0 ? "broken" : reasons.length > 0 ? "unproven" : "intact",
      version: 1,
      reasons,
      notices: ["Organization, range and time of creation in the header are not signed in bundles of version 1."],
      breaks,
      header: this.#shownHeader(),
      rowsChecked: this.#rows,
      inside: this.#inside,
      hashesOnly: 0,
      firstSeq,
      lastSeq,
      firstTime: iso(this.#times?.first),
      lastTime: iso(this.#times?.last),
      complete: null,
      anchoredThrough: counted.length > 0 ? Math.max(...counted) : null,
      checkpoint: null,
      signedBy: textsOf([...this.#signers.values()]),
      cosignedBy: [],
      quorum: this.input.trust.quorum ? "not met" : null,
      receipt: prunedPrefix && { through: prunedPrefix.throughSeq, before: null, days: null, signedAt: null },
    };
  }

  #shownHeader(): JudgedBundle["header"] {
    if (!this.#header) return null;
    const { origin, orgId, organization, from, to, createdAt, publicKeys } = this.#header;
    const range = from === null && to === null ? { kind: "whole" as const } : { kind: "time" as const, from, to };
    return { origin, orgId, organization, range, createdAt, publicKeys };
  }
}
