import { beforeAll, describe, expect, it, vi } from "vitest";
import { EXPORT_SLOTS } from "@/server/audit/entries/export-schema";
import { appendAudit } from "@/server/audit/record/append";
import { readChain, waitingReaders } from "@/server/evidence/chain/chain-stream";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { env } from "@/server/ground/env";
import { auditRow, auditRows, chainOf, daysAgo, roles, tamper, tamperBy } from "@/testing/chain";
import { checkText } from "@/testing/evidence/bundles";
import { call, createOrg, createUser, ctxFor, auditRows as recordedRows, type TestUser } from "@/testing/factories";
import { permit } from "@/testing/permit";
import { withSettings } from "@/testing/settings";
import { writeEntries } from "./entries";
import { exportEvidence } from "./export";
import { BundleStream } from "./stream";

const keys = () => ownKeys().map(formatVerifierKey);
type Line = { type: string; chainSeq?: number; through?: number };
const linesOf = (text: string): Line[] =>
  text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
const shape = (text: string) =>
  linesOf(text).map(({ type, chainSeq, through }) =>
    type === "row" ? chainSeq : type === "skip" ? `skip ${through}` : type,
  );

async function download(token: TestUser, query = "") {
  const answer = await call(token, `GET /audit-logs/evidence?${query}`);
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  return answer.text;
}

describe("an evidence bundle", () => {
  let orgId: string;
  let admin: TestUser;
  const october = (day: number) => `2025-10-${String(day).padStart(2, "0")}T12:00:00.000Z`;

  beforeAll(async () => {
    orgId = (await createOrg({ name: "Contoso & Söhne" })).id;
    admin = await createUser({ orgId, role: "org_admin" });
    const details = '{"n": 1.0, "t": "a\\nb\\\\"}';
    // September, October, one late October entry behind November's.
    const days = [
      "2025-09-30T23:59:59.999Z",
      october(1),
      october(2),
      "2025-11-01T00:00:00.000Z",
      october(3),
      "2025-11-02T00:00:00.000Z",
    ];
    await appendAudit(
      roles.app,
      days.map((timestamp) => auditRow(orgId, { timestamp, details, resourceName: "Größe 😀" })),
    );
  });

  it("is intact, complete and sealed for the whole log", async () => {
    const text = await download(admin);
    expect(shape(text).slice(0, 2)).toEqual(["header", "checkpoint"]);
    expect(await checkText(text, { keys: keys() })).toMatchObject({
      status: "intact",
      complete: "proven",
      firstSeq: 1,
      hashesOnly: 0,
      breaks: [],
      header: { organization: "Contoso & Söhne", range: { kind: "whole" } },
    });
    expect(await checkText(text)).toMatchObject({
      status: "unproven",
      reasons: [expect.stringContaining("pass --key")],
    });
  });

  it("contains October's entries and only hashes of all others", async () => {
    const text = await download(admin, "from=2025-10-01T00:00:00Z&to=2025-10-31T23:59:59.999Z");
    const stored = await chainOf(orgId);
    expect(shape(text)).toEqual(
      ["header", "checkpoint", "skip 1", 2, 3, "skip 4", 5, `skip ${stored.length - 1}`, "end"].map((part) =>
        part === `skip ${stored.length - 1}` ? expect.stringMatching(/^skip \d+$/) : part,
      ),
    );
    for (const { id, chainSeq } of stored)
      expect(text.includes(id), `entry ${chainSeq}`).toBe([2, 3, 5].includes(Number(chainSeq)));
    expect(await checkText(text, { keys: keys() })).toMatchObject({
      status: "intact",
      complete: "attested",
      rowsChecked: 3,
      notices: [expect.stringContaining("signed word")],
    });
  });

  it("contains exactly the entries of a sequence range", async () => {
    const text = await download(admin, "fromSeq=2&toSeq=4");
    expect(shape(text).filter((part) => typeof part === "number")).toEqual([2, 3, 4]);
    expect(await checkText(text, { keys: keys() })).toMatchObject({
      status: "intact",
      complete: "proven",
      rowsChecked: 3,
    });
  });

  it("proves that a time range has no entries", async () => {
    const text = await download(admin, "from=2024-01-01T00:00:00Z&to=2024-02-01T00:00:00Z");
    expect(await checkText(text, { keys: keys() })).toMatchObject({
      status: "empty",
      rowsChecked: 0,
      complete: "attested",
    });
  });

  it("continues from a checkpoint that the caller kept", async () => {
    const signing = await signCheckpoint(orgId);
    if (signing.kind !== "signed") throw new Error("not signed");
    await appendAudit(roles.app, auditRows(orgId, 3));
    const { note, size } = signing.note;
    const text = await download(admin, `since=${size}&fromSeq=1&toSeq=1`);
    const found = await checkText(text, { keys: keys(), since: note });
    expect(found).toMatchObject({ status: "intact", notices: [expect.stringContaining(`size ${size}`)] });
  });

  it("records its range and is named after it", async () => {
    const answer = await call(admin, "GET /audit-logs/evidence?fromSeq=2&toSeq=3");
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="evidence-contoso-sohne-entries-2-to-3.ndjson"',
    );
    const recorded = async () =>
      (await recordedRows(orgId)).filter((row) => row.action === "audit_logs.evidence").map((row) => row.details);
    await expect.poll(recorded).toContainEqual(expect.objectContaining({ fromSeq: 2, toSeq: 3 }));
  });

  it.each([
    ["toSeq=99999", "toSeq"],
    ["fromSeq=99999", "fromSeq"],
    ["fromSeq=3&toSeq=2", "fromSeq"],
    ["fromSeq=0", "fromSeq"],
    ["fromSeq=1&from=2025-10-01T00:00:00Z", "fromSeq"],
    ["since=99999", "since"],
    ["since=abc", "since"],
    ["from=2025-10-02T00:00:00Z&to=2025-10-01T00:00:00Z", "from"],
  ])("rejects %s and names %s", async (query, path) => {
    const answer = await call(admin, `GET /audit-logs/evidence?${query}`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).errors[0].path).toBe(path);
  });
});

/** Keeps all downloads waiting until the function that it returns is called. */
function holdDownloads(): () => Promise<unknown> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const slow = Array.from({ length: 4 }, () => readChain({ kind: "system" }, () => ended, { pool: "download" }));
  return () => {
    end();
    return Promise.all(slow);
  };
}

it("evidence of a time range is refused when an entry leaves the range during the export", async () => {
  const { id } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
  await appendAudit(roles.app, auditRows(id, 8));
  const release = holdDownloads();
  const recorded = async () => (await recordedRows(id)).filter((row) => row.action === "audit_logs.evidence").length;
  const asked = exportEvidence.run(ctx, { orgId: id, from: new Date(daysAgo(1)) });
  const answer = asked.then(
    async (given) => checkText(given instanceof Response ? await given.text() : "", { keys: keys() }),
    ({ code }) => code,
  );
  await expect.poll(() => waitingReaders("download")).toBe(1);
  await tamperBy(`UPDATE audit_logs SET "timestamp" = '${daysAgo(9)}' WHERE org_id = '${id}' AND chain_seq = 5`);
  await release();
  expect(await answer).toBe("conflict");
  expect(await recorded()).toBe(0);
});

/** Removes entries as retention does. */
async function prune(orgId: string, through: number) {
  await permit(orgId, through);
  await roles.admin.begin(async (tx) => {
    await tx`SET LOCAL trailmark.prune = 'on'`;
    await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= ${through}`;
  });
}

it("evidence that waits during pruning includes the new receipt", async () => {
  const { id } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
  await appendAudit(roles.app, [...auditRows(id, 5, { timestamp: daysAgo(500) }), ...auditRows(id, 3)]);
  const release = holdDownloads();
  const waiting = (await exportEvidence.run(ctx, { orgId: id })) as Response;
  const text = waiting.text();
  await prune(id, 5);
  await release();
  const found = await checkText(await text, { keys: keys() });
  expect(found).toMatchObject({ status: "intact", firstSeq: 6, receipt: { through: 5 } });
});

it("evidence of a pruned log contains the signed receipt", async () => {
  const { id } = await createOrg();
  const owner = await createUser({ orgId: id, role: "org_admin" });
  await appendAudit(roles.app, [...auditRows(id, 5, { timestamp: daysAgo(500) }), ...auditRows(id, 3)]);
  await prune(id, 5);
  expect(await checkText(await download(owner), { keys: keys() })).toMatchObject({
    status: "intact",
    firstSeq: 6,
    receipt: { through: 5 },
  });
  const allowed =
    /^Retention was allowed to remove entries before .+ \(through sequence 5\); some may have been of this range/;
  const noticesOf = async (query: string) => {
    const found = await checkText(await download(owner, query), { keys: keys() });
    return found.status === "unreadable" ? [] : found.notices.filter((notice) => allowed.test(notice));
  };
  expect(await noticesOf(`from=${daysAgo(1)}`)).toHaveLength(1);
  // The receipt of permit() is of now: it says nothing of what comes after it.
  expect(await noticesOf(`from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  withSettings({ NEXTAUTH_URL: "https://renamed.example" });
  const renamed = await download(owner);
  expect(await checkText(renamed, { keys: keys() })).toMatchObject({
    status: "intact",
    header: { origin: `renamed.example/log/${id}` },
    receipt: { through: 5 },
  });
});

it.each([
  ["the last entry", "chain_seq = 6", [1, 2, 3, 4, 5]],
  ["every entry", "true", []],
])("evidence of a log that lost %s is sent in full and judged broken", async (_, where, left) => {
  const { id } = await createOrg();
  const admin = await createUser({ orgId: id, role: "org_admin" });
  await appendAudit(roles.app, auditRows(id, 6));
  await signCheckpoint(id);
  await tamperBy(`DELETE FROM audit_logs WHERE org_id = '${id}' AND ${where}`);
  expect((await call(admin, "GET /audit-logs/evidence")).body).toMatchObject({
    status: 409,
    code: "alarm_open",
  });
  const text = await download(admin, "despite=alarm");
  expect(shape(text)).toEqual(["header", "checkpoint", ...left, "end"]);
  expect(await checkText(text, { keys: keys() })).toMatchObject({ status: "broken" });
});

it("evidence missing an entry needed for `since` omits that proof and is broken", async () => {
  const { id } = await createOrg();
  const admin = await createUser({ orgId: id, role: "org_admin" });
  await appendAudit(roles.app, auditRows(id, 6));
  await signCheckpoint(id);
  await tamperBy(`DELETE FROM audit_logs WHERE org_id = '${id}' AND chain_seq = 3`);
  const text = await download(admin, "since=2&despite=alarm");
  expect(shape(text)).toEqual(["header", "checkpoint", 1, 2, 4, 5, 6, "end"]);
  expect(await checkText(text, { keys: keys() })).toMatchObject({ status: "broken" });
});

it.each([
  ["a range beside them", "fromSeq=300&toSeq=310"],
  ["a proof from an older checkpoint", "fromSeq=590&since=100"],
])("evidence with changed tree leaves is refused, and the alarm names the tile: %s", async (_, query) => {
  const { id } = await createOrg();
  const admin = await createUser({ orgId: id, role: "org_admin" });
  await appendAudit(roles.app, auditRows(id, 600));
  await signCheckpoint(id);
  const idx = query.includes("since") ? 0 : 1;
  await tamperBy(
    `UPDATE audit_tree_tiles SET leaves = set_byte(leaves, 40, get_byte(leaves, 40) # 1) WHERE org_id = '${id}' AND level = 0 AND idx = ${idx}`,
  );
  const answer = await call(admin, `GET /audit-logs/evidence?${query}`);
  expect(answer.body).toMatchObject({ status: 409, code: "alarm_open" });
  const [alarm] = await openAlarms({ kind: "organization", orgIds: [id], partnerId: "" });
  expect(alarm?.breaks[0]?.expected).toContain(`tile 0/${idx} of the tree`);
  const text = await download(admin, `${query}&despite=alarm`);
  expect(await checkText(text, { keys: keys() })).toMatchObject({ warnings: [expect.stringContaining("alarm")] });
});

it("evidence is refused over an altered entry even if the database stores no alarm", async () => {
  const { id } = await createOrg();
  const admin = await createUser({ orgId: id, role: "org_admin" });
  await appendAudit(roles.app, auditRows(id, 4));
  await signCheckpoint(id);
  await appendAudit(roles.app, auditRows(id, 2));
  await tamper((tx) => tx`UPDATE audit_logs SET actor_email = 'bob' WHERE org_id = ${id} AND chain_seq = 6`);
  await roles.owner.unsafe(
    `CREATE RULE mine AS ON INSERT TO audit_alarms WHERE new.org_id = '${id}' DO INSTEAD NOTHING`,
  );
  try {
    expect((await call(admin, "GET /audit-logs/evidence")).body).toMatchObject({
      status: 409,
      code: "alarm_open",
    });
  } finally {
    await roles.owner`DROP RULE mine ON audit_alarms`;
  }
});

it("evidence returns 503 while no checkpoint can be signed, and succeeds afterwards", async () => {
  const { id } = await createOrg();
  const admin = await createUser({ orgId: id, role: "org_admin" });
  await appendAudit(roles.app, auditRows(id, 4));
  await signCheckpoint(id);
  await appendAudit(roles.app, auditRows(id, 2));
  const { TRAILMARK_DATA_DIR: folder } = env();
  withSettings({ TRAILMARK_DATA_DIR: "/dev/null/full" });
  const refused = await call(admin, "GET /audit-logs/evidence");
  withSettings({ TRAILMARK_DATA_DIR: folder });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(await checkText(await download(admin), { keys: keys() })).toMatchObject({ status: "intact" });
});

it("an evidence download is not cut off by a database timeout", async () => {
  const { id: orgId } = await createOrg();
  await appendAudit(roles.app, auditRows(orgId, 4));
  await signCheckpoint(orgId);
  const scope = { kind: "organization", orgIds: [orgId], partnerId: "" } as const;
  const timeout = await readChain(scope, async (reader) => {
    const target = { scope, out: new BundleStream(), signal: new AbortController().signal };
    await writeEntries(reader, { orgId, size: 4, range: { kind: "whole" } }, target);
    return (await reader.sql<{ statement_timeout: string }[]>`SHOW statement_timeout`)[0]?.statement_timeout;
  });
  expect(timeout).toBe("0");
});

it("evidence of an organization without entries proves that there are none", async () => {
  const { id } = await createOrg();
  const owner = await createUser({ orgId: id, role: "org_admin" });
  const rows = await chainOf(id);
  const found = await checkText(await download(owner), { keys: keys() });
  expect(found).toMatchObject({ status: rows.length > 0 ? "intact" : "empty" });
});

it("evidence downloads are limited to a few at once, and a finished one frees its slot", async () => {
  const { id: large } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId: large, role: "org_admin" }));
  // More than the streams hold, so that a download that no client reads stays under way.
  const details = JSON.stringify({ note: "x".repeat(4_000) });
  await appendAudit(roles.app, auditRows(large, 500, { details }));
  const begin = (): Promise<Response> => exportEvidence.run(ctx, { orgId: large }) as Promise<Response>;
  const open = await Promise.all(Array.from({ length: EXPORT_SLOTS.max }, begin));
  const recorded = async () => (await recordedRows(large)).filter((row) => row.action === "audit_logs.evidence").length;
  const before = await recorded();
  await expect(begin()).rejects.toMatchObject({ code: "rate_limited" });
  expect(await recorded()).toBe(before);
  await open[0]?.text();
  await open[1]?.body?.cancel();
  await vi.waitFor(async () => expect((await (await begin()).text()).length).toBeGreaterThan(2_000_000), {
    timeout: 60_000,
  });
  await Promise.all(open.slice(2).map((answer) => answer.text()));
});
