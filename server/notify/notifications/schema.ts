import { z } from "zod";
import { adminPage, choiceFilter, guid, isoTime, pagination } from "@/server/ground/wire";
import { KIND_NAMES } from "@/server/notify/vocabulary";

const kind = z.enum(KIND_NAMES);
const STATUSES = ["open", "resolved"] as const;

/** Query of GET /notifications. */
export const listInput = z.strictObject({
  orgId: guid.optional(),
  status: choiceFilter(STATUSES),
  kind: choiceFilter(KIND_NAMES),
  ...adminPage,
});

/**
 * A condition of an organization from start to end. `isRead` is the caller's, false for programs; an end is unread
 * again. `batch` is shared by simultaneous findings.
 */
export const notification = z.strictObject({
  id: guid,
  orgId: guid,
  organization: z.string(),
  kind,
  label: z.string().meta({ example: "Broken chain" }),
  status: z.enum(STATUSES),
  sentence: z.string().meta({
    description: "What was seen when it was raised",
    example: "The audit chain of Contoso is broken. The first contradiction found is at entry 1,204.",
  }),
  resolution: z.string().nullable().meta({ description: "What was seen when it was over" }),
  since: isoTime.meta({ description: "When the condition was first seen" }),
  raisedAt: isoTime,
  resolvedAt: isoTime.nullable(),
  batch: z.int(),
  isRead: z.boolean(),
  link: z
    .string()
    .meta({ description: "The page where to look", example: "https://trailmark.example.com/integrity?orgId=…" }),
});
export type Notification = z.output<typeof notification>;

export const notificationPage = z.strictObject({ data: z.array(notification), pagination });

/** Unread and open notifications in the caller's reach and settings; simultaneous findings count once. */
export const summary = z.strictObject({ unread: z.int(), open: z.int() });
export const summaryInput = z.strictObject({ orgId: guid.optional() });

const MAX_READ_AT_ONCE = 1000;

/**
 * Body of POST /notifications/read; without ids, all notifications visible to the caller, optionally of one
 * organization.
 */
export const readInput = z.strictObject({
  ids: z.array(guid).max(MAX_READ_AT_ONCE).optional(),
  orgId: guid.optional(),
});

const kinds = z
  .array(kind)
  .max(100)
  .transform((list) => [...new Set(list)]);
const MAX_ORGANIZATIONS = 1000;

/** Body of PUT /me/notification-settings; organizationIds null: every organization in the caller's reach. */
export const settingsInput = z.strictObject({
  productKinds: kinds.optional().meta({ example: ["chain.broken", "chain.unproven"] }),
  mailKinds: kinds.optional().meta({ example: ["chain.broken"] }),
  organizationIds: z.array(guid).min(1).max(MAX_ORGANIZATIONS).nullish(),
});

/** By default people are notified of all but noisy kinds, and administrators of urgent ones by mail. */
export const settings = z.strictObject({
  productKinds: z.array(kind),
  mailKinds: z.array(kind),
  organizationIds: z.array(guid).nullable(),
  mailConfigured: z.boolean().meta({ description: "Whether this installation can send mail at all" }),
});
export type Settings = z.output<typeof settings>;
