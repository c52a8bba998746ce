import { randomUUID } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { startEmbedded } from "@/db/embedded/embedded";
import { migrate } from "@/db/migrate";
import { agentLogs, deviceEventLogs, organizations, users, userTotp } from "@/db/schema";
import { appendAudit } from "@/server/audit/record/append";
import { relay, stopRelay } from "@/server/devices/live/relay";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { watchCallers } from "@/server/ground/background/streams";
import { auditRows, daysAgo, roles, tamper } from "@/testing/chain";
import { runCli, runHere, settingsFor, withCli } from "@/testing/cli";
import {
  bearer,
  call,
  createDevice,
  createOrg,
  createPartner,
  createUser,
  auditRows as recordedRows,
} from "@/testing/factories";
import { proofText } from "@/testing/proofs/entry-proof";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { createAdmin } from "./accounts";
import { verify } from "./verify";
import { witness } from "./witness";

const PASSWORD = "correct horse battery staple";
const dir = withCli();
const settings = settingsFor(dir);

beforeAll(() => {
  withSettings({ TRAILMARK_DATA_DIR: dir });
});
afterAll(stopRelay);

describe("verify", () => {
  let orgId: string;
  let bundle: string;
  const file = () => join(dir, "bundle.ndjson");
  const check = (text: string, ...args: string[]) => {
    writeFileSync(file(), text);
    return runHere(verify, file(), ...args);
  };

  beforeAll(async () => {
    orgId = (await createOrg({ name: "Contoso" })).id;
    const admin = await createUser({ orgId, role: "org_admin" });
    // U+2028 ends a line for readline, not for a bundle.
    await appendAudit(roles.app, auditRows(orgId, 20, { resourceName: "one\u2028two" }));
    bundle = (await call(admin, "GET /audit-logs/evidence")).text;
  });

  const key = () => (JSON.parse(bundle.split("\n")[0] ?? "") as { publicKeys: string[] }).publicKeys[0] ?? "";

  it("keeps its exit code when its output is closed", async () => {
    writeFileSync(file(), bundle);
    const run = () => runCli(["verify", file(), "--key", key()], { deaf: true });
    expect(await run()).toMatchObject({ code: 0, err: "" });
  });

  it("exits 0 for an intact bundle under the installation's key, without settings", async () => {
    writeFileSync(file(), bundle);
    const ran = await runCli(["verify", file(), "--key", key()]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toMatch(/^INTACT: evidence bundle, version \d/);
    expect(ran.out).toContain(`Of         Contoso (${orgId})`);
    expect(ran.out).toContain("Entries    20 inside the range, sequence 1 to 20");
    expect(ran.out).toContain(`Signed by  ${key()}`);
  });

  it("reads standard input and prints JSON", async () => {
    const ran = await runCli(["verify", "-", "--json", "--key", key()], { input: bundle });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ status: "intact", rowsChecked: 20 });
    const proof = await runCli(["verify", "-", "--json"], { input: proofText() });
    expect([proof.code, JSON.parse(proof.out).status]).toEqual([3, "unproven"]);
  });

  it("exits 3 as not proven without a key or with another one", async () => {
    const other = "elsewhere.example+2c3e6502+AWVncZBeHvcx9lzQoNn7BhI4OAoaAS5qvfhG7MfS6jb9";
    for (const args of [[], ["--key", other]]) {
      const ran = await check(bundle, ...args);
      expect(ran).toMatchObject({ code: 3, err: "" });
      expect(ran.out).toContain("NOT PROVEN: evidence bundle");
      expect(ran.out).toMatch(args.length > 0 ? /^Not proven /m : /^Not proven It fits in itself.*; pass --key\.$/m);
    }
  });

  it("rejects a malformed key or one with a wrong ID", async () => {
    const forged = key().replace(/\+[0-9a-f]{8}\+/, "+00000000+");
    for (const wrong of ["nonsense", forged])
      expect(await check(bundle, "--key", wrong)).toMatchObject({ code: 2, out: "" });
  });

  it("names the first break and exits 1", async () => {
    const ran = await check(bundle.replace("one", "two"), "--key", key());
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("BROKEN");
    expect(ran.out).toContain("altered at sequence 1 ");
  });

  it("exits 2 as unreadable for a missing file, and reports a missing FILE argument", async () => {
    const absent = await runCli(["verify", join(dir, "none")]);
    expect(absent).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/^UNREADABLE/) });
    expect((await runCli(["verify"])).err).toContain("FILE is needed");
  });
});

describe.concurrent("commands on an external database", () => {
  it("create a system and a partner administrator, with the password from standard input", async () => {
    const name = `cli-${Date.now()}`;
    const system = await runCli(["create-admin", "--email", `${name}@system.example`, "--password-stdin", "--system"], {
      env: settings,
      input: `${PASSWORD}\n`,
    });
    expect(system).toMatchObject({ code: 0, err: "" });
    const partner = await createPartner();
    const args = [
      "create-admin",
      "--email",
      `${name}@partner.example`,
      "--password",
      PASSWORD,
      "--partner",
      partner.id,
    ];
    expect(await runCli(args, { env: settings })).toMatchObject({ code: 0 });
    const found = await asSystem((tx) =>
      tx
        .select({ role: users.role })
        .from(users)
        .where(eq(users.email, `${name}@partner.example`)),
    );
    expect(found).toEqual([{ role: "partner_admin" }]);
    const recorded = await recordedRows(partner.homeOrgId);
    expect(recorded.map((row) => [row.action, row.actorType])).toContainEqual(["user.create", "system"]);
    expect((await runCli(args, { env: settings })).err).toContain("already in use");
  });

  it("list administrators and reset a password, which ends sessions and is recorded", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const listed = await runCli(["list-admins"], { env: settings });
    expect(listed.out).toContain(`${admin.email}\tpartner_admin\t${partner.name}\tactive\tnever\n`);
    const open = await bearer(admin);
    const input = "an entirely new password";
    const args = ["reset-password", "--email", admin.email.toUpperCase(), "--password-stdin"];
    await relay().listen();
    let woken = 0;
    const leave = watchCallers(() => void woken++);
    const done = await runCli(args, { env: settings, input });
    expect(done).toMatchObject({ code: 0, out: `${admin.email} has a new password; 1 session ended.\n` });
    await expect.poll(() => woken).toBeGreaterThan(0);
    leave();
    expect((await call(open, "GET /me")).status).toBe(401);
    expect((await call(null, "POST /auth/token", { email: admin.email, password: input })).status).toBe(200);
    expect((await recordedRows(partner.homeOrgId)).map((row) => row.action)).toEqual([
      "user.password.reset",
      "user.login",
    ]);
    expect(await runCli(args, { env: settings, input: "short" })).toMatchObject({ code: 2 });
    await asSystem((tx) => tx.insert(userTotp).values({ userId: admin.id, secret: "x", confirmedAt: new Date() }));
    const signIn = async () => (await call(null, "POST /auth/token", { email: admin.email, password: input })).status;
    expect(await signIn()).toBe(401);
    expect(await runCli([...args, "--remove-two-factor"], { env: settings, input })).toMatchObject({ code: 0 });
    expect(await signIn()).toBe(200);
    const unknown = ["reset-password", "--email", "nobody@example.test", "--password-stdin"];
    expect((await runCli(unknown, { env: settings, input })).err).toContain("There is no user nobody@example.test.");
  });

  it("reject a short password, a missing email and an unknown option with an explanation", async () => {
    const short = await runCli(["create-admin", "--email", "a@b.example", "--password", "short", "--system"], {
      env: settings,
    });
    expect(short).toMatchObject({ code: 2, out: "" });
    expect(short.err).toContain("password: must have at least 12 characters");
    expect((await runHere(createAdmin, "--password", PASSWORD)).err).toContain("--email is needed");
    expect(await runHere(createAdmin, "--nonsense")).toMatchObject({ code: 2 });
    expect(await runCli(["nonsense"])).toMatchObject({ code: 2 });
  });

  it("print a working API key alone on standard output", async () => {
    const org = await createOrg();
    const [row] = await asSystem((tx) =>
      tx.select({ slug: organizations.slug }).from(organizations).where(eq(organizations.id, org.id)),
    );
    const args = ["create-api-key", "--name", "Script", "--permission", "audit:read,audit:export"];
    const created = await runCli([...args, "--org", row?.slug ?? ""], { env: settings });
    expect(created.code).toBe(0);
    expect(created.out).toMatch(/^tmk_[A-Za-z0-9_-]{40}\n$/);
    expect((await call(created.out.trim(), "GET /audit-logs/evidence")).status).toBe(200);
    expect((await runCli([...args, "--org", "nowhere"], { env: settings })).err).toContain("no organization");
    expect((await runCli([...args.slice(0, -1), "everything", "--org", org.id], { env: settings })).code).toBe(2);
  });

  it("prune once, or only preview with --dry-run", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 7, { timestamp: daysAgo(400) }));
    const look = await runCli(["retention", "--dry-run", "--org", id], { env: settings });
    expect(look).toMatchObject({ code: 0 });
    expect(look.out).toContain("7 audit entries would go (sequence 1 to 7)");
    const run = await runCli(["retention", "--org", id], { env: settings });
    expect(run.out).toContain("7 audit entries went");
    expect(run.out).toContain("0 diagnostic logs and 0 device events of 1 organizations went.");
    expect((await runCli(["retention", "--org", id], { env: settings })).out).toContain(
      "0 audit entries of 1 organizations",
    );
    const { AUDIT_ADMIN_DATABASE_URL: _, ...without } = settings;
    const off = await runCli(["retention", "--org", id], { env: without });
    expect(off).toMatchObject({ code: 1, err: "AUDIT_ADMIN_DATABASE_URL is not set: no audit entry can be pruned.\n" });
  });

  it("prune an organization by its ID in capitals, and reject an unknown one", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 7, { timestamp: daysAgo(400) }));
    const run = (org: string) => runCli(["retention", "--dry-run", "--org", org], { env: settings });
    expect((await run(id.toUpperCase())).out).toContain("7 audit entries would go (sequence 1 to 7)");
    for (const nobody of [await run(randomUUID()), await run("nowhere")])
      expect(nobody).toMatchObject({ code: 2, out: "", err: expect.stringContaining("there is no organization") });
  });

  it("refuse to prune while the clocks differ", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 7, { timestamp: daysAgo(400) }));
    const twoHoursAhead = "data:text/javascript,Date.now=(n=>()=>n()+7200000)(Date.now)";
    const env = { ...settings, NODE_OPTIONS: `--import ${twoHoursAhead}` };
    const ran = await runCli(["retention", "--org", id], { env });
    expect(ran).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/ 2 hours apart\. Nothing is pruned\.\n$/),
    });
    expect(await recordedRows(id)).toHaveLength(7);
  });

  it("prune device logs without the elevated role", async () => {
    const { id: deviceId, orgId } = await createDevice();
    const [old, recent] = [new Date(daysAgo(400)), new Date(daysAgo(3))];
    const common = { deviceId, orgId, message: "m", level: "info", createdAt: recent } as const;
    await asSystem(async (tx) => {
      for (const timestamp of [old, old, recent]) {
        await tx.insert(agentLogs).values({ ...common, timestamp, component: "c" });
        await tx.insert(deviceEventLogs).values({ ...common, timestamp, category: "system", source: "s" });
      }
    });
    const { AUDIT_ADMIN_DATABASE_URL: _, ...without } = settings;
    const run = (...more: string[]) => runCli(["retention", "--org", orgId, ...more], { env: without });
    const two = "2 diagnostic logs and 2 device events";
    expect((await run("--dry-run")).out).toBe(`${orgId}  ${two} would go\n${two} of 1 organizations would go.\n`);
    expect((await run()).out).toBe(`${orgId}  ${two} went\n${two} of 1 organizations went.\n`);
    expect(await asSystem((tx) => tx.$count(deviceEventLogs, eq(deviceEventLogs.orgId, orgId)))).toBe(1);
    expect((await run()).out).toBe("0 diagnostic logs and 0 device events of 1 organizations went.\n");
  });

  it("doctor checks everything and names what contradicts a checkpoint", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 3));
    await signCheckpoint(id);
    const findings = async () => {
      const ran = await runCli(["doctor", "--json"], { env: settings });
      const all = JSON.parse(ran.out) as { about: string; level: string; detail: string }[];
      return { code: ran.code, of: (about: string) => all.find((f) => f.about === about) };
    };
    const before = await findings();
    for (const about of ["environment", "data folder", "database", "application role", "migrations", "pruning"])
      expect(before.of(about)).toMatchObject({ level: "ok" });
    expect(before.of("checkpoints")?.level).not.toBe("fail");
    expect(before.of("signing key")?.detail).toMatch(/\S+\+[0-9a-f]{8}\+\S{44} \(pins every organization below \S+\)$/);
    expect(before.of("witnesses")).toMatchObject({ level: "ok" });
    expect(before.of("notes and trees")).toMatchObject({ level: "ok" });
    await tamper((tx) => tx`UPDATE audit_logs SET checksum = repeat('0', 64) WHERE org_id = ${id} AND chain_seq = 3`);
    await tamper((tx) => tx`DELETE FROM audit_trees WHERE org_id = ${id}`);
    const after = await findings();
    expect(after.code).toBe(1);
    expect(after.of("checkpoints")).toMatchObject({ level: "fail", detail: expect.stringContaining(id) });
    expect(after.of("notes and trees")).toMatchObject({ level: "warn", detail: `no row of the tree: ${id}` });
  });

  it("doctor explains problems with the environment, the database and its role", async () => {
    const away = { ...settings, DATABASE_URL: "postgres://trailmark_app:x@127.0.0.1:1/none" };
    expect((await runCli(["doctor"], { env: away })).out).toMatch(/FAIL {2}database +not reachable/);
    const broken = await runCli(["doctor"], { env: { ...settings, PORT: "no", LOG_LEVEL: "loud" } });
    expect(broken).toMatchObject({ code: 1 });
    expect(broken.err).toContain("PORT");
    const policy = join(dir, "witnesses.policy");
    writeFileSync(policy, "quorum none\nwitness one nokey http://x\n");
    const witnessed = await runCli(["doctor"], { env: { ...settings, TRAILMARK_WITNESS_POLICY_FILE: policy } });
    expect(witnessed.out).toMatch(/FAIL {2}witnesses .*line 2: the verifier key is malformed/);
    const asOwner = { ...settings, DATABASE_URL: settings.TRAILMARK_OWNER_DATABASE_URL ?? "" };
    expect((await runCli(["doctor"], { env: asOwner })).out).toContain("it could change history");
    const misspelt = await runCli(["doctor"], { env: { ...settings, TRAILMARK_SIGNING_KEYFILE: "/etc/key.pem" } });
    expect(misspelt.out).toMatch(
      /WARN {2}environment +TRAILMARK_SIGNING_KEYFILE .* did you mean TRAILMARK_SIGNING_KEY_FILE/,
    );
  });

  it.each([
    ["doctor", 1],
    ["nightly", 2],
    ["backup", 1],
    ["retention", 1],
    ["list-admins", 1],
  ] as const)("%s does not create settings when there is no installation", async (command, code) => {
    const empty = tempFolder();
    const ran = await runCli([command], { env: { TRAILMARK_DATA_DIR: empty } });
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.err).toContain("There is no installation to work on: DATABASE_URL is not set");
    expect(readdirSync(empty)).toEqual([]);
  });
});

it("explains that the data folder is not writable", async () => {
  const ran = await runCli(["migrate"], { env: { TRAILMARK_DATA_DIR: "/proc" } });
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toMatch(/TRAILMARK_DATA_DIR: \/proc\/nextauth-secret cannot be kept \(.*\)/);
  expect(ran.err).not.toMatch(/^ +at /m);
});

describe("commands on the embedded PostgreSQL", () => {
  it("work while a server runs on it, and leave it running", async () => {
    const home = tempFolder();
    const server = await startEmbedded(home, { durable: false });
    try {
      await migrate(server);
      const env = { TRAILMARK_DATA_DIR: home };
      const created = await runCli(["create-admin", "--email", "first@partner.example", "--password-stdin"], {
        env,
        input: PASSWORD,
      });
      expect(created).toMatchObject({ code: 0, err: "" });
      expect(created.out).toContain("Created the partner Home");
      const sql = postgres(server.ownerUrl, { max: 1, onnotice: () => {} });
      expect((await sql`SELECT count(*)::int AS n FROM users`)[0]?.n).toBe(1);
      await sql.end();
    } finally {
      await server.stop();
    }
  });
});

describe("witness", () => {
  const VKEY = "trailmark.contoso.example+49d704ea+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c";

  it("creates its key, prints its address and logs, and stops on a signal", async () => {
    const folder = join(dir, "witness");
    const args = ["witness", "--log", VKEY, "--dir", folder, "--listen", "127.0.0.1:0", "--name", "witness.example"];
    const first = await runCli(args, { until: /Log / });
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(/Key +witness\.example\+[0-9a-f]{8}\+[A-Za-z0-9+/]+\n/);
    expect(first.out).toMatch(/Listening +http:\/\/127\.0\.0\.1:\d+\/add-checkpoint\n/);
    expect(first.out).toContain("Log        trailmark.contoso.example and every log below it");
    const keyOf = (out: string) => /^Key.*$/m.exec(out)?.[0];
    expect(keyOf((await runCli(args, { until: /Log / })).out)).toBe(keyOf(first.out));
  });

  it("explains invalid options", async () => {
    for (const [args, wrong] of [
      [[], "--log is needed."],
      [["--log", VKEY.replace("49d704ea", "49d704eb"), "--dir", dir], "is not a verifier key"],
      [["--log", VKEY], "--dir is needed."],
      [["--log", VKEY, "--dir", dir, "--listen", "8787"], "is not HOST:PORT"],
    ] as const) {
      const ran = await runHere(witness, ...args);
      expect(ran).toMatchObject({ code: 2, err: expect.stringContaining(wrong) });
    }
  });
});
