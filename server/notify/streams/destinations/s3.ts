import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { DAY_MS } from "@/server/ground/time/durations";
import type { CheckStep } from "@/server/notify/streams/schema";
import { archiveBatch } from "./archive";
import type { Batch, Destination, Outcome, Target } from "./destination";
import { allowedUrl, filledIn, stepsOf, template } from "./http";
import {
  digestOf,
  endpointOf,
  getObject,
  headObject,
  type NewObject,
  outcomeOfStore,
  putObject,
  storedAs,
} from "./s3-client";

const compress = promisify(gzip);
const MINUTE_MS = 60_000;
/** Pads sequences in object names, which sort as text. */
const DIGITS = 12;

const config = z.strictObject({
  region: z.string().regex(/^[a-z0-9-]{1,64}$/, "must be a region, such as eu-central-1"),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket"),
  accessKeyId: z.string().regex(/^[\w./-]{3,128}$/),
  /** For stores other than AWS. */
  endpoint: allowedUrl.optional(),
  prefix: template(200)
    .regex(/^[\w{}.=-]+(\/[\w{}.=-]+)*$/, "must be path segments of letters, digits and . _ - =")
    .refine((text) => !text.split("/").some((part) => part === "." || part === ".."), "must not hold . or ..")
    .default("trailmark"),
  /** Evidence bundles with signed manifests, read back before retention may remove their entries. */
  archive: z.boolean().default(false),
  /** Days for which the store refuses to delete an object. */
  lock: z.strictObject({ mode: z.enum(["governance", "compliance"]), days: z.int().min(1).max(36_500) }).nullish(),
});
type Config = z.output<typeof config>;

const padded = (seq: number): string => String(seq).padStart(DIGITS, "0");

/** Object key for a range of entries: determined by organization, first and last, and for a replay also by its id. */
function keyOf({ prefix }: Config, { organization, lines, marker }: Batch): string {
  const month = (lines[0]?.time ?? new Date(marker.at)).toISOString().replace(/^(.*?)-(\d\d)-.*$/, "$1/$2");
  const range =
    marker.last < marker.first ? `heartbeat-${marker.batch}` : `${padded(marker.first)}-${padded(marker.last)}`;
  const replay = marker.replay ? `.replay-${marker.replay}` : "";
  return `${filledIn(prefix, organization)}/org=${organization.id}/${month}/${range}${replay}.ndjson.gz`;
}

const lockOf = ({ lock }: Config, now: Date): NewObject["lock"] =>
  lock ? { mode: lock.mode, until: new Date(now.getTime() + lock.days * DAY_MS) } : null;

/** An existing object is the batch if the store's checksum, or the entries' digest beside it, says so. */
async function isTheSame(target: Target<Config>, key: string, want: { checksum: string; digest: string }) {
  const told = await headObject(target, key);
  if (told.status !== 200) return outcomeOfStore(told, target.now);
  const { checksum, digest, etag, version } = storedAs(told);
  if (checksum === want.checksum || digest === want.digest)
    return { kind: "acknowledged", receipt: { key, etag, version, checksum } } satisfies Outcome;
  const message = `Another object is stored as ${key}. Move it, or choose another prefix.`;
  return { kind: "blocked", code: "412", message } satisfies Outcome;
}

async function send(target: Target<Config>, batch: Batch): Promise<Outcome> {
  const key = keyOf(target.config, batch);
  const lock = lockOf(target.config, target.now);
  if (target.config.archive) return archiveBatch({ target, key, lock }, batch);
  const body = await compress(batch.lines.map(({ text }) => `${text}\n`).join(""));
  const { digest } = batch.marker;
  const answer = await putObject(target, {
    key,
    body,
    type: batch.mediaType === "application/json" ? "application/x-ndjson" : batch.mediaType,
    encoding: "gzip",
    metadata: { "trailmark-digest": digest },
    lock,
    isOnce: true,
  });
  const checksum = digestOf(body, "base64");
  if (answer.status === 412) return isTheSame(target, key, { checksum, digest });
  if (answer.status !== 200) return outcomeOfStore(answer, target.now);
  const { etag, version } = storedAs(answer);
  return { kind: "acknowledged", receipt: { key, etag, version, checksum } };
}

/** Writes a test object, locked for a minute if locks are configured, and reads it back. */
async function check(target: Target<Config>): Promise<CheckStep[]> {
  const { config, now } = target;
  const key = `${config.prefix.replace(/\/?[^/]*[{}].*$/, "") || "trailmark"}/trailmark-check.json`;
  const body = Buffer.from(JSON.stringify({ type: "trailmark.check", at: now.toISOString() }));
  const lock = config.lock ? { mode: config.lock.mode, until: new Date(now.getTime() + MINUTE_MS) } : null;
  const put = await putObject(target, { key, body, type: "application/json", lock, isOnce: false });
  const steps = stepsOf(put, endpointOf(config)).filter(({ step }) => step !== "acknowledge");
  if (steps.some(({ ok }) => !ok)) return steps;
  const got = await getObject(target, key);
  const ok = got.status === 200 && body.equals(got.bytes);
  const fault = got.status === null ? got.error : `Reading it back was answered ${got.status}.`;
  return [...steps, { step: "acknowledge", ok, message: ok ? "The object was read back." : fault }];
}

/** Objects in S3 or a compatible store. */
export const s3: Destination<Config> = {
  config,
  secret: { label: "Secret access key", schema: z.string().regex(/^[\x21-\x7e]{8,256}$/) },
  acknowledges: true,
  silent: true,
  // Each archived object adds an audit entry, which is archived too, so a day is collected at once.
  lingerMs: ({ archive }) => (archive ? DAY_MS : 5 * MINUTE_MS),
  limits: { rows: 10_000, bytes: 16 * 1024 * 1024 },
  check,
  send,
  describe: ({ bucket, prefix }) => `${bucket}/${prefix}`,
};
