import { z } from "zod";
import type { ActionCode } from "@/server/audit/actions";
import type { ActorType } from "@/server/audit/vocabulary";
import { HOUR_MS } from "@/server/ground/time/durations";
import { filterText, guid, isoTime, pageShape, pagination, wordsFilter } from "@/server/ground/wire";
import { STREAM_STATES } from "@/server/notify/streams/vocabulary";

const OVERVIEW_LIMIT = 100;
/** The Organizations page requests one page of this size: a thousand organizations and the partner's own staff. */
export const MAX_OVERVIEW_LIMIT = 1_001;
/** A device is silent if its agent was not heard for this long. */
export const SILENT_AFTER_HOURS = 24;
/** Entries without a checkpoint for this long need attention; the signer runs every minute. */
export const CHECKPOINT_LATE_MS = 15 * 60_000;
/** Time after which a missed removal by the daily run counts as overdue. */
export const RETENTION_OVERDUE_MS = 48 * HOUR_MS;
/** Retention usually promised to customers; shorter ones are pointed out. */
export const USUAL_RETENTION_DAYS = 365;

export const SHOWN = ["attention", "chain", "retention", "silent"] as const;
export type Shown = (typeof SHOWN)[number];
export const SORTS = [
  "attention",
  "name",
  "checked",
  "retention",
  "oldest",
  "growth",
  "failures",
  "denied",
  "devices",
  "storage",
] as const;
export type Sort = (typeof SORTS)[number];

/**
 * Query of GET /orgs/overview. show: any of `attention`, `chain` (broken or unverified), `retention` (under 365 days or
 * none) and `silent` (a device was not heard for a day), comma-separated: organizations that are one of them.
 */
export const overviewInput = z.object({
  orgId: guid.optional(),
  search: filterText,
  show: wordsFilter(SHOWN),
  sort: z.enum(SORTS).default("attention"),
  order: z.enum(["asc", "desc"]).default("asc"),
  ...pageShape(OVERVIEW_LIMIT, MAX_OVERVIEW_LIMIT),
});

/** The known states of a chain, worst first. */
export const CHAIN_STATUSES = ["broken", "unproven", "not_checked", "intact", "empty"] as const;

/** How many chains are in each state, worst first. */
export const chainCounts = z.array(z.strictObject({ status: z.enum(CHAIN_STATUSES), count: z.int() }));
export type ChainCounts = z.output<typeof chainCounts>;

/**
 * lastFullCheck: last reading of the whole chain at once; lastCheckedAt: that or the nightly run, whichever is newer;
 * lastCheckedEntries: entries read by it.
 */
const chain = z.strictObject({
  status: z.enum(CHAIN_STATUSES),
  throughSeq: z.int().nullable(),
  entriesUnread: z.int(),
  reasons: z.array(z.string()),
  lastFullCheck: z.strictObject({ at: isoTime, status: z.enum(["intact", "broken", "unproven", "empty"]) }).nullable(),
  lastCheckedAt: isoTime.nullable(),
  lastCheckedEntries: z.int().nullable(),
});

/** Newest signed checkpoint; unsigned: entries after it, the first recorded at unsignedSince. */
const checkpoint = z.strictObject({
  seq: z.int(),
  signedAt: isoTime,
  unsigned: z.int(),
  unsignedSince: isoTime.nullable(),
});

/** For the newest checkpoint. not_configured: no witness is required; missing: too few have cosigned it. */
const witness = z.strictObject({
  state: z.enum(["not_configured", "cosigned", "missing", "no_checkpoint"]),
  cosigners: z.array(z.strictObject({ name: z.string(), at: isoTime })),
});

/** isDue: the next run would remove at least one entry. */
const retention = z.strictObject({
  configured: z.boolean(),
  retentionDays: z.int().nullable(),
  lastCleanupAt: isoTime.nullable(),
  isDue: z.boolean(),
});

/** Entries recorded since a time; retention may have removed some of them. */
const growth = z.strictObject({ entries: z.int(), since: isoTime }).nullable();

/** Worst first. */
export const ATTENTIONS = [
  "chain_broken",
  "chain_unproven",
  "chain_not_checked",
  "checkpoint_late",
  "witness_missing",
  "retention_overdue",
  "retention_none",
  "retention_short",
  "devices_silent",
] as const;
const attention = z.strictObject({ code: z.enum(ATTENTIONS), text: z.string() });
export type Attention = z.output<typeof attention>;

/**
 * Overview of one organization. bytes is an estimate from table statistics, with indexes; growth covers the last 7 and
 * 30 days, null without checkpoints; failures and denials are of the last 24 hours by timestamp; devices are null
 * without devices:read, offline includes silent (not heard for 24 hours); leavesTo are the streams with its entries,
 * including the partner's.
 */
const organizationOverview = z.strictObject({
  orgId: guid,
  name: z.string(),
  isHome: z.boolean(),
  chain,
  checkpoint: checkpoint.nullable(),
  witness,
  retention,
  entries: z.int(),
  bytes: z.int(),
  oldestAt: isoTime.nullable(),
  growth: z.strictObject({ week: growth, month: growth }),
  failures: z.int(),
  denied: z.int(),
  devices: z.strictObject({ online: z.int(), offline: z.int(), silent: z.int() }).nullable(),
  leavesTo: z.array(
    z.strictObject({ streamId: guid, name: z.string(), target: z.string(), state: z.enum(STREAM_STATES) }),
  ),
  attention: z.array(attention),
});
export type OrganizationOverview = z.output<typeof organizationOverview>;

/** pruningEnabled: without the admin connection nothing is ever removed, regardless of the policies. */
export const overviewPage = z.strictObject({
  data: z.array(organizationOverview),
  pagination,
  counts: z.strictObject({
    organizations: z.int(),
    attention: z.int(),
    chain: z.int(),
    retention: z.int(),
    silent: z.int(),
    broken: z.int(),
  }),
  pruningEnabled: z.boolean(),
  readAt: isoTime,
});
export type OverviewPage = z.output<typeof overviewPage>;

/** Kinds of lines on Today, most urgent first. */
export const TODAY_KINDS = [
  "alert",
  "chain",
  "failure",
  "denied",
  "new_address",
  "privileged",
  "silent",
  "retention",
] as const;
export type TodayKind = (typeof TODAY_KINDS)[number];

/** Changes to rights, retention and monitoring: rare, and an intruder's first step. */
export const PRIVILEGED_ACTIONS = [
  "user.permission.change",
  "user.two_factor.disable",
  "api_key.create",
  "partner.update",
  "organization.audit_retention.update",
  "stream.update",
  "stream.pause",
  "stream.delete",
  "webhook.update",
  "webhook.disable",
  "detection.rule.update",
  "detection.rule.delete",
  "detection.exception.create",
] satisfies ActionCode[];

/** Agents' addresses change by themselves. */
export const NEW_ADDRESS_TYPES = ["user", "api_key"] satisfies ActorType[];

export const todayInput = z.object({ orgId: guid.optional() });

/**
 * count: entries, alerts or devices, or organizations for their chain and retention; usual: mean per day, if the line
 * compares. organizations: those concerned, largest count first.
 */
export const today = z.strictObject({
  since: isoTime,
  organizations: z.int(),
  lines: z.array(
    z.strictObject({
      kind: z.enum(TODAY_KINDS),
      count: z.int(),
      usual: z.int().nullable(),
      organizations: z.array(z.strictObject({ orgId: guid, name: z.string() })),
    }),
  ),
});
export type Today = z.output<typeof today>;
