import { createHash } from "node:crypto";
import type { Ctx } from "./context";
import { AppError } from "./errors";

const ETAG_CHARS = 22;

/** Strong ETag of settings (RFC 9110, 8.8.3) from their JSON. */
export const etagOf = (settings: unknown): string =>
  `"${createHash("sha256").update(JSON.stringify(settings)).digest("base64url").slice(0, ETAG_CHARS)}"`;

/** Version of a row's settings by its last change, for rows with other changing members. */
export const versionOf = ({ id, updatedAt }: { id: string; updatedAt: Date | string }) => ({ id, updatedAt });

/**
 * ETags of an If-Match header; undefined for any. Compressing proxies mark them as weak, which does not change the
 * settings.
 */
export function matchedBy(header: string | null): string[] | undefined {
  if (header === null || header.trim() === "*") return undefined;
  return header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
}

/**
 * Refuses a change based on outdated settings; called with the settings read in the locking transaction.
 * @param settings as the operation's `version` selects them from its answer
 * @throws AppError precondition_failed if If-Match does not name them
 */
export function requireMatch({ ifMatch }: Pick<Ctx, "ifMatch">, settings: unknown): void {
  if (ifMatch && !ifMatch.includes(etagOf(settings))) throw new AppError("precondition_failed");
}
