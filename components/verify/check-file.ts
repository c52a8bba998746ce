import type { BundleVerdict } from "@/server/audit/integrity/verify-bundle";
import { readLines } from "./read-lines";

export type Checked = { verdict: BundleVerdict; fileName: string; seconds: number; span: Span };
/** The times of the first and the last row that was read. */
type Span = { from: string | null; to: string | null };
export type Progress = { rows: number; share: number };

type Options = { trustedKeys: readonly string[]; signal: AbortSignal; onProgress: (progress: Progress) => void };

const TIME = /"timestampMs":(-?\d{1,15})[,}]/;

function timeOf(line: string): string | null {
  const found = TIME.exec(line);
  return found ? new Date(Number(found[1])).toISOString() : null;
}

/** Judge and hashing; fetched with the page, so that the check itself works offline. */
export const loadTools = () =>
  Promise.all([import("@/server/audit/integrity/verify-bundle"), import("./browser-tools")]);

/** Checks a bundle right here: the file is read, hashed and judged in this tab, and goes nowhere. */
export async function checkFile(file: File, { trustedKeys, signal, onProgress }: Options): Promise<Checked> {
  const [{ verifyBundle }, { browserBundleTools }] = await loadTools();
  const started = performance.now();
  let rows = 0;
  let first: string | null = null;
  let last: string | null = null;
  const onBytes = (read: number) => onProgress({ rows, share: file.size > 0 ? read / file.size : 1 });
  async function* rowsSeen() {
    for await (const line of readLines(file, { onBytes, signal })) {
      if (line.startsWith('{"type":"row"')) {
        rows++;
        first ??= line;
        last = line;
      }
      yield line;
    }
  }
  const verdict = await verifyBundle(rowsSeen(), browserBundleTools, { trustedKeys });
  const span = { from: first && timeOf(first), to: last && timeOf(last) };
  return { verdict, fileName: file.name, seconds: (performance.now() - started) / 1000, span };
}
