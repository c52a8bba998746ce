import { createHash } from "node:crypto";
import type { Ctx } from "./context";
import { AppError } from "./errors";

const ETAG_CHARS = 22;

/** The strong ETag of settings (RFC 9110, 8.8.3), as JSON writes them: the same settings have the same one. */
export const etagOf = (settings: unknown): string =>
  `"${createHash("sha256").update(JSON.stringify(settings)).digest("base64url").slice(0, ETAG_CHARS)}"`;

/** The settings of a row by the time of their last change, for what is about it and changes by itself. */
export const versionOf = ({ id, updatedAt }: { id: string; updatedAt: Date | string }) => ({ id, updatedAt });

/** The ETags of an If-Match header; undefined for any. Proxies that compress mark them as weak, which changes no settings. */
export function matchedBy(header: string | null): string[] | undefined {
  if (header === null || header.trim() === "*") return undefined;
  return header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
}

/**
 * Refuses a change that was made of other settings than those that stand, read in the transaction that locks them.
 * @param settings as `version` of the operation picks them from its answer
 * @throws AppError precondition_failed where If-Match names neither
 */
export function requireMatch({ ifMatch }: Pick<Ctx, "ifMatch">, settings: unknown): void {
  if (ifMatch && !ifMatch.includes(etagOf(settings))) throw new AppError("precondition_failed");
}
