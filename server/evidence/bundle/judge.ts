import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import {
  fromBase64,
  type NoteTools,
  noteOf,
  parseVerifierKey,
  type SignedNote,
  toBase64,
  type VerifierKey,
} from "@/server/evidence/tree/signed-note";
import {
  orgIdOf,
  type PruneReceipt,
  parseCheckpoint,
  parseReceipt,
  parseSeal,
  restoredReasons,
  type TreeCheckpoint,
  windowText,
} from "@/server/evidence/tree/statement";
import { equalBytes } from "@/server/evidence/tree/tree";
import { BadLine, type BundleHeader, type BundleLine, readLine, type SinceLine } from "./format";
import { RowReader } from "./row-line";
import { checkSince, type KeptNote, LogTrust, type Signers, type Trust, textsOf } from "./trust";
import type { JudgedBundle } from "./verdict";
import { Walk, type Walked } from "./walk";

/** Order of a bundle's lines; rows and skips share a rank. */
const ORDER = { header: 0, checkpoint: 1, timestamp: 2, since: 3, receipt: 4, skip: 5, end: 6 };
const ROWS = ORDER.skip;
const ROW_START = '{"type":"row"';

/** Verdict on an authority's reply (RFC 3161) over a text: the stamped time and the authority, or the fault. */
export type StampCheck = (text: string, reply: Uint8Array) => { at: string; by: string } | { reason: string };

type Signed<T> = { statement: T; note: SignedNote; signers: Signers };

const shownReceipt = ({ origin: _, ...shown }: PruneReceipt) => shown;

/** Judges a bundle in one pass over its lines, keeping none. */
export class BundleJudge {
  readonly #breaks: Break[] = [];
  readonly #row = new RowReader();
  #order = -1;
  #header: BundleHeader | null = null;
  #trust: LogTrust | null = null;
  #checkpoint: Signed<TreeCheckpoint> | null = null;
  #receipt: Signed<PruneReceipt> | null = null;
  #seal: Signed<{ digest: Uint8Array }> | null = null;
  #since: SinceLine | null = null;
  #token: string | null = null;
  #walk: Walk | null = null;

  constructor(
    private readonly tools: NoteTools,
    private readonly input: { trust: Trust; since: KeptNote | null; stamp?: StampCheck | undefined },
  ) {}

  get hasEnded(): boolean {
    return this.#order === ORDER.end;
  }

  /** Reads a line other than a row. @throws BadLine */
  line(text: string): void {
    if (text.startsWith(ROW_START)) throw new BadLine("a row that is not written as the format says");
    const line = readLine(text);
    const order = ORDER[line.type];
    const isNext = order > this.#order || (order === ROWS && this.#order === ROWS);
    if (!isNext || (order > ORDER.checkpoint && !this.#checkpoint))
      throw new BadLine(`a ${line.type} line stands in the wrong place`);
    this.#order = order;
    this.#take(line);
  }

  /** Reads a line that starts like a row. @throws BadLine */
  row(bytes: Uint8Array): void {
    if (!this.#row.read(bytes)) throw new BadLine("a row that is not written as the format says");
    if (!this.#checkpoint || this.#order > ROWS) throw new BadLine("a row stands in the wrong place");
    this.#order = ROWS;
    this.#walked().row(this.#row);
  }

  #take(line: BundleLine): void {
    if (line.type === "header") this.#takeHeader(line);
    else if (line.type === "checkpoint") this.#checkpoint = this.#signed(line.note, parseCheckpoint, "checkpoint");
    else if (line.type === "receipt") this.#receipt = this.#signed(line.note, parseReceipt, "receipt");
    else if (line.type === "skip") this.#walked().skip(line);
    else if (line.type === "since") this.#since = line;
    else if (line.type === "end") this.#seal = this.#signed(line.note, parseSeal, "seal");
    else this.#token = line.token;
  }

  #takeHeader(header: BundleHeader): void {
    const { origin, orgId, range, publicKeys } = header;
    if (orgIdOf(origin) !== orgId) throw new BadLine("origin: it is not the origin of this organization's log");
    if (range.kind === "sequence" && range.first > range.last) throw new BadLine("range: it ends before it begins");
    if (range.kind === "time" && range.from !== null && range.to !== null && range.from > range.to)
      throw new BadLine("range: it ends before it begins");
    const keys = publicKeys.map((text) => parseVerifierKey(this.tools.sha256, text));
    if (!keys.every((key): key is VerifierKey => key !== null))
      throw new BadLine("publicKeys: a key is malformed, or its id is not the hash of its key");
    this.#header = header;
    this.#trust = new LogTrust(this.tools, this.input.trust, { origin, named: keys });
  }

  /** Reads a note and its signers. @throws BadLine for another statement, or another log */
  #signed<T extends { origin: string }>(text: string, parse: (text: string) => T | null, what: string): Signed<T> {
    const note = noteOf(text);
    const statement = note && parse(note.text);
    if (!note || !statement || !this.#trust) throw new BadLine(`the note is no ${what} of this format`);
    if (statement.origin !== this.#header?.origin)
      throw new BadLine(`the ${what} is of another log, ${statement.origin}`);
    const signers = this.#trust.signersOf(note);
    if (signers.bad) {
      const expected = `a ${what} whose signatures hold`;
      this.#altered(expected, `the signature of ${signers.bad.name}+${signers.bad.id} does not hold`);
    }
    return { statement, note, signers };
  }

  #altered(expected: string, actual: string): void {
    this.#breaks.push(breakOf({ seq: 0, kind: "altered", expected, actual }));
  }

  #walked(): Walk {
    if (!this.#header || !this.#checkpoint) throw new BadLine("no checkpoint stands before the entries");
    const { orgId, range } = this.#header;
    const receipt = this.#receipt?.statement ?? null;
    this.#walk ??= new Walk(this.tools.sha256, { orgId, range, checkpoint: this.#checkpoint.statement, receipt });
    return this.#walk;
  }

  /** Stops at a malformed line; nothing after it is read. */
  fail(line: number, reason: string): void {
    this.#altered("lines of the format", `line ${line}: ${reason}`);
  }

  /** @param digest SHA-256 of every byte before the end line; null if the file was not read to its end */
  finish(digest: Uint8Array | null): JudgedBundle {
    const walked = this.#checkpoint && this.#header ? this.#walked().finish() : null;
    const breaks = [...(digest ? (walked?.breaks ?? []) : this.#rowBreaks(walked)), ...this.#breaks];
    if (digest && this.#seal && !equalBytes(this.#seal.statement.digest, digest) && breaks.length === 0) {
      const [expected, actual] = [`digest ${toBase64(this.#seal.statement.digest)}`, `digest ${toBase64(digest)}`];
      breaks.push(breakOf({ seq: 0, kind: "altered", expected, actual }));
    }
    if (digest && !this.#seal && this.#breaks.length === 0) {
      const seq = (walked?.lastSeq ?? 0) + 1;
      breaks.push(breakOf({ seq, kind: "truncated", expected: "an end line", actual: "the file ends without one" }));
    }
    return this.#verdict(walked, breaks);
  }

  /** If the file was not read to its end, missing entries after that point prove nothing. */
  #rowBreaks(walked: Walked | null): Break[] {
    return (walked?.breaks ?? []).filter(({ kind }) => kind !== "truncated");
  }

  #verdict(walked: Walked | null, breaks: Break[]): JudgedBundle {
    const reasons: string[] = [];
    const notices = this.#notices();
    this.#checkSince(breaks, reasons, notices);
    this.#checkStamp(reasons, notices);
    if (breaks.length === 0) reasons.unshift(...this.#alarmed(), ...this.#reasons(walked));
    const rows = walked?.rows ?? 0;
    const proven = rows === 0 ? "empty" : "intact";
    const status = breaks.length > 0 ? "broken" : reasons.length > 0 ? "unproven" : proven;
    const checkpoint = this.#checkpoint?.statement;
    const cosigned = this.#checkpoint && this.#trust?.cosigned(this.#checkpoint.note);
    const receipt = this.#receipt?.statement;
    const isHeld = breaks.length === 0;
    const iso = (ms: number | null | undefined) => (typeof ms === "number" ? new Date(ms).toISOString() : null);
    return {
      status,
      version: 2,
      reasons: isHeld ? reasons : [],
      warnings: this.#warnings(walked),
      notices,
      breaks,
      header: this.#shownHeader(),
      rowsChecked: rows,
      hashesOnly: walked?.skipped ?? 0,
      firstSeq: walked?.firstSeq ?? null,
      lastSeq: walked?.lastSeq ?? null,
      firstTime: iso(walked?.firstMs),
      lastTime: iso(walked?.lastMs),
      complete: status === proven ? (this.#header?.range.kind === "time" ? "attested" : "proven") : null,
      anchoredThrough: isHeld && this.#signers().length > 0 ? (walked?.lastSeq ?? null) : null,
      checkpoint: checkpoint ? { size: checkpoint.size, signedAt: checkpoint.signedAt } : null,
      signedBy: textsOf(this.#signers()),
      cosignedBy: cosigned?.by ?? [],
      quorum: typeof cosigned?.isMet === "boolean" ? (cosigned.isMet ? "met" : "not met") : null,
      receipt: receipt ? shownReceipt(receipt) : null,
    };
  }

  #shownHeader(): JudgedBundle["header"] {
    if (!this.#header) return null;
    const { origin, orgId, organization, range, createdAt, publicKeys } = this.#header;
    return { origin, orgId, organization, range, createdAt, publicKeys };
  }

  /** Signers of the checkpoint: trusted keys or, if none are given, the bundle's own. */
  #signers(): VerifierKey[] {
    const signers = this.#checkpoint?.signers;
    return (this.input.trust.logs.length > 0 ? signers?.trusted : signers?.named) ?? [];
  }

  #reasons(walked: Walked | null): string[] {
    const { logs: keys } = this.input.trust;
    if (keys.length === 0) {
      const signed = textsOf(this.#signers()).join(" ");
      return [`It fits in itself, ${signed ? `signed by ${signed}` : "signed by no key that it names"}; pass --key.`];
    }
    if (this.#trust?.trusted.length === 0) {
      const names = keys.map(({ name }) => name).join(", ");
      return [`The trusted key is good for ${names}; this bundle is of ${this.#header?.origin}.`];
    }
    const reasons: string[] = [];
    const signed = (statement: Signed<unknown> | null) => (statement?.signers.trusted.length ?? 0) > 0;
    if (!signed(this.#checkpoint)) reasons.push("No trusted key signed the checkpoint.");
    reasons.push(...this.#losses());
    if (!signed(this.#seal))
      reasons.push("No trusted key signed the seal: header, range and selection are not proven.");
    if (walked?.gone && !signed(this.#receipt))
      reasons.push("No trusted key signed the receipt for the entries that retention removed.");
    const cosigned = this.#checkpoint && this.#trust?.cosigned(this.#checkpoint.note);
    if (cosigned?.isMet === false) {
      const by = cosigned.by.map(({ name }) => name).join(", ");
      reasons.push(`The quorum of the policy is not met: ${by ? `cosigned by ${by} alone` : "no witness cosigned"}.`);
    }
    return reasons;
  }

  /** Reasons in the checkpoint itself not to call the range whole. */
  #losses(): string[] {
    const range = this.#header?.range;
    if (!range) return [];
    const about = range.kind === "sequence" ? { first: range.first, last: range.last } : range.kind;
    return restoredReasons(this.#checkpoint?.statement.restored ?? [], about);
  }

  #checkSince(breaks: Break[], reasons: string[], notices: string[]): void {
    const [line, checkpoint, kept] = [this.#since, this.#checkpoint?.statement, this.input.since];
    const altered = (actual: string) =>
      breaks.push(
        breakOf({ seq: 0, kind: "altered", expected: "a log that goes on from the older checkpoint", actual }),
      );
    if (!checkpoint) return;
    if (kept && kept.orgId !== this.#header?.orgId) reasons.push("The note given with --since is of another log.");
    else if (kept) {
      const found = checkSince(this.tools, kept, { line, checkpoint });
      if (found.kind === "broken") altered(found.text);
      else if (found.kind === "unproven") reasons.push(found.text);
      else notices.push(found.text);
    } else if (line)
      notices.push(
        `It holds a proof from an older checkpoint of size ${line.size}; give that note with --since to have it checked.`,
      );
  }

  #checkStamp(reasons: string[], notices: string[]): void {
    const { stamp } = this.input;
    if (!stamp && this.#token !== null)
      notices.push("A time-stamp is present, not checked here: trailmark verify --tsa CERTIFICATES checks it.");
    if (!stamp) return;
    if (this.#token === null || !this.#checkpoint) {
      reasons.push("The bundle holds no time-stamp.");
      return;
    }
    const found = stamp(this.#checkpoint.note.text, fromBase64(this.#token) ?? new Uint8Array());
    if ("reason" in found) reasons.push(`The time-stamp does not hold: ${found.reason}.`);
    else notices.push(`The checkpoint was there on ${found.at}: time-stamped by ${found.by}.`);
  }

  #alarmed(): string[] {
    const alarm = this.#header?.alarm;
    return alarm ? [`An alarm was open on this log since ${alarm.since}: ${alarm.found}.`] : [];
  }

  #warnings(walked: Walked | null): string[] {
    const [receipt, gone] = [this.#receipt?.statement, walked?.gone];
    return [
      ...this.#alarmed(),
      ...(gone && receipt && gone.last <= receipt.through
        ? [`Entries ${gone.first} to ${gone.last} of the range are gone: removed under ${windowText(receipt)}.`]
        : []),
    ];
  }

  #notices(): string[] {
    const notices: string[] = [];
    const [receipt, header] = [this.#receipt?.statement, this.#header];
    if (receipt && header?.range.kind === "time" && (header.range.from === null || receipt.before > header.range.from))
      notices.push(
        `Retention was allowed to remove entries before ${receipt.before} (through sequence ${receipt.through}); some may have been of this range.`,
      );
    if (header?.range.kind === "time")
      notices.push(
        "That no entry of the time range is left out is the installation's signed word; the tree cannot prove it.",
      );
    return notices;
  }
}
