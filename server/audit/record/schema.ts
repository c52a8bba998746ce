import { z } from "zod";
import { actionLabel } from "@/server/audit/action-label";
import { ACTIONS } from "@/server/audit/actions";
import { SUBMITTED_BY } from "@/server/audit/provenance";
import { isAddress } from "@/server/audit/query/values";
import type { Field } from "@/server/audit/row";
import { ACTOR_TYPES, MAX_EVENTS_PER_REQUEST, MAX_LENGTH, RESULTS } from "@/server/audit/vocabulary";
import { columnText, filledText, guid, happenedAt } from "@/server/ground/wire";

const UNSEEN = /[\p{P}\p{S}\p{Z}\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** A name as a reader perceives it: without width, case, marks, punctuation and invisible characters. */
const skeletonOf = (name: string): string => name.normalize("NFKD").replace(UNSEEN, "").toLowerCase();

const RESERVED_MEMBERS = new Set([SUBMITTED_BY, "rawActorId", "rawResourceId"].map(skeletonOf));

/** True if a member of details looks like one set by the server. */
const isReservedMember = (name: string): boolean => RESERVED_MEMBERS.has(skeletonOf(name));

/** Submitted action codes exclude look-alike characters. */
const SUBMITTED_ACTION = /^[a-z0-9][a-z0-9_.:-]*$/;

/** Action families about the log and its retention, reserved for the server. */
const SERVER_FAMILY = /^(audit(logs)?|organization[.:]auditretention)[.:]/;
const isOfServerFamily = (action: string): boolean => SERVER_FAMILY.test(action.replace(/[_-]+/g, ""));

const readAs = (words: string): string => words.replace(/[^a-z0-9]/gi, "").toLowerCase();

/** Labels of the server's own action families, which a submitted action must not imitate. */
const SERVER_WORDS = new Set(
  Object.entries(ACTIONS).flatMap(([action, { does }]) =>
    isOfServerFamily(action) ? [readAs(does), readAs(actionLabel(action))] : [],
  ),
);

/** True if an action is the server's own, by code or by its displayed words. */
const isServerAction = (action: string): boolean =>
  isOfServerFamily(action) || SERVER_WORDS.has(readAs(actionLabel(action)));

/** One event of POST /audit-logs/events. Unknown members are refused: a misspelled one would be lost for good. */
const submittedEvent = z.strictObject({
  id: guid.nullish(),
  orgId: guid.nullish(),
  timestamp: happenedAt.nullish(),
  actorType: z.enum(ACTOR_TYPES),
  actorId: filledText(MAX_LENGTH.rawId),
  actorEmail: columnText(MAX_LENGTH.actorEmail).nullish(),
  action: filledText(MAX_LENGTH.action)
    .regex(SUBMITTED_ACTION, "must be lower-case letters, digits and _ . : -, and begin with a letter or digit")
    .refine((action) => !isServerAction(action), "is recorded by the server alone"),
  resourceType: filledText(MAX_LENGTH.resourceType),
  resourceId: filledText(MAX_LENGTH.rawId).nullish(),
  resourceName: columnText(MAX_LENGTH.resourceName).nullish(),
  details: z
    .record(z.string(), z.unknown())
    .superRefine((details, context) => {
      for (const name of Object.keys(details).filter(isReservedMember))
        context.addIssue({ code: "custom", path: [name], message: "is set by the server" });
    })
    .nullish(),
  ipAddress: columnText(MAX_LENGTH.ipAddress)
    .refine((ip) => ip === "" || isAddress(ip), "is neither an IPv4 nor an IPv6 address")
    .nullish(),
  userAgent: columnText(MAX_LENGTH.userAgent).nullish(),
  result: z.enum(RESULTS),
  errorMessage: columnText(MAX_LENGTH.errorMessage).nullish(),
} satisfies Record<Field, z.ZodType>);
export type SubmittedEvent = z.output<typeof submittedEvent>;

/** Body of POST /audit-logs/events. */
export const submitInput = z.strictObject({ events: z.array(submittedEvent).min(1).max(MAX_EVENTS_PER_REQUEST) });

/** accepted counts stored events, including those stored before. */
export const submitOutput = z.strictObject({
  accepted: z.int(),
  rejected: z.array(
    z.strictObject({
      index: z.int(),
      id: guid.nullable(),
      code: z.enum(["id_conflict", "no_organization"]),
      message: z.string(),
    }),
  ),
});
