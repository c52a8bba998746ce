import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { HOUR_MS } from "@/server/ground/time/durations";
import { DATADOG_SITES } from "@/server/notify/streams/vocabulary";
import { sendTo } from "@/server/notify/webhooks/post";
import type { Destination, Line, Message, Target } from "./destination";
import { allowedUrl, checkMessage, filledIn, headerSecret, outcomeOf, stepsOf } from "./http";

const compress = promisify(gzip);
/** Datadog accepts older logs with 2xx but drops them. */
const MAX_AGE_HOURS = 18;
/** Longer logs are cut. */
const MAX_LOG_BYTES = 1_000_000;

const config = z.strictObject({
  site: z.enum(DATADOG_SITES).default("datadoghq.com"),
  /** Replaces the site's intake: a proxy, or a worker of Observability Pipelines. */
  url: allowedUrl.optional(),
  service: z.string().trim().min(1).max(100).default("trailmark"),
  tags: z
    .array(z.string().regex(/^[a-zA-Z][\w.:/-]{0,199}$/))
    .max(20)
    .default([]),
});
type Config = z.output<typeof config>;

const urlOf = ({ site, url }: Config): string => url ?? `https://http-intake.logs.${site}/api/v2/logs`;

async function post({ config, secrets, signal, onStep }: Target<Config>, { organization, lines }: Message) {
  const tags = [...config.tags, "org:{org.slug}"].map((tag) => filledIn(tag, organization)).join(",");
  const logs = lines.map(({ id, time, text }) => ({
    ddsource: "trailmark",
    ddtags: tags,
    hostname: organization.slug,
    service: config.service,
    date: time.getTime(),
    trailmark_id: id,
    message: text,
  }));
  return sendTo(urlOf(config), {
    body: await compress(JSON.stringify(logs), { level: 1 }),
    ...{ signal, onStep },
    headers: {
      "Content-Type": "application/json",
      "Content-Encoding": "gzip",
      "DD-API-KEY": secrets[0] ?? "",
    },
  });
}

/** Reason that Datadog would drop or cut a line; null if it keeps it. */
function faultOf({ time, text }: Line, now: Date): string | null {
  if (now.getTime() - time.getTime() > MAX_AGE_HOURS * HOUR_MS)
    return `Datadog takes logs of the last ${MAX_AGE_HOURS} hours only: this entry is of ${time.toISOString()}.`;
  if (Buffer.byteLength(text) > MAX_LOG_BYTES) return "Datadog cuts logs of over 1 MB.";
  return null;
}

/** Datadog's log intake, version 2. */
export const datadog: Destination<Config> = {
  config,
  secret: headerSecret("API key"),
  acknowledges: true,
  // 1,000 logs with the marker, and 5 MB after quoting.
  limits: { rows: 999, bytes: 2 * 1024 * 1024 },
  async check(target) {
    return stepsOf(await post(target, checkMessage(target.now)), urlOf(target.config));
  },
  async send(target, batch) {
    const rows = batch.lines.flatMap((line) => {
      const message = line.seq === null ? null : faultOf(line, target.now);
      return line.seq !== null && message !== null ? [{ seq: line.seq, message }] : [];
    });
    const left = new Set(rows.map(({ seq }) => seq));
    const sent = batch.lines.filter(({ seq }) => seq === null || !left.has(seq));
    const outcome = outcomeOf(await post(target, { ...batch, lines: sent }), target.now);
    return outcome.kind === "acknowledged" && rows.length > 0 ? { kind: "refused", rows } : outcome;
  },
  describe: (config) => new URL(urlOf(config)).host,
};
