import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { sendTo } from "@/server/notify/webhooks/post";
import { newSigningSecret, signedHeaders } from "@/server/notify/webhooks/sign";
import type { Destination, Message, Target } from "./destination";
import { allowedUrl, checkMessage, outcomeOf, stepsOf } from "./http";

const compress = promisify(gzip);
const MAX_HEADERS = 20;
/** Our headers, the connection's, and those that would expose a secret. */
const RESERVED = /^(authorization|cookie|proxy-.*|host|connection|content-.*|transfer-encoding|webhook-.*)$/i;

const config = z.strictObject({
  url: allowedUrl,
  /** One line per entry, or one JSON array. */
  body: z.enum(["ndjson", "array"]).default("ndjson"),
  /** Turned off for Standard Webhooks libraries, which read bodies as text. */
  gzip: z.boolean().default(true),
  headers: z
    .record(z.string().regex(/^[\w-]{1,64}$/), z.string().regex(/^[\t\x20-\x7e]{0,1024}$/))
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `has over ${MAX_HEADERS} headers`)
    .refine(
      (headers) => !Object.keys(headers).some((name) => RESERVED.test(name)),
      "has a reserved header; give the value of Authorization as the secret",
    )
    .default({}),
});
type Config = z.output<typeof config>;

/** Signing secret and, if given, the Authorization value after it. */
const partsOf = (secret: string): [signing: string, authorization: string | undefined] => {
  const [signing = "", authorization] = secret.split("\n");
  return [signing, authorization];
};

function bodyOf({ lines, mediaType }: Message, { body }: Config): { text: string; type: string } {
  const isJson = mediaType === "application/json";
  if (isJson && body === "array")
    return { text: `[${lines.map(({ text }) => text).join(",\n")}]`, type: "application/json" };
  return { text: lines.map(({ text }) => `${text}\n`).join(""), type: isJson ? "application/x-ndjson" : "text/plain" };
}

async function post({ config, secrets, now, signal, onStep }: Target<Config>, message: Message) {
  const { text, type } = bodyOf(message, config);
  const body = config.gzip ? await compress(text, { level: 1 }) : text;
  const parts = secrets.map(partsOf);
  const authorization = parts[0]?.[1];
  // The sent bytes are signed, so that a receiver can check before decompressing.
  const signed = signedHeaders(
    { id: message.id, at: now, payload: body },
    parts.map(([signing]) => signing),
  );
  return sendTo(config.url, {
    body,
    ...{ signal, onStep },
    headers: {
      ...config.headers,
      "Content-Type": type,
      ...(config.gzip && { "Content-Encoding": "gzip" }),
      ...(authorization && { Authorization: authorization }),
      ...signed,
    },
  });
}

/** POSTs entries as lines or an array, compressed and signed by Standard Webhooks. */
export const https: Destination<Config> = {
  config,
  secret: { label: "Value of the header Authorization", schema: z.string().regex(/^[\t\x20-\x7e]{1,4096}$/) },
  createSecret(given, former = "") {
    const shown = newSigningSecret();
    const authorization = given ?? partsOf(former)[1];
    return { secret: authorization ? `${shown}\n${authorization}` : shown, shown };
  },
  acknowledges: true,
  limits: { rows: 1_000, bytes: 1024 * 1024 },
  async check(target) {
    return stepsOf(await post(target, checkMessage(target.now)), target.config.url);
  },
  async send(target, batch) {
    return outcomeOf(await post(target, batch), target.now);
  },
  describe: ({ url }) => new URL(url).host,
};
