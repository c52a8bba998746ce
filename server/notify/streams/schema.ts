import { z } from "zod";
import { filterInput, filterShape } from "@/server/audit/schema";
import { adminPage, displayName, guid, instant, isoTime, overlapSeconds, pagination } from "@/server/ground/wire";
import { CHECK_STEPS, STREAM_FORMAT_NAMES, STREAM_KIND_NAMES, STREAM_STATES } from "./vocabulary";

const MAX_SECRET_LENGTH = 16_384;
const MAX_HOLD_DAYS = 365;

const kind = z.enum(STREAM_KIND_NAMES);
const format = z.enum(STREAM_FORMAT_NAMES);
const config = z.record(z.string(), z.unknown());
const secret = z.string().min(1).max(MAX_SECRET_LENGTH);
const holdDays = z.int().min(1).max(MAX_HOLD_DAYS).nullish();
const { orgId: _, from: __, to: ___, ...filters } = filterShape;

/**
 * Parameters of the audit list, without organization and time. Stored as written: names are looked up when entries are
 * read.
 */
const filter = z.strictObject(filters);
const keptFilter = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    const parsed = filter.safeParse(value);
    for (const { path, message } of parsed.error?.issues ?? [])
      context.addIssue({ code: "custom", path: [...path], message });
  })
  .meta({ example: { excludeActions: ["agent.heartbeat"] } });

/** A stored filter for the log's queries. */
export const readFilter = (kept: Record<string, unknown>) => filterInput.parse(kept);

export const listInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

const start = z.union([z.enum(["now", "beginning"]), instant], "must be now, beginning or a time");

/**
 * Body of POST /streams. Without orgId the stream covers its creator's reach: one organization, or all of the
 * partner's, including new ones. start: the next entry, the oldest, or the oldest since a time.
 */
export const createInput = z.strictObject({
  name: displayName.meta({ example: "SIEM" }),
  kind,
  config: config.meta({ example: { url: "https://siem.example.com/ingest" } }),
  secret: secret.optional(),
  format: format.default("native"),
  filter: keptFilter.default({}),
  orgId: guid.nullish(),
  partnerId: guid.optional(),
  start: start.default("now"),
  holdDays,
});

/**
 * Body of PATCH /streams/:id; omitted members stay. locked: only callers who reach the whole partner may change it.
 * start: drafts only.
 */
export const updateInput = z.strictObject({
  id: guid,
  name: displayName.optional(),
  config: config.optional(),
  format: format.optional(),
  filter: keptFilter.optional(),
  holdDays,
  locked: z.boolean().optional(),
  start: start.optional(),
});

/** Body of POST /streams/:id/check. Without starts the stream's state stays. */
export const checkInput = z.strictObject({ id: guid, starts: z.boolean().default(true) });

/** Body of POST /streams/:id/rotate: the new secret; without one, a signing destination gets a generated one. */
export const rotateInput = z.strictObject({ id: guid, secret: secret.optional(), overlapSeconds });

/**
 * Body of POST /streams/:id/replay: sends a part of one chain again, both ends included. orgId: for a partner's stream.
 */
export const replayInput = z.strictObject({
  id: guid,
  orgId: guid.optional(),
  fromSeq: z.int().positive(),
  toSeq: z.int().positive(),
  reason: z.string().max(500).optional(),
});

/** Body of POST /streams/preview: three entries of an organization in a format. */
export const previewInput = z.strictObject({
  orgId: guid.optional(),
  format: format.default("native"),
  filter: keptFilter.default({}),
});

export const pagedIdInput = z.object({ id: guid, ...adminPage });

const lag = z.strictObject({
  entries: z.int().meta({ description: "Sealed entries that were not acknowledged, filtered ones included" }),
  seconds: z.number().meta({ description: "Since when the oldest of them is sealed" }),
});

/**
 * A stream without its secret. target: short description of the receiver. acknowledges: whether the receiver confirms
 * storage. config is null for a caller who reaches less than the stream covers.
 */
export const stream = z.strictObject({
  id: guid,
  name: z.string(),
  kind,
  target: z.string(),
  acknowledges: z.boolean(),
  config: config.nullable(),
  format,
  filter: z.record(z.string(), z.unknown()),
  orgId: guid.nullable(),
  partnerId: guid,
  holdDays: z.int().nullable(),
  locked: z.boolean(),
  state: z.enum(STREAM_STATES),
  stateCode: z.string().nullable(),
  stateMessage: z.string().nullable(),
  stateSince: isoTime,
  lag,
  acknowledgedAt: isoTime.nullable(),
  nextAttemptAt: isoTime.nullable(),
  checkedAt: isoTime.nullable(),
  formerUntil: isoTime.nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Stream = z.output<typeof stream>;

/** The only answer with a generated secret. */
export const createdStream = stream.extend({
  secret: z.string().nullable().meta({
    description: "The signing secret (Standard Webhooks), shown in this answer alone; null where you gave the secret",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  }),
});

export const streamPage = z.strictObject({ data: z.array(stream), pagination });

const checkStep = z.strictObject({
  step: z.enum(CHECK_STEPS),
  ok: z.boolean(),
  message: z.string(),
  ms: z.int().nullable(),
});
export type CheckStep = Omit<z.output<typeof checkStep>, "ms">;
export const checkResult = z.strictObject({ ok: z.boolean(), steps: z.array(checkStep), stream });

/** A batch, acknowledged or being tried. */
export const batch = z.strictObject({
  id: guid,
  orgId: guid,
  replayId: guid.nullable(),
  number: z.int(),
  first: z.int(),
  last: z.int(),
  rows: z.int(),
  filtered: z.int(),
  bytes: z.int(),
  digest: z.string(),
  attempts: z.int(),
  code: z.string().nullable(),
  error: z.string().nullable(),
  receipt: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable(),
  createdAt: isoTime,
  acknowledgedAt: isoTime.nullable(),
});
export const batchPage = z.strictObject({ data: z.array(batch), pagination });

/** Entries that the stream will never deliver. */
export const gap = z.strictObject({
  id: guid,
  orgId: guid,
  first: z.int(),
  last: z.int(),
  reason: z.enum(["retention", "refused"]),
  message: z.string().nullable(),
  createdAt: isoTime,
});
export const gapPage = z.strictObject({ data: z.array(gap), pagination });

export const replayStarted = z.strictObject({ replayId: guid });
export const previewResult = z.strictObject({ lines: z.array(z.string()) });
