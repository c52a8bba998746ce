import { z } from "zod";
import { isObject } from "@/server/records";
import { repairJson } from "@/server/text";
import { canonicalLevel, type Descriptor, type Entry, LIVE_LEVELS } from "./schema";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const count = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);

const agentDescriptor = z
  .object({
    name: z.string().min(1),
    displayName: text,
    recordCount: count,
    maxSize: count,
    retentionDays: count,
    lastWriteTime: text,
  })
  .transform((log): Descriptor => ({ ...log, displayName: log.displayName || log.name }));

const agentEntry = z.object({
  recordId: z.number(),
  timeCreated: z.string().min(1),
  /** Some logs know levels that the specification does not. */
  level: z
    .unknown()
    .optional()
    .transform((value) => (typeof value === "string" && canonicalLevel(value)) || LIVE_LEVELS[0]),
  source: text,
  eventId: count,
  message: text,
  category: text,
  user: z
    .string()
    .nullish()
    .transform((value) => value ?? null),
  computer: text,
  rawXml: text,
}) satisfies z.ZodType<Entry>;

/** An array as it is, or under the one member that holds it. */
const listUnder = <T extends z.ZodType>(members: readonly string[], item: T) =>
  z.preprocess((value) => {
    if (!isObject(value)) return value;
    return members.map((name) => value[name]).find(Array.isArray) ?? value;
  }, z.array(item));

const logList = listUnder(["logs", "data"], agentDescriptor);
const entryList = listUnder(["events", "entries", "data"], agentEntry);
const totalMember = z.object({ total: z.int().min(0) });
const oneEntry = z.union([agentEntry, z.object({ event: agentEntry }).transform(({ event }) => event)]);

/** What an agent's answer turned out to be; issues say where it is wrong, never what is there. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; issues: string[] };

function parsed<T>(schema: z.ZodType<T>, data: unknown): Parsed<T> {
  const result = schema.safeParse(repairJson(data));
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.slice(0, 5).map((issue) => `${issue.path.join(".") || "data"}: ${issue.message}`);
  return { ok: false, issues };
}

/** Data of eventlogs.list: descriptors, bare or under `logs`. */
export const parseLogs = (data: unknown): Parsed<Descriptor[]> => parsed(logList, data);

/** Data of eventlogs.get: an entry, bare or under `event`. */
export const parseEntry = (data: unknown): Parsed<Entry> => parsed(oneEntry, data);

/**
 * Data of eventlogs.query: `{events, total}`. Without a total what is known to exist counts; an agent that does not page
 * by itself is paged here.
 */
export function parseEntries(
  data: unknown,
  { page, limit }: { page: number; limit: number },
): Parsed<{ entries: Entry[]; total: number }> {
  const list = parsed(entryList, data);
  if (!list.ok) return list;
  const all = list.value;
  const total = totalMember.safeParse(data);
  const skipped = (page - 1) * limit;
  if (all.length > limit)
    return {
      ok: true,
      value: { entries: all.slice(skipped, skipped + limit), total: total.success ? total.data.total : all.length },
    };
  return { ok: true, value: { entries: all, total: total.success ? total.data.total : skipped + all.length } };
}

/** An agent's own words, fit for one line of an answer: no control characters, not long. */
export function sanitize(message: string): string {
  const line = repairJson<string>(message).replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\s]+/gu, " ");
  return line.trim().slice(0, 200);
}
