/** Latencies beyond this number are thinned out, to limit memory. */
const MAX_SAMPLES = 50_000;

type Kind = { count: number; ok: number; samples: number[]; seen: number };

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const columns = (cells: (string | number)[]): string =>
  cells.map((cell, i) => (i === 0 ? String(cell).padEnd(14) : String(cell).padStart(9))).join("");

export class Figures {
  readonly errors = new Map<string, number>();
  eventsStored = 0;
  /** Requests held back while too many were in flight. */
  heldBack = 0;
  private readonly kinds = new Map<string, Kind>();

  /** @param outcome the HTTP status, or a word instead of one */
  note(kind: string, outcome: number | string, ms: number): void {
    const figures = this.kinds.get(kind) ?? { count: 0, ok: 0, samples: [], seen: 0 };
    this.kinds.set(kind, figures);
    const ok = typeof outcome === "number" && outcome < 400;
    figures.count++;
    if (ok) figures.ok++;
    else this.errors.set(`${kind} ${outcome}`, (this.errors.get(`${kind} ${outcome}`) ?? 0) + 1);
    figures.seen++;
    if (figures.samples.length < MAX_SAMPLES) figures.samples.push(ms);
    else figures.samples[figures.seen % MAX_SAMPLES] = ms;
  }

  /** A table with a line per request kind, latencies in milliseconds. */
  table(seconds: number): string {
    const lines = [columns(["", "requests", "ok", "per s", "p50 ms", "p95 ms", "p99 ms", "max ms"])];
    for (const [name, { count, ok, samples }] of this.kinds) {
      const sorted = samples.toSorted((a, b) => a - b);
      const shares = [0.5, 0.95, 0.99, 1].map((share) => percentile(sorted, share).toFixed(1));
      lines.push(columns([name, count, ok, (count / seconds).toFixed(1), ...shares]));
    }
    lines.push(`events stored: ${this.eventsStored}`);
    if (this.heldBack > 0) lines.push(`held back, because too many requests were under way: ${this.heldBack}`);
    const errors = [...this.errors].map(([what, count]) => `${what}: ${count}`);
    lines.push(errors.length > 0 ? `errors: ${errors.join(", ")}` : "no errors");
    return lines.join("\n");
  }
}
