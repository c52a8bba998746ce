import { randomUUID } from "node:crypto";
import type { AnyDestination } from "@/server/notify/streams/destinations";
import type { Batch, Outcome } from "@/server/notify/streams/destinations/destination";
import type { BatchMarker } from "@/server/notify/streams/formats/format";

const ORGANIZATION = { id: "5b0c1c3e-7f6d-4d5f-9c31-1f2a3b4c5d6e", name: "Northwind", slug: "northwind" };

/** A batch of entries and its marker; by default a minute old. */
export function createBatch({ rows = 3, first = 1, at = new Date(Date.now() - 60_000) } = {}): Batch {
  const id = randomUUID();
  const last = first + rows - 1;
  const marker: BatchMarker = {
    type: "trailmark.batch",
    ...{ batch: id, orgId: ORGANIZATION.id, at: new Date().toISOString(), first, last, rows },
    ...{ filtered: [], previous: null, digest: "ab".repeat(32), checkpoint: null },
  };
  const entries = Array.from({ length: rows }, (_, i) => {
    const seq = first + i;
    const text = `{"type":"trailmark.entry.v1","chainSeq":${seq},"details":{"exact":1.10,"text":"grüße \\"x\\"]"}}`;
    return { id: `entry-${seq}`, seq, time: at, text };
  });
  const end = { id, seq: null, time: new Date(), text: JSON.stringify(marker) };
  return { id, organization: ORGANIZATION, lines: [...entries, end], mediaType: "application/json", marker };
}

type Given = { secret?: string; now?: Date; signal?: AbortSignal };

/** A destination with settings, as called by the stream's sender. */
export function withConfig(destination: AnyDestination, input: object, given: Given = {}) {
  const config = destination.config.parse(input);
  const target = () => ({
    config,
    secrets: given.secret === undefined ? [] : [given.secret],
    now: given.now ?? new Date(),
    signal: given.signal ?? AbortSignal.timeout(60_000),
  });
  return {
    send: (batch: Batch): Promise<Outcome> => destination.send(target(), batch),
    check: () => destination.check(target()),
  };
}

/** Settings of a process without a server, allowing destinations on this machine. */
export const LOOPBACK_SETTINGS = {
  DATABASE_URL: "postgres://nobody@127.0.0.1/none",
  NEXTAUTH_SECRET: "s".repeat(32),
  NEXTAUTH_URL: "http://127.0.0.1:3000",
  TRAILMARK_WEBHOOKS_PRIVATE: "true",
  TRAILMARK_WEBHOOKS_HTTP: "true",
};
