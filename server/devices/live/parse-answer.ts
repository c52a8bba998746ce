import { z } from "zod";
import type { FieldError } from "@/server/ground/errors";
import { isObject } from "@/server/ground/records";
import { repairJson } from "@/server/ground/text";
import { canonicalLevel, type Descriptor, type Entry, LIVE_LEVELS, type Searched, searched } from "./schema";

/** Windows has about 1,200. */
const MAX_LOGS = 5_000;
/** Faults listed per member. */
const MAX_ISSUES = 5;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const count = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);

/** Our extension: another agent may use the name for something else, which must not invalidate its answer. */
const agentSearched = z.object(searched.shape).optional().catch(undefined);

const agentDescriptor = z
  .object({
    name: z.string().min(1),
    displayName: text,
    recordCount: count,
    maxSize: count,
    retentionDays: count,
    lastWriteTime: text,
    searched: agentSearched,
  })
  .transform((log): Descriptor => ({ ...log, displayName: log.displayName || log.name }));

const agentEntry = z.object({
  recordId: z.number(),
  timeCreated: z.string().min(1),
  /** Some logs have levels outside the specification. */
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

const pageMembers = z.object({ total: z.int().min(0).nullish(), searched: agentSearched });
const oneEntry = z.union([agentEntry, z.object({ event: agentEntry }).transform(({ event }) => event)]);

/** Result of parsing an agent's answer; issues contain paths, never values. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; issues: FieldError[] };

/** Ignores unused data, which may be megabytes. */
function parsed<T>(schema: z.ZodType<T>, data: unknown, at: PropertyKey[] = []): Parsed<T> {
  const result = schema.safeParse(data);
  if (result.success) return { ok: true, value: repairJson(result.data) };
  const { issues } = result.error;
  const first = issues.slice(0, MAX_ISSUES);
  return {
    ok: false,
    issues: first.map(({ path, message }) => ({ path: ["data", ...at, ...path].join("."), message })),
  };
}

/** Stops at the first fault: half a million wrong items would block other requests for seconds. */
function parsedItems<T>(item: z.ZodType<T>, list: readonly unknown[]): Parsed<T[]> {
  const value: T[] = [];
  for (const [index, data] of list.entries()) {
    const one = parsed(item, data, [index]);
    if (!one.ok) return one;
    value.push(one.value);
  }
  return { ok: true, value };
}

/** An array on its own, or under its only member. */
function listUnder(members: readonly string[], data: unknown): unknown[] | null {
  if (Array.isArray(data)) return data;
  return (isObject(data) && members.map((name) => data[name]).find(Array.isArray)) || null;
}

const refused = (message: string): { ok: false; issues: FieldError[] } => ({
  ok: false,
  issues: [{ path: "data", message }],
});

/** Data of eventlogs.list: descriptors, directly or under `logs`. */
export function parseLogs(data: unknown): Parsed<Descriptor[]> {
  const list = listUnder(["logs", "data"], data);
  if (!list) return refused("must be a list of logs");
  return list.length > MAX_LOGS ? refused(`has more than ${MAX_LOGS} logs`) : parsedItems(agentDescriptor, list);
}

/** Data of eventlogs.get: an entry, directly or under `event`. */
export const parseEntry = (data: unknown): Parsed<Entry> => parsed(oneEntry, data);

/**
 * Data of eventlogs.query: `{events, total, searched?}`. Without a total the known entries count; agents that do not
 * page are paged here.
 */
export function parseEntries(
  data: unknown,
  { page, limit }: { page: number; limit: number },
): Parsed<{ entries: Entry[]; total: number; searched?: Searched }> {
  const all = listUnder(["events", "entries", "data"], data);
  if (!all) return refused("must be a list of events");
  const declared = Array.isArray(data) ? null : parsed(pageMembers, data);
  if (declared?.ok === false) return declared;
  const skipped = (page - 1) * limit;
  const isWhole = all.length > limit;
  const entries = parsedItems(agentEntry, isWhole ? all.slice(skipped, skipped + limit) : all);
  if (!entries.ok) return entries;
  const total = declared?.value.total ?? (isWhole ? all.length : skipped + all.length);
  return { ok: true, value: { entries: entries.value, total, searched: declared?.value.searched } };
}

const paging = z.object({ page: z.number(), limit: z.number() });

/** Faults in an answer to a command; empty if valid. */
export function issuesIn(command: { name: string; params: string }, data: unknown): FieldError[] {
  const found =
    command.name === "eventlogs.list"
      ? parseLogs(data)
      : command.name === "eventlogs.get"
        ? parseEntry(data)
        : parseEntries(data, paging.parse(JSON.parse(command.params)));
  return found.ok ? [] : found.issues;
}

/** An agent's message shortened to one line without control characters. */
export function sanitize(message: string): string {
  const line = repairJson<string>(message).replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\s]+/gu, " ");
  return [...line.trim()].slice(0, 200).join("");
}
