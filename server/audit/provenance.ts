import { GUID, withVisibleMarks } from "@/server/ground/text";

/**
 * Where an entry comes from. The server records its own entries; POST /audit-logs/events takes over those of others, whose
 * word they are. The row says so in its details, under the checksum, and nobody else can write that member. Isomorphic.
 */
export const SUBMITTED_BY = "submittedBy";

/** The API key that submitted an entry; null for an entry that the server itself recorded. */
export type SubmittedBy = { keyId: string; name: string } | null;

type Details = Record<string, unknown>;

/** Details with the key that submits them: their last word, and their first member, as cleaning cuts what is behind. */
export function withSubmitter(
  details: Details | null | undefined,
  { id, name }: { id: string; name: string },
): Details {
  const submitter = { [SUBMITTED_BY]: { id, name } };
  return Object.assign({ ...submitter }, details, submitter);
}

/** The submitter that an entry's details name. */
export function submittedByOf(details: Details): SubmittedBy {
  const { id, name }: { id?: unknown; name?: unknown } = Object(details[SUBMITTED_BY]);
  return typeof id === "string" && GUID.test(id) && typeof name === "string" ? { keyId: id, name } : null;
}

/** The same of details as text, taken apart only where the member may be in it; a forged proof may hold any text. */
export function submitterIn(details: string | null): SubmittedBy {
  if (!details?.includes(`"${SUBMITTED_BY}"`)) return null;
  try {
    return submittedByOf(Object(JSON.parse(details)));
  } catch {
    return null;
  }
}

/** The name of a submitter as people read it: "key Billing". */
export const keyText = ({ name }: NonNullable<SubmittedBy>): string => `key ${withVisibleMarks(name)}`;

/** What a sentence begins with that the server did not see happen: "According to key Billing, "; "" for its own word. */
export const accordingTo = (by: SubmittedBy): string => (by ? `According to ${keyText(by)}, ` : "");
