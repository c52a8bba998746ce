import type { z } from "zod";
import type { BatchMarker } from "@/server/notify/streams/formats/format";
import type { OnStep } from "@/server/notify/webhooks/post";

/** One line to send: an entry in the stream's format, or the batch's marker (without `seq`). */
export type Line = { id: string; seq: number | null; time: Date; text: string };

/**
 * What one attempt sends. It has the same id, lines and bytes at every attempt, also after a crash.
 * mediaType: of a single line; JSON formats have application/json.
 */
export type Batch = {
  id: string;
  organization: { id: string; name: string; slug: string };
  lines: Line[];
  mediaType: string;
  marker: BatchMarker;
};

/**
 * What became of an attempt. `again` waits and tries (code: status or error code; retryAfterMs: what the receiver asked
 * for). `blocked` waits for a person and drops nothing. `disabled`: the receiver wants no more. `too_large`: halve the
 * batch. `refused`: these rows alone were refused by the receiver; all others are stored.
 * receipt: what the receiver gave as proof (ackId, ETag, version, status).
 */
export type Outcome =
  | { kind: "acknowledged"; receipt: Record<string, string | number | null> }
  | { kind: "again"; code: string; message: string; retryAfterMs?: number }
  | { kind: "blocked"; code: string; message: string }
  | { kind: "disabled"; code: string; message: string }
  | { kind: "too_large"; code: string; message: string }
  | { kind: "refused"; rows: { seq: number; message: string }[] };

/** One step of the check that the wizard shows: the address, the connection, TLS, signing in, writing, acknowledgement. */
export type CheckStep = {
  step: "address" | "connect" | "tls" | "sign_in" | "write" | "acknowledge";
  ok: boolean;
  message: string;
};

/** secrets: the current one first, then a former one while it still holds. */
export type Target<Config> = {
  config: Config;
  secrets: readonly string[];
  now: Date;
  signal: AbortSignal;
  onStep?: OnStep;
};

/** Where batches go: another one is a file that exports this, and a line in DESTINATIONS. */
export type Destination<Config = unknown> = {
  /** Settings without secrets, as the REST body's `config`. */
  config: z.ZodType<Config>;
  /** Name and shape of the one secret of the destination (token, key, password); null where it has none. */
  secret: { label: string; schema: z.ZodType<string>; isOptional?: true } | null;
  /**
   * Where we choose the secret: the one to keep, of what a person gave or the former one holds of it, and what is shown
   * of it once.
   */
  createSecret?: (given: string | undefined, former?: string) => { secret: string; shown: string };
  /** Whether a successful attempt proves that the receiver stored it. */
  acknowledges: boolean;
  /** Takes no heartbeats: an idle one is checked once a day instead. */
  silent?: true;
  /** How long entries are gathered for a batch, which is full before that or not; at once by default. */
  lingerMs?: (config: Config) => number;
  /** The most that one batch holds: lines, and bytes of them uncompressed. */
  limits: { rows: number; bytes: number };
  /** Tries the destination without sending an entry. Never rejects. */
  check: (target: Target<Config>) => Promise<CheckStep[]>;
  /** Sends a batch once. Never rejects. */
  send: (target: Target<Config>, batch: Batch) => Promise<Outcome>;
  /** The receiver in a few words for lists and the log: host and index or bucket, nothing secret. */
  describe: (config: Config) => string;
};
