import { z } from "zod";
import { guid, isoTime } from "@/server/ground/wire";

/** Default and maximum lifetime of a link, in days. */
export const DEFAULT_LINK_DAYS = 90;
export const MAX_LINK_DAYS = 3_650;
/** Longer links need a recent identity check in a browser session. */
export const MAX_UNPROVEN_DAYS = 30;
/** Open links per entry. */
export const MAX_LINKS_PER_ENTRY = 50;
export const MAX_LISTED_LINKS = 200;

export const shareInput = z.strictObject({
  id: guid,
  days: z.number().int().min(1).max(MAX_LINK_DAYS).default(DEFAULT_LINK_DAYS),
});

export const listInput = z.strictObject({ id: guid });

/** A link to the proof of an entry, without its secret. */
const proofLink = z.strictObject({
  id: guid,
  entryId: guid,
  chainSeq: z.int(),
  createdByName: z.string(),
  createdAt: isoTime,
  expiresAt: isoTime,
  revokedAt: isoTime.nullable(),
  openings: z.int(),
  lastOpenedAt: isoTime.nullable(),
});
export type ProofLink = z.output<typeof proofLink>;

/** The only answer with the path and its secret. */
export const createdLink = proofLink.extend({ path: z.string() });
export const proofLinkList = z.strictObject({ data: z.array(proofLink) });

/** Token after /p/ in a link. */
export const openInput = z.strictObject({ token: z.string().max(200) });
