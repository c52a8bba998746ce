import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Answered, type Incoming, json, startHttpDouble } from "@/testing/http-double";
import { createBatch, LOOPBACK_SETTINGS, withConfig } from "@/testing/streams/batches";
import { datadog } from "./datadog";
import { elasticsearch } from "./elasticsearch";
import { splunkHec } from "./splunk-hec";

beforeAll(() => void Object.assign(process.env, LOOPBACK_SETTINGS));

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function receiver(answer: (incoming: Incoming) => Answered) {
  const double = await startHttpDouble(answer);
  open.push(double.close);
  return double;
}

describe("Splunk HEC", () => {
  const TOKEN = "11111111-2222-3333-4444-555555555555";

  /** Answers as the collector does: by token, index and channel. */
  function collector(options: { acked: (asked: number) => boolean } | null) {
    let asked = 0;
    return ({ method, path, headers, text }: Incoming): Answered => {
      if (method !== "POST" || headers.authorization !== `Splunk ${TOKEN}`)
        return json({ text: "Invalid token", code: 4 }, 403);
      if (path.startsWith("/services/collector/ack?channel=")) {
        const { acks } = JSON.parse(text);
        return json({ acks: Object.fromEntries(acks.map((id: number) => [id, options?.acked(++asked) ?? false])) });
      }
      if (path !== "/services/collector/event") return { status: 404 };
      if (text.includes('"index":"secret"')) return json({ text: "Incorrect index", code: 7 }, 400);
      if (!options) return json({ text: "Success", code: 0 });
      if (!/^[0-9a-f-]{36}$/.test(String(headers["x-splunk-request-channel"])))
        return json({ text: "Data channel is missing", code: 10 }, 400);
      return json({ text: "Success", code: 0, ackId: 7 });
    };
  }

  it("sends each entry as an event with its own time and exact numbers", async () => {
    const splunk = await receiver(collector(null));
    const batch = createBatch({ at: new Date("2026-11-01T10:00:00.250Z") });
    const stream = withConfig(splunkHec, { url: splunk.url, index: "audit-{org.slug}" }, { secret: TOKEN });
    expect(await stream.send(batch)).toEqual({ kind: "acknowledged", receipt: { status: 200 } });
    const [first = ""] = splunk.received[0]?.text.split("\n") ?? [];
    expect(JSON.parse(first)).toMatchObject({
      time: 1793527200.25,
      host: "northwind",
      index: "audit-northwind",
      fields: { trailmark_id: "entry-1" },
    });
    expect(first).toContain('"event":{"type":"trailmark.entry.v1"');
    expect(first).toContain('"exact":1.10');
  });

  it("waits until an indexer acknowledges the batch", async () => {
    const splunk = await receiver(collector({ acked: (asked) => asked > 1 }));
    const stream = withConfig(splunkHec, { url: splunk.url, acknowledge: true }, { secret: TOKEN });
    expect(await stream.send(createBatch())).toEqual({ kind: "acknowledged", receipt: { ackId: 7 } });
    expect(splunk.received.map(({ path }) => path.replace(/=.*/, ""))).toEqual([
      "/services/collector/event",
      "/services/collector/ack?channel",
      "/services/collector/ack?channel",
    ]);
  });

  it("resends when no indexer acknowledges", async () => {
    const splunk = await receiver(collector({ acked: () => false }));
    const signal = AbortSignal.timeout(1_500);
    const stream = withConfig(splunkHec, { url: splunk.url, acknowledge: true }, { secret: TOKEN, signal });
    expect(await stream.send(createBatch())).toMatchObject({ kind: "again", code: "not_acknowledged" });
  });

  it.for([
    { fault: "an index the token cannot write to", config: { index: "secret" }, secret: TOKEN, code: "400/7" },
    { fault: "a wrong token", config: {}, secret: "wrong", code: "403" },
    { fault: "a token without acknowledgment", config: { acknowledge: true }, secret: TOKEN, code: "no_ack_id" },
  ])("blocks on $fault", async ({ config, secret, code }) => {
    const splunk = await receiver(collector(null));
    const stream = withConfig(splunkHec, { url: `${splunk.url}/services/collector`, ...config }, { secret });
    expect(await stream.send(createBatch())).toMatchObject({ kind: "blocked", code });
    expect((await stream.check()).at(-1)).toMatchObject({ ok: false });
  });

  it("checks the connection up to the acknowledgment", async () => {
    const splunk = await receiver(collector({ acked: () => true }));
    const stream = withConfig(splunkHec, { url: splunk.url, acknowledge: true }, { secret: TOKEN });
    expect((await stream.check()).map(({ step, ok }) => [step, ok])).toEqual([
      ["address", true],
      ["connect", true],
      ["sign_in", true],
      ["write", true],
      ["acknowledge", true],
    ]);
  });

  it("rejects a web page as a collector", async () => {
    const page = await receiver(() => ({ status: 200, body: "<html>" }));
    const stream = withConfig(splunkHec, { url: page.url }, { secret: TOKEN });
    expect(await stream.send(createBatch())).toMatchObject({ kind: "blocked", code: "not_splunk" });
  });
});

describe("Datadog", () => {
  const KEY = "0123456789abcdef";
  const intake = ({ headers, text }: Incoming): Answered => {
    if (headers["dd-api-key"] !== KEY) return json({ errors: [{ detail: "Forbidden" }] }, 403);
    const logs = JSON.parse(text);
    return logs.length > 1_000 ? { status: 413 } : { status: 202, body: "{}" };
  };

  it("sends compressed logs with tags, at most 1,000 per request", async () => {
    const double = await receiver(intake);
    const stream = withConfig(datadog, { url: double.url, tags: ["env:prod"] }, { secret: KEY });
    expect(await stream.send(createBatch({ rows: datadog.limits.rows }))).toMatchObject({ kind: "acknowledged" });
    const [first] = JSON.parse(double.received[0]?.text ?? "[]");
    expect(first).toMatchObject({ ddsource: "trailmark", ddtags: "env:prod,org:northwind", trailmark_id: "entry-1" });
    expect(first.message).toContain('"exact":1.10');
  });

  it("rejects entries older than 18 hours with the reason and sends the others", async () => {
    const double = await receiver(intake);
    const batch = createBatch();
    const old = batch.lines[1];
    if (old) old.time = new Date(Date.now() - 18 * 3_600_000 - 1_000);
    const outcome = await withConfig(datadog, { url: double.url }, { secret: KEY }).send(batch);
    expect(outcome).toMatchObject({
      kind: "refused",
      rows: [{ seq: 2, message: expect.stringContaining("of the last 18 hours only") }],
    });
    const sent = JSON.parse(double.received[0]?.text ?? "[]");
    expect(sent.map(({ trailmark_id }: { trailmark_id: string }) => trailmark_id)).toEqual([
      "entry-1",
      "entry-3",
      batch.id,
    ]);
  });

  it("blocks on a wrong key", async () => {
    const double = await receiver(intake);
    expect(await withConfig(datadog, { url: double.url }, { secret: "wrong" }).send(createBatch())).toMatchObject({
      kind: "blocked",
      code: "403",
    });
  });
});

describe("Elasticsearch", () => {
  type Verdict = { status: number; error?: { type: string; reason: string } };
  /** An index that creates a document once, and judges each by `judge`. */
  function cluster(judge: (id: string) => Verdict | null = () => null) {
    const stored = new Map<string, string>();
    const answer = ({ path, headers, text }: Incoming): Answered => {
      if (headers.authorization !== "ApiKey key") return { status: 401 };
      if (!path.startsWith("/_bulk?")) return { status: 404 };
      const lines = text.trimEnd().split("\n");
      const items = lines.flatMap((line, i) => {
        if (i % 2 === 1) return [];
        const { _id, _index } = JSON.parse(line).create;
        const document = lines[i + 1] ?? "";
        if (!JSON.parse(document)["@timestamp"]) return [{ create: { status: 400 } }];
        const verdict = judge(_id) ?? { status: stored.has(_id) ? 409 : 201 };
        if (verdict.status === 201) stored.set(_id, `${_index} ${document}`);
        return [{ create: verdict }];
      });
      return json({ errors: items.some(({ create }) => create.status > 299), items });
    };
    return { stored, answer };
  }

  it("creates each entry under its ID once", async () => {
    const { stored, answer } = cluster();
    const double = await receiver(answer);
    const stream = withConfig(elasticsearch, { url: double.url, index: "audit-{org.slug}" }, { secret: "key" });
    const batch = createBatch();
    expect(await stream.send(batch)).toMatchObject({ kind: "acknowledged" });
    expect(await stream.send(batch)).toMatchObject({ kind: "acknowledged" });
    expect(stored.size).toBe(4);
    expect(stored.get("entry-2")).toMatch(/^audit-northwind \{"@timestamp":"20.*"exact":1\.10/);
  });

  const MAPPING = { status: 400, error: { type: "mapper_parsing_exception", reason: "failed to parse" } };
  const of = (id: string, verdict: Verdict) => (asked: string) => (asked === id ? verdict : null);

  it("sets aside an entry that the mapping rejects", async () => {
    const { stored, answer } = cluster(of("entry-2", MAPPING));
    const double = await receiver(answer);
    const outcome = await withConfig(elasticsearch, { url: double.url }, { secret: "key" }).send(createBatch());
    expect(outcome).toEqual({
      kind: "refused",
      rows: [{ seq: 2, message: "The receiver answered 400. mapper_parsing_exception: failed to parse" }],
    });
    expect(stored.size).toBe(3);
  });

  it.each([
    ["again", "an overloaded shard", of("entry-2", { status: 429 })],
    ["blocked", "an index that may not be written", of("entry-2", { status: 403 })],
    ["blocked", "a mapping that refuses everything", () => MAPPING],
  ])("%s: %s", async (kind, _, judge) => {
    const double = await receiver(cluster(judge).answer);
    const outcome = await withConfig(elasticsearch, { url: double.url }, { secret: "key" }).send(createBatch());
    expect(outcome.kind).toBe(kind);
  });
});

describe("every HTTP destination", () => {
  const ALL = [
    ["Splunk", splunkHec],
    ["Datadog", datadog],
    ["Elasticsearch", elasticsearch],
  ] as const;
  const secret = "secret";

  it.each(ALL)("%s: waits as long as Retry-After says", async (_, destination) => {
    const busy = await receiver(() => ({ status: 429, headers: { "Retry-After": "120" } }));
    const outcome = await withConfig(destination, { url: busy.url }, { secret }).send(createBatch());
    expect(outcome).toMatchObject({ kind: "again", code: "429", retryAfterMs: 120_000 });
  });

  it.each(ALL)("%s: halves a batch that is too large", async (_, destination) => {
    const small = await receiver(() => ({ status: 413 }));
    const outcome = await withConfig(destination, { url: small.url }, { secret }).send(createBatch());
    expect(outcome).toMatchObject({ kind: "too_large", code: "413" });
  });

  it.each(ALL)("%s: resends after a dropped connection", async (_, destination) => {
    const cutting = await receiver(() => "cut");
    const outcome = await withConfig(destination, { url: cutting.url }, { secret }).send(createBatch());
    expect(outcome).toMatchObject({ kind: "again", code: "ECONNRESET" });
  });

  it.each(ALL)("%s: does not follow a redirect to a private address", async (_, destination) => {
    const inner = await receiver(() => ({ status: 200 }));
    const outer = await receiver(() => ({ status: 307, headers: { Location: inner.url } }));
    const outcome = await withConfig(destination, { url: outer.url }, { secret }).send(createBatch());
    expect(outcome).toMatchObject({ kind: "blocked", code: "307" });
    expect(inner.received).toEqual([]);
  });

  it.each(ALL)("%s: times out on an unresponsive receiver", async (_, destination) => {
    const silent = await receiver(() => "silent");
    const signal = AbortSignal.timeout(500);
    const outcome = await withConfig(destination, { url: silent.url }, { secret, signal }).send(createBatch());
    expect(outcome).toMatchObject({ kind: "again", code: "timeout" });
  });
});
