import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { eq } from "drizzle-orm";
import { type Bench, type Figure, figuresOf, msOf, rateOf } from "@/bench/harness";
import { growthOf } from "@/bench/processes";
import type { World } from "@/bench/world";
import { asSystem } from "@/db/client";
import { dataStreams, streamPositions } from "@/db/schema/index";
import { env } from "@/server/ground/env";
import { beginRestoration, restore } from "@/server/notify/streams/archive/restore";
import { checkStream } from "@/server/notify/streams/control";
import { FORMATS } from "@/server/notify/streams/formats";
import { wakeStreams } from "@/server/notify/streams/positions";
import { readEntries } from "@/server/notify/streams/read";
import { createInput } from "@/server/notify/streams/schema";
import { streamJob } from "@/server/notify/streams/send";
import { createStream } from "@/server/notify/streams/streams";
import { workOff } from "@/testing/jobs";
import { startStreamReceiver } from "@/testing/stream-receiver";
import { STORE, startStrictS3 } from "@/testing/streams/strict-s3";

const compress = promisify(gzip);
/** Entries of a full archived object. */
const OBJECT_ROWS = 10_000;
const MAX_RESTORED = 100_000;

async function start(world: World, orgId: string, settings: object): Promise<string> {
  const ctx = world.ctxOf(orgId);
  const input = createInput.parse({ name: "Bench", orgId, start: "beginning", ...settings });
  const { id } = await createStream.run(ctx, input);
  const { ok, steps } = await checkStream.run(ctx, { id, starts: true });
  if (!ok) throw new Error(`the check of the stream failed: ${JSON.stringify(steps)}`);
  return id;
}

/** Sends until the stream has everything through a sequence. */
async function sendThrough(streamId: string, seq: number): Promise<void> {
  for (let through = 0; through < seq; ) {
    await wakeStreams();
    await workOff(streamJob);
    const [found] = await asSystem((tx) =>
      tx
        .select({ through: streamPositions.throughSeq, state: dataStreams.state, why: dataStreams.stateMessage })
        .from(streamPositions)
        .innerJoin(dataStreams, eq(dataStreams.id, streamPositions.streamId))
        .where(eq(streamPositions.streamId, streamId)),
    );
    if (found?.through === through) throw new Error(`the stream stopped at ${through}: ${found.state}, ${found.why}`);
    through = found?.through ?? 0;
  }
}

/** Row 25: one stream of one organization over HTTPS, against reading, writing and compressing the same entries. */
async function streaming(world: World, rows: number): Promise<Figure> {
  const orgId = await world.filled(rows);
  const receiver = await startStreamReceiver();
  try {
    const id = await start(world, orgId, { kind: "https", config: { url: receiver.url } });
    const value = await rateOf(rows, () => sendThrough(id, rows));
    const organization = { id: orgId, name: "Bench", slug: "bench" };
    const reader = { owner: { orgId, partnerId: world.partnerId }, organization, filter: {} };
    const reference = await rateOf(rows, async () => {
      for (let after = 0; after < rows; after += 1_000) {
        const entries = await readEntries(reader, { after, through: Math.min(after + 1_000, rows) });
        await compress(entries.map(FORMATS.native.entry).join("\n"));
      }
    });
    const got = new Set(receiver.entriesOf(orgId).map((entry) => entry.chainSeq));
    const lost = Array.from({ length: rows }, (_, i) => i + 1).filter((seq) => !got.has(seq)).length;
    const rates = { value, reference, ratio: value, holds: lost === 0, detail: `${lost} lost` };
    const name = `a stream of ${rows} entries to an HTTPS receiver in the same process`;
    return figuresOf("25", "entries/s")(name, rates, { min: 5_000 });
  } finally {
    await receiver.close();
  }
}

/** Row 26: an archive written, read back, hashed and receipted; and a range restored. */
async function archiving(world: World, rows: number): Promise<Figure[]> {
  const orgId = await world.filled(rows);
  const store = await startStrictS3();
  const { secret, ...place } = STORE;
  try {
    const config = { ...place, endpoint: store.url, archive: true };
    const id = await start(world, orgId, { kind: "s3", config, secret });
    let value = 0;
    const grown = await growthOf(async () => {
      value = await rateOf(rows, () => sendThrough(id, rows));
    });
    const toSeq = Math.min(rows, MAX_RESTORED);
    const ctx = world.ctxOf(orgId);
    const begun = await beginRestoration(ctx, { orgId, fromSeq: 1, toSeq }, { isQueued: false });
    let restored = 0;
    const ms = await msOf(async () => {
      restored = (await restore(begun.id, AbortSignal.timeout(600_000)))?.rows ?? 0;
    });
    const figure = figuresOf("26", "entries/s");
    const written = {
      ...{ value, holds: grown <= 150 },
      detail: `${grown.toFixed(0)} MiB more, the store in the same process among them`,
    };
    const read = { value: (restored * 1_000) / ms, holds: restored === toSeq };
    return [
      figure(`${rows} entries archived, read back and receipted`, written, { min: 3_334 }),
      figure(`${toSeq} archived entries restored, each checked`, read, { min: 1_667 }),
    ];
  } finally {
    await store.close();
  }
}

async function run(world: World): Promise<Figure[]> {
  Object.assign(env(), { TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true });
  const rows = world.size.full ? 100 * OBJECT_ROWS : 2 * OBJECT_ROWS;
  return [await streaming(world, world.size.full ? 200_000 : rows), ...(await archiving(world, rows))];
}

export const streamBench: Bench = { rows: ["25", "26"], title: "streams and archive", run };
