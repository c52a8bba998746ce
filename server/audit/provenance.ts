import { GUID, withVisibleMarks } from "@/server/ground/text";

/**
 * Origin of an entry. The server records its own entries; POST /audit-logs/events accepts those of other programs, on
 * their word. The details say so under the checksum, and callers cannot set that member. Isomorphic.
 */
export const SUBMITTED_BY = "submittedBy";

/** API key that submitted an entry; null if the server recorded it. */
export type SubmittedBy = { keyId: string; name: string } | null;

type Details = Record<string, unknown>;

/**
 * Adds the submitting key to details, overriding the caller's and as the first member, because trimming cuts from the
 * end.
 */
export function withSubmitter(
  details: Details | null | undefined,
  { id, name }: { id: string; name: string },
): Details {
  const submitter = { [SUBMITTED_BY]: { id, name } };
  return Object.assign({ ...submitter }, details, submitter);
}

/** Submitter named in an entry's details. */
export function submittedByOf(details: Details): SubmittedBy {
  const { id, name }: { id?: unknown; name?: unknown } = Object(details[SUBMITTED_BY]);
  return typeof id === "string" && GUID.test(id) && typeof name === "string" ? { keyId: id, name } : null;
}

/** Submitter from details as text, parsed only if the member may be present; a forged proof may hold any text. */
export function submitterIn(details: string | null): SubmittedBy {
  if (!details?.includes(`"${SUBMITTED_BY}"`)) return null;
  try {
    return submittedByOf(Object(JSON.parse(details)));
  } catch {
    return null;
  }
}

/** Display name of a submitter: "key Billing". */
export const keyText = ({ name }: NonNullable<SubmittedBy>): string => `key ${withVisibleMarks(name)}`;

/** Prefix of a sentence about a submitted entry: "According to key Billing, "; "" for the server's own. */
export const accordingTo = (by: SubmittedBy): string => (by ? `According to ${keyText(by)}, ` : "");
