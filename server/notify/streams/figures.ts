import { inArray } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { dataStreams } from "@/db/schema";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";
import { readProgress } from "./stream";
import { STREAM_KIND_NAMES, STREAM_STATES } from "./vocabulary";

const POLL_MS = 30_000;

type Figures = { lag: Map<string, number>; behind: Map<string, number>; states: Map<string, number> };
const zeros = (names: readonly string[]) => new Map(names.map((name) => [name, 0]));
let known: Figures = { lag: new Map(), behind: new Map(), states: new Map() };

/** Figures over all streams; lag is that of each destination's worst active stream. */
async function readFigures(): Promise<Figures> {
  const { id, kind, state } = dataStreams;
  return asSystem(async (tx) => {
    const all = await tx.select({ id, kind, state }).from(dataStreams);
    const sending = await tx
      .select({ id, kind })
      .from(dataStreams)
      .where(inArray(state, ["active", "failing", "blocked"]));
    const progress = await readProgress(
      tx,
      sending.map((one) => one.id),
    );
    const states = zeros(STREAM_STATES);
    for (const one of all) states.set(one.state, (states.get(one.state) ?? 0) + 1);
    const lag = zeros(STREAM_KIND_NAMES);
    const behind = zeros(STREAM_KIND_NAMES);
    for (const one of sending) {
      const { seconds = 0, entries = 0 } = progress.get(one.id) ?? {};
      lag.set(one.kind, Math.max(lag.get(one.kind) ?? 0, seconds));
      behind.set(one.kind, (behind.get(one.kind) ?? 0) + entries);
    }
    return { lag, behind, states };
  });
}

/** Updates the metrics of streams from the database. */
export const streamFigures = backgroundLoop("stream figures", POLL_MS, async () => {
  known = await readFigures();
  gauge("trailmark_stream_lag_seconds", "Since when the oldest entry waits for a receiver", () => known.lag);
  gauge("trailmark_stream_behind", "Entries that wait for receivers", () => known.behind);
  gauge("trailmark_stream_state", "Streams in each state", () => known.states);
});
