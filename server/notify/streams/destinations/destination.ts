import type { z } from "zod";
import type { BatchMarker } from "@/server/notify/streams/formats/format";
import type { CheckStep } from "@/server/notify/streams/schema";
import type { OnStep } from "@/server/notify/webhooks/post";

/** A line to send: an entry in the stream's format, or the batch's marker (without `seq`). */
export type Line = { id: string; seq: number | null; time: Date; text: string };

/** Lines for one organization's receiver. mediaType: of a single line; JSON formats have application/json. */
export type Message = {
  id: string;
  organization: { id: string; name: string; slug: string };
  lines: Line[];
  mediaType: string;
};

/** Contents of an attempt. Every attempt has the same id, lines and bytes, even after a crash. */
export type Batch = Message & { marker: BatchMarker };

/**
 * Failure of an attempt. `again`: wait and retry (code: status or error code; retryAfterMs: requested by the receiver).
 * `blocked`: wait for a person, dropping nothing. `disabled`: the receiver wants no more. `too_large`: halve the batch.
 */
export type Failure = {
  kind: "again" | "blocked" | "disabled" | "too_large";
  code: string;
  message: string;
  retryAfterMs?: number;
};

/**
 * Outcome of an attempt. `refused`: only these rows were refused, all others are stored. receipt: the receiver's proof
 * (ackId, ETag, version, status).
 */
export type Outcome =
  | { kind: "acknowledged"; receipt: Record<string, string | number | null> }
  | { kind: "refused"; rows: { seq: number; message: string }[] }
  | Failure;

/** secrets: the current one first, then a former one while still valid. */
export type Target<Config> = {
  config: Config;
  secrets: readonly string[];
  now: Date;
  signal: AbortSignal;
  onStep?: OnStep;
};

/** Destination of batches. To add one, export this from a file and add a line to DESTINATIONS. */
export type Destination<Config = unknown> = {
  /** Settings without secrets, the REST body's `config`. */
  config: z.ZodType<Config>;
  /** Name and format of the destination's secret (token, key, password); null if it has none. */
  secret: { label: string; schema: z.ZodType<string>; isOptional?: true } | null;
  /**
   * For secrets that we generate, from a person's input or the former secret: the text to store, and the part to show
   * once.
   */
  createSecret?: (given: string | undefined, former?: string) => { secret: string; shown: string };
  /** Whether a successful attempt proves that the receiver stored it. */
  acknowledges: boolean;
  /** Accepts no heartbeats: when idle it is checked once a day instead. */
  silent?: true;
  /** How long to collect entries for a batch that is not full; by default none. */
  lingerMs?: (config: Config) => number;
  /** Maximum lines and uncompressed bytes of a batch. */
  limits: { rows: number; bytes: number };
  /** Tests the destination without sending an entry. Never rejects. */
  check: (target: Target<Config>) => Promise<CheckStep[]>;
  /** Sends a batch once. Never rejects. */
  send: (target: Target<Config>, batch: Batch) => Promise<Outcome>;
  /** Short description of the receiver for lists and the log: host and index or bucket, without secrets. */
  describe: (config: Config) => string;
};
