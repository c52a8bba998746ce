import { VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import type { Trust } from "@/server/evidence/proofs/judge-proof";

/** How `verify` was called, regardless of what the file is. */
export type VerifyOptions = { trust: Trust; json: boolean };

/** The verdicts' exit codes and words, the same for bundles and for proofs of entries. */
export const EXIT_CODE = { intact: 0, empty: 0, broken: 1, unreadable: 2, unproven: 3 } as const;
/** A verdict as it is printed. */
export const wordOf = (status: keyof typeof EXIT_CODE): string => VERDICT_WORD[status].toUpperCase();
