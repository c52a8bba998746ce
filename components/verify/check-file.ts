import type { Trust } from "@/server/evidence/bundle/trust";
import type { BundleVerdict } from "@/server/evidence/bundle/verdict";
import { EntryIndex } from "./entry-index";
import { readChunks } from "./read-chunks";

export type Checked = { verdict: BundleVerdict; fileName: string; seconds: number; entries: EntryIndex };
export type Progress = { rows: number; share: number };

type Options = { trust: Trust; signal: AbortSignal; onProgress: (progress: Progress) => void };

/** Preloaded with the page, so that the check itself works offline. */
export const loadTools = () => Promise.all([import("@/server/evidence/bundle/verify"), import("./browser-tools")]);

/** Checks a bundle in the browser: the file is read, hashed and judged here, and never leaves the machine. */
export async function checkFile(file: File, { trust, signal, onProgress }: Options): Promise<Checked> {
  const [{ verifyBundle }, { browserBundleTools }] = await loadTools();
  const started = performance.now();
  const entries = new EntryIndex(file);
  const onBytes = (read: number) => onProgress({ rows: entries.count, share: file.size > 0 ? read / file.size : 1 });
  const verdict = await verifyBundle(readChunks(file, { onBytes, signal }), browserBundleTools, {
    trust,
    onRow: (start, end) => entries.add(start, end),
  });
  return { verdict, fileName: file.name, seconds: (performance.now() - started) / 1000, entries };
}
