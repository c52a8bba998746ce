import { decodePosition, type Position } from "./position";
import type { Span } from "./read";
import { type ReloadReason, TAIL_STEP_ROWS } from "./schema";

/** How many rows were sealed between a position and a later one. */
export const rowsBehind = (from: Position, to: Position): number =>
  from.seqs.reduce((sum, seq, i) => sum + Math.max(0, (to.seqs[i] as number) - seq), 0);

/** The next pieces of the chains on the way from a position to the heads, at most TAIL_STEP_ROWS rows together. */
export function nextSpans({ orgIds, seqs }: Position, heads: Position): Span[] {
  const spans: Span[] = [];
  let room = TAIL_STEP_ROWS;
  for (const [i, orgId] of orgIds.entries()) {
    const after = seqs[i] as number;
    const through = Math.min(heads.seqs[i] as number, after + room);
    if (through <= after) continue;
    spans.push({ orgId, after, through });
    room -= through - after;
    if (room === 0) break;
  }
  return spans;
}

/** A position once these pieces have been seen. */
export function advance({ orgIds, seqs }: Position, spans: readonly Span[]): Position {
  const seen = new Map(spans.map(({ orgId, through }) => [orgId, through]));
  return { orgIds, seqs: seqs.map((seq, i) => seen.get(orgIds[i] as string) ?? seq) };
}

/** Where a reader goes on: at what it has seen, if that is a position in these chains; else at the heads. */
export function startAt(
  text: string | undefined,
  heads: Position,
): { position: Position; reload: ReloadReason | null } {
  if (!text) return { position: heads, reload: "start" };
  const position = decodePosition(text, heads.orgIds);
  const isAhead = position?.seqs.some((seq, i) => seq > (heads.seqs[i] as number));
  return position && !isAhead ? { position, reload: null } : { position: heads, reload: "position" };
}
