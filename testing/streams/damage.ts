import type { Format, StreamedEntry } from "@/server/notify/streams/formats/format";
import { linesOf } from "./file";

/** Receiver's files with one fault each: a line removed, repeated, swapped with the next, or edited. */
export function damaged(input: {
  chain: readonly StreamedEntry[];
  format: Format;
  filtered?: readonly number[];
}): string[][] {
  const lines = linesOf({ ...input, size: 3 });
  const edit = (line: string) =>
    line.replace(/[0-9a-f]{64}/, (checksum) => (checksum[0] === "0" ? "1" : "0") + checksum.slice(1));
  return lines.flatMap((line, i) => [
    lines.toSpliced(i, 1),
    lines.toSpliced(i, 0, line),
    lines.toSpliced(i, 2, ...lines.slice(i, i + 2).toReversed()),
    lines.with(i, edit(line)),
    lines.with(i, line.replace("203.0.113.7", "203.0.113.8")),
    lines.with(i, line.slice(0, line.length / 2)),
  ]);
}
