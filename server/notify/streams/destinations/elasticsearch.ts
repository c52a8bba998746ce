import { z } from "zod";
import { sendTo } from "@/server/notify/webhooks/post";
import type { Destination, Line, Message, Outcome, Target } from "./destination";
import { allowedUrl, checkMessage, filledIn, headerSecret, outcomeOf, stepsBefore, stepsOf, template } from "./http";

/** An answer has a line per entry. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Limits the answer to the members read. */
const FILTER = "filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason";

const config = z.strictObject({
  url: allowedUrl,
  /** A data stream, an index or an alias. */
  index: template(255).default("trailmark-audit"),
  /** The secret is an encoded Elasticsearch API key, or "user:password". */
  auth: z.enum(["api_key", "basic"]).default("api_key"),
});
type Config = z.output<typeof config>;

const item = z.object({
  create: z.object({
    status: z.int(),
    error: z.object({ type: z.string().optional(), reason: z.string().optional() }).optional(),
  }),
});
const answer = z.object({ errors: z.boolean(), items: z.array(item).default([]) });
type Item = z.output<typeof item>["create"];

/** A line as a document with the timestamp that data streams need. */
function documentOf({ time, text }: Line, mediaType: string): string {
  const at = JSON.stringify(time.toISOString());
  if (mediaType !== "application/json") return `{"@timestamp":${at},"message":${JSON.stringify(text)}}`;
  return text.startsWith('{"@timestamp":') || text.includes(',"@timestamp":')
    ? text
    : `{"@timestamp":${at},${text.slice(1)}`;
}

function authorization({ auth }: Config, [secret = ""]: readonly string[]): string {
  return auth === "basic" ? `Basic ${Buffer.from(secret).toString("base64")}` : `ApiKey ${secret}`;
}

async function post({ config, secrets, signal, onStep }: Target<Config>, { organization, lines, mediaType }: Message) {
  const index = filledIn(config.index, organization);
  // Created by id, so that an existing one is not written twice.
  const pairs = lines.map(
    (line) => `${JSON.stringify({ create: { _index: index, _id: line.id } })}\n${documentOf(line, mediaType)}\n`,
  );
  return sendTo(`${config.url.replace(/\/$/, "")}/_bulk?${FILTER}`, {
    body: pairs.join(""),
    ...{ signal, onStep },
    maxAnswerBytes: MAX_ANSWER_BYTES,
    headers: { "Content-Type": "application/x-ndjson", Authorization: authorization(config, secrets) },
  });
}

const reasonOf = ({ status, error }: Item): string =>
  [`The receiver answered ${status}.`, error?.type && `${error.type}:`, error?.reason].filter(Boolean).join(" ");

const isStored = ({ status }: Item): boolean => status === 200 || status === 201 || status === 409;
const isPassing = ({ status }: Item): boolean => status === 429 || status >= 500;
const isOfSettings = ({ status }: Item): boolean => status === 401 || status === 403 || status === 404;

/** Outcome of each line, from the answer's items in the same order. */
function outcomeOfItems(body: string, lines: readonly Line[]): Outcome {
  let items: Item[];
  try {
    items = answer.parse(JSON.parse(body)).items.map(({ create }) => create);
  } catch {
    return { kind: "blocked", code: "not_elasticsearch", message: "The endpoint does not answer as _bulk does." };
  }
  if (items.length !== lines.length)
    return { kind: "again", code: "incomplete", message: `${items.length} of ${lines.length} lines were answered.` };
  const passing = items.find(isPassing);
  if (passing) return { kind: "again", code: String(passing.status), message: reasonOf(passing) };
  const denied = items.find(isOfSettings);
  if (denied) return { kind: "blocked", code: String(denied.status), message: reasonOf(denied) };
  const rows = lines.flatMap(({ seq }, i) => {
    const item = items[i];
    return item && !isStored(item) ? [{ seq, message: reasonOf(item) }] : [];
  });
  const [first] = rows;
  if (!first) return { kind: "acknowledged", receipt: { status: 200, stored: lines.length } };
  const refused = rows.flatMap(({ seq, message }) => (seq === null ? [] : [{ seq, message }]));
  // If everything is refused, or even the marker, no single entry is at fault.
  const isWhole = refused.length < rows.length || rows.length === lines.length;
  return isWhole ? { kind: "blocked", code: "refused", message: first.message } : { kind: "refused", rows: refused };
}

/** Elasticsearch and OpenSearch by _bulk. */
export const elasticsearch: Destination<Config> = {
  config,
  secret: headerSecret("API key, or user:password"),
  acknowledges: true,
  limits: { rows: 1_000, bytes: 5 * 1024 * 1024 },
  async check(target) {
    const message = checkMessage(target.now);
    const told = await post(target, message);
    const steps = stepsOf(told, target.config.url);
    if (told.status === null || steps.some(({ ok }) => !ok)) return steps;
    const outcome = outcomeOfItems(told.body, message.lines);
    if (outcome.kind === "acknowledged" || outcome.kind === "refused") return steps;
    const isTls = target.config.url.startsWith("https:");
    return [...stepsBefore("write", isTls), { step: "write", ok: false, message: outcome.message }];
  },
  async send(target, batch) {
    const told = await post(target, batch);
    return told.status === 200 ? outcomeOfItems(told.body, batch.lines) : outcomeOf(told, target.now);
  },
  describe: ({ url, index }) => `${new URL(url).host}, index ${index}`,
};
