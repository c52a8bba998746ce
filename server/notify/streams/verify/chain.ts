import { batchDigest, type Sealed } from "@/server/notify/streams/formats/digest";
import { merge, type Range, runsOf, subtract } from "./ranges";
import type { PlacedEntry, ReadMarker } from "./read-line";

export type Altered = { seq: number; reason: string };

/** A receiver's copy of one organization's chain, collected from lines in any order. */
export class KeptChain {
  readonly sealed = new Map<number, string>();
  readonly #entries = new Map<number, Pick<PlacedEntry, "previous" | "content">>();
  readonly #altered = new Map<number, string>();
  readonly #markers = new Map<string, { marker: ReadMarker; text: string }>();
  readonly #filtered = new Set<number>();
  readonly #alteredMarkers: Altered[] = [];
  duplicates = 0;

  constructor(readonly orgId: string) {}

  #alter(seq: number, reason: string): void {
    if (!this.#altered.has(seq)) this.#altered.set(seq, reason);
  }

  #seal(seq: number, checksum: string): void {
    const known = this.sealed.get(seq);
    if (known === undefined) this.sealed.set(seq, checksum);
    else if (known !== checksum) this.#alter(seq, "two lines give it different checksums");
  }

  addEntry({ seq, checksum, previous, content }: PlacedEntry): void {
    const known = this.#entries.get(seq);
    this.#seal(seq, checksum);
    if (content === "altered") this.#alter(seq, "its contents do not have its checksum");
    if (known) this.duplicates++;
    if (known && known.previous !== previous) this.#alter(seq, "two lines let it follow different entries");
    if (!known || known.content === "unread") this.#entries.set(seq, { previous, content });
  }

  addMarker(marker: ReadMarker): void {
    const text = JSON.stringify(marker);
    const known = this.#markers.get(marker.batch);
    if (known?.text === text) this.duplicates++;
    else if (known) this.#alterMarker(marker, "another marker has its id");
    else this.#markers.set(marker.batch, { marker, text });
    for (const [seq, checksum] of marker.filtered) {
      this.#seal(seq, checksum);
      this.#filtered.add(seq);
    }
  }

  #alterMarker({ batch, first }: ReadMarker, reason: string): void {
    this.#alteredMarkers.push({ seq: first, reason: `the marker of batch ${batch}: ${reason}` });
  }

  get markers(): ReadMarker[] {
    return [...this.#markers.values()].map(({ marker }) => marker);
  }

  get counts() {
    const contents = [...this.#entries.values()].map(({ content }) => content);
    const filtered = [...this.#filtered].filter((seq) => !this.#entries.has(seq)).length;
    const recomputed = contents.filter((content) => content !== "unread").length;
    return { entries: contents.length, recomputed, placeOnly: contents.length - recomputed, filtered };
  }

  #ranges(isReplay: boolean): Range[] {
    return merge(this.markers.filter(({ replay }) => (replay !== undefined) === isReplay));
  }

  /** Entries removed by retention before they were sent, according to a marker. */
  get notSent(): Range[] {
    const gaps = this.markers.map(({ gap }) => gap).filter((gap) => gap !== undefined);
    return subtract(gaps, runsOf(this.sealed.keys()));
  }

  /** Entries in no marker's range: their batch has not ended, or its marker is missing. */
  get unmarked(): Range[] {
    return subtract(runsOf(this.#entries.keys()), [...this.#ranges(false), ...this.#ranges(true)]);
  }

  /**
   * Sent but missing sequences: between first and last, and of a replay. An entry sent early with a heartbeat may stand
   * alone after the last.
   */
  get missing(): Range[] {
    const isAhead = this.markers.some(({ type, rows }) => type === "trailmark.heartbeat" && rows > 0);
    const live = [...this.#ranges(false), ...this.notSent];
    const end = live.reduce((most, { last }) => Math.max(most, last), 0);
    const sent = [...live, ...this.unmarked.filter(({ first }) => !isAhead || first <= end + 1)];
    const first = sent.reduce((least, range) => Math.min(least, range.first), Number.POSITIVE_INFINITY);
    const last = sent.reduce((most, range) => Math.max(most, range.last), 0);
    return subtract([{ first, last }, ...this.#ranges(true)], [...runsOf(this.sealed.keys()), ...this.notSent]);
  }

  #checkLinks(): void {
    for (const [seq, { previous }] of this.#entries) {
      const before = this.sealed.get(seq - 1);
      if (seq === 1 ? previous !== null : previous === null || (before !== undefined && before !== previous))
        this.#alter(
          seq,
          seq === 1 ? "it names an entry before the first one" : `it does not follow sequence ${seq - 1}`,
        );
    }
  }

  #checkMarker(marker: ReadMarker): Altered[] {
    const sealed: Sealed[] = [];
    for (let seq = marker.first; seq <= marker.last; seq++) {
      const checksum = this.sealed.get(seq);
      if (checksum === undefined) return [];
      sealed.push([seq, checksum]);
    }
    if (batchDigest(marker.previous, sealed) === marker.digest) return [];
    return [{ seq: marker.first, reason: `the digest of batch ${marker.batch} is not that of its entries` }];
  }

  /** Contradictions between or within lines, by sequence. */
  get altered(): Altered[] {
    this.#checkLinks();
    const entries = [...this.#altered].map(([seq, reason]) => ({ seq, reason }));
    const markers = this.markers.flatMap((marker) => this.#checkMarker(marker));
    return [...entries, ...this.#alteredMarkers, ...markers].sort((a, b) => a.seq - b.seq);
  }
}
