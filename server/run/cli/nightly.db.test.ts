import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { auditRows, roles, tamperBy } from "@/testing/chain";
import { runCli, runHere, settingsFor, withCli } from "@/testing/cli";
import { createOrg } from "@/testing/factories";
import { repairHead } from "./chain-repair";
import { nightly as nightlyCommand } from "./nightly";
import { search } from "./search";

const dir = withCli();
const settings = settingsFor(dir);

const nightly = (args: string[], env = {}) => runCli(["nightly", ...args], { env: { ...settings, ...env } });
async function chain(): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 10));
  return id;
}

it("nightly exits by verdict: intact, broken or not proven, in text and JSON", async () => {
  const [fine, altered] = [await chain(), await chain()];
  const intact = await nightly(["--org", fine, "--json"]);
  expect(intact.code).toBe(0);
  expect(JSON.parse(intact.out)).toMatchObject({
    organizations: [{ orgId: fine, status: "intact", covered: { lastSeq: 10 } }],
    broken: 0,
  });
  await tamperBy(`UPDATE audit_logs SET resource_name = 'other' WHERE org_id = '${altered}' AND chain_seq = 4`);
  const broken = await nightly(["--org", fine, "--org", altered]);
  expect(broken.code).toBe(1);
  expect(broken.out).toMatch(new RegExp(`BROKEN +${altered}`));
  expect(broken.out).toContain("altered at sequence 4");
  const report = await nightly(["--org", altered, "--json"]);
  expect(JSON.parse(report.out)).toMatchObject({ organizations: [{ orgId: altered, status: "broken" }], broken: 1 });

  const key = join(dir, "no-key.pem");
  writeFileSync(key, "not a key");
  const unproven = await nightly(["--org", fine], { TRAILMARK_SIGNING_KEY_FILE: key });
  expect(unproven.code).toBe(3);
  expect(unproven.out).toMatch(new RegExp(`NOT PROVEN +${fine}`));
  expect(unproven.out).toContain("No checkpoint could be signed");
});

it("an unreachable database exits 2, not as a broken chain", async () => {
  const away = new URL(inject("databaseUrl"));
  away.pathname = "/nowhere";
  const { code, err } = await nightly([], { DATABASE_URL: away.href });
  expect(code).toBe(2);
  expect(err).toContain("nowhere");
});

it("invalid arguments exit 2 with an explanation", async () => {
  expect(await nightly(["--org", "nobody"])).toMatchObject({ code: 2, err: expect.stringContaining("--org") });
  const unknown = "00000000-0000-4000-8000-000000000000";
  expect(await nightly(["--org", unknown])).toMatchObject({ code: 2, err: expect.stringContaining(unknown) });
  expect(await runHere(nightlyCommand, "--all", "--org", unknown)).toMatchObject({ code: 2 });
  expect(await runHere(repairHead)).toMatchObject({ code: 2, err: "--org is needed." });
});

it("repair-head rebuilds a lost head and refuses a broken chain", async () => {
  const [lost, broken] = [await chain(), await chain()];
  const repair = (org: string) => runCli(["repair-head", "--org", org], { env: settings });
  await tamperBy(`DELETE FROM audit_chain_heads WHERE org_id IN ('${lost}', '${broken}')`);
  await tamperBy(`DELETE FROM audit_logs WHERE org_id = '${broken}' AND chain_seq = 4`);
  const done = await repair(lost);
  expect(done).toMatchObject({ code: 0 });
  expect(done.out).toMatch(/INTACT +the whole chain/);
  expect(await repair(lost)).toMatchObject({ code: 0, out: expect.stringContaining("nothing to repair") });
  expect(await repair(broken)).toMatchObject({ code: 1, err: expect.stringContaining("Refused") });
});

it("search rebuild recreates an organization's index", async () => {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, 300));
  const segments = () =>
    roles.owner.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      return tx`SELECT first_seq::int AS first, last_seq::int AS last, id FROM audit_segments WHERE org_id = ${id}`;
    });
  const rebuild = () => runCli(["search", "rebuild", "--org", id], { env: settings });
  expect(await rebuild()).toMatchObject({ code: 0, out: expect.stringContaining(id) });
  const [before] = await segments();
  expect(before).toMatchObject({ first: 1, last: 300 });
  await rebuild();
  const [after] = await segments();
  expect(after).toMatchObject({ first: 1, last: 300 });
  expect(after?.id).not.toBe(before?.id);
  expect(await runHere(search)).toMatchObject({ code: 2, err: expect.stringContaining("rebuild") });
});
