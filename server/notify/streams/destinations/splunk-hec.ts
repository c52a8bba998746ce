import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { CheckStep } from "@/server/notify/streams/schema";
import { sendTo } from "@/server/notify/webhooks/post";
import type { Destination, Line, Message, Outcome, Target } from "./destination";
import { allowedUrl, checkMessage, filledIn, headerSecret, outcomeOf, stepsOf, template } from "./http";

/** Poll interval and limit for an indexer's acknowledgement. */
const ACK_POLL_MS = 1_000;
const ACK_WAIT_MS = 45_000;

/** Codes in a 400 body that need a change of the token's settings. */
const OF_SETTINGS = new Map([
  [7, "The token may not write to this index."],
  [10, "The token wants a channel: turn on acknowledge."],
  [14, "Indexer acknowledgement is not enabled for the token: turn off acknowledge."],
]);

const config = z.strictObject({
  url: allowedUrl,
  index: template(255).optional(),
  source: z.string().trim().min(1).max(255).default("trailmark"),
  sourcetype: z.string().trim().min(1).max(255).default("trailmark:audit"),
  /** Waits for indexer acknowledgement: otherwise an answer means received, not stored. */
  acknowledge: z.boolean().default(false),
});
type Config = z.output<typeof config>;

const answer = z.object({ code: z.number().optional(), text: z.string().optional(), ackId: z.number().optional() });
const acks = z.object({ acks: z.record(z.string(), z.boolean()) });

function parsed<T extends z.ZodType>(shape: T, body: string): z.output<T> | null {
  try {
    return shape.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

/** Address of a collector endpoint; people may enter only the host, or the endpoint for events. */
function endpoint({ url }: Config, path: "event" | "ack"): string {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/services\/collector(\/.*)?$/, "").replace(/\/$/, "");
  return `${origin}${base}/services/collector/${path}`;
}

/** One channel per token and organization, because acknowledgements are counted within it. */
function channelOf({ config, secrets }: Target<Config>, { id }: Message["organization"]): string {
  const hex = createHash("sha256").update([config.url, secrets[0], id].join("\n")).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Wraps a line, unchanged to the digit, in an event with the entry's time. */
function eventOf(line: Line, { organization, mediaType }: Message, { index, source, sourcetype }: Config): string {
  const envelope = JSON.stringify({
    time: line.time.getTime() / 1_000,
    host: organization.slug,
    source,
    sourcetype,
    ...(index && { index: filledIn(index, organization) }),
    fields: { trailmark_id: line.id },
  });
  const event = mediaType === "application/json" ? line.text : JSON.stringify(line.text);
  return `${envelope.slice(0, -1)},"event":${event}}`;
}

async function post(target: Target<Config>, message: Message) {
  const { config, secrets, signal, onStep } = target;
  const channel = channelOf(target, message.organization);
  return sendTo(endpoint(config, "event"), {
    body: message.lines.map((line) => eventOf(line, message, config)).join("\n"),
    ...{ signal, onStep },
    headers: {
      "Content-Type": "application/json",
      Authorization: `Splunk ${secrets[0] ?? ""}`,
      ...(config.acknowledge && { "X-Splunk-Request-Channel": channel }),
    },
  });
}

/** Polls until the indexer has written the batch. "false" may also mean unknown, so it is then sent again. */
async function acknowledged(target: Target<Config>, organization: Message["organization"], ackId: number) {
  const { config, secrets, signal } = target;
  const url = `${endpoint(config, "ack")}?channel=${channelOf(target, organization)}`;
  const end = performance.now() + ACK_WAIT_MS;
  const headers = { "Content-Type": "application/json", Authorization: `Splunk ${secrets[0] ?? ""}` };
  while (!signal.aborted && performance.now() < end) {
    const told = await sendTo(url, { body: JSON.stringify({ acks: [ackId] }), headers, signal });
    if (told.status === null || told.status !== 200) return outcomeOf(told, target.now);
    if (parsed(acks, told.body)?.acks[String(ackId)])
      return { kind: "acknowledged", receipt: { ackId } } satisfies Outcome;
    await wait(ACK_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  const message = `No indexer acknowledged the batch within ${ACK_WAIT_MS / 1_000} seconds.`;
  return { kind: "again", code: "not_acknowledged", message } satisfies Outcome;
}

/** Splunk's verdict in the body counts as much as the status. */
async function deliver(target: Target<Config>, message: Message): Promise<{ outcome: Outcome; steps: CheckStep[] }> {
  const told = await post(target, message);
  const steps = stepsOf(told, target.config.url).filter(({ step }) => step !== "acknowledge");
  const outcome = outcomeOf(told, target.now);
  if (told.status === null) return { outcome, steps };
  const said = parsed(answer, told.body);
  const fault = told.status === 400 && said?.code !== undefined && OF_SETTINGS.get(said.code);
  if (fault) return { outcome: { kind: "blocked", code: `400/${said.code}`, message: fault }, steps };
  if (outcome.kind !== "acknowledged") return { outcome, steps };
  if (said?.code !== 0) {
    const text = `The endpoint answered ${told.status}, but not as Splunk does: ${told.body.slice(0, 200)}`;
    return { outcome: { kind: "blocked", code: "not_splunk", message: text }, steps };
  }
  if (!target.config.acknowledge) return { outcome, steps };
  if (said.ackId === undefined) {
    const text = "Splunk gave no ackId: enable indexer acknowledgement for the token, or turn off acknowledge.";
    return { outcome: { kind: "blocked", code: "no_ack_id", message: text }, steps };
  }
  return { outcome: await acknowledged(target, message.organization, said.ackId), steps };
}

/** Splunk's HTTP Event Collector. */
export const splunkHec: Destination<Config> = {
  config,
  secret: headerSecret("Token of the HTTP Event Collector"),
  acknowledges: true,
  // Splunk Cloud recommends 1 MB per request.
  limits: { rows: 1_000, bytes: 768 * 1024 },
  async check(target) {
    const { outcome, steps } = await deliver(target, checkMessage(target.now));
    if (steps.some(({ ok }) => !ok)) return steps;
    const message = "message" in outcome ? outcome.message : "Splunk acknowledged the event.";
    return [...steps, { step: "acknowledge", ok: outcome.kind === "acknowledged", message }];
  },
  async send(target, batch) {
    return (await deliver(target, batch)).outcome;
  },
  describe: ({ url, index }) => `${new URL(url).host}${index ? `, index ${index}` : ""}`,
};
