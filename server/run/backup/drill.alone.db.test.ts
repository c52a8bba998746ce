import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Embedded, startEmbedded } from "@/db/embedded/embedded";
import { migrate } from "@/db/migrate";
import { appendAudit } from "@/server/audit/record/append";
import { processName } from "@/server/ground/process-name";
import { auditRows } from "@/testing/chain";
import { runCli, withCli } from "@/testing/cli";
import { tempFolder } from "@/testing/temp-folder";

const PASSWORD = "correct horse battery staple";
const PASSPHRASE = "a passphrase for the keys";

/** The drill of the guide, on the embedded PostgreSQL: write, back up, write more, destroy, restore, verify, continue. */
describe("restore drill", () => {
  let home: string;
  let backups: string;
  let orgId: string;
  let laterOrgId: string;
  let file: string;
  let server: Embedded;
  const trailmark = (...args: string[]) => runCli(args, { env: { TRAILMARK_DATA_DIR: home } });
  const spooled = () => join(home, "spool", `${processName()}~0a1b2c`, "00000001.log");
  const query = async <T extends object>(url: string, text: string): Promise<T[]> => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return await sql.unsafe<T[]>(text);
    } finally {
      await sql.end({ timeout: 5 });
    }
  };
  const createOrg = async (slug: string) => {
    const [org] = await query<{ id: string }>(
      server.ownerUrl,
      `INSERT INTO organizations (partner_id, name, slug) SELECT id, '${slug}', '${slug}' FROM partners RETURNING id`,
    );
    return org?.id ?? "";
  };
  const write = async (count: number, to = orgId) => {
    const app = postgres(server.appUrl, { max: 1, onnotice: () => {} });
    await appendAudit(app, auditRows(to, count));
    await app.end();
  };
  const start = async () => {
    server = await startEmbedded(home, { durable: false });
    await migrate(server);
  };

  withCli();
  beforeAll(async () => {
    home = tempFolder();
    backups = tempFolder();
    await start();
    const created = await runCli(["create-admin", "--email", "first@partner.example", "--password-stdin"], {
      env: { TRAILMARK_DATA_DIR: home },
      input: PASSWORD,
    });
    expect(created).toMatchObject({ code: 0, err: "" });
    orgId = await createOrg("contoso");
    await write(30);
    expect(await trailmark("nightly", "--org", orgId)).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await server?.stop();
  });

  it("writes one verified, private file beside a running server and records it", async () => {
    const passphrase = join(backups, "passphrase");
    writeFileSync(passphrase, `${PASSPHRASE}\n`);
    // The files of a running server; this process stands for it.
    mkdirSync(dirname(spooled()), { recursive: true });
    writeFileSync(spooled(), "");
    const created = await trailmark("backup", "--to", `${backups}/`, "--keys-passphrase-file", passphrase);
    expect(created).toMatchObject({ code: 0, err: "" });
    file = /^Backup +(.+)$/m.exec(created.out)?.[1] ?? "";
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(backups).filter((name) => name.includes("partial"))).toEqual([]);
    expect(created.out).toContain("through 3"); // thirty entries of Contoso, and those of the home organization
    expect(await trailmark("backup", "--verify", file)).toMatchObject({ code: 0, err: "" });
    const doctor = await trailmark("doctor");
    expect(doctor.out).toMatch(/ok +backup +the last is 0 h old: .+trailmark-backup\.tar\.gz/);
    const [row] = await query<{ resource_name: string }>(
      server.ownerUrl,
      "SELECT resource_name FROM audit_logs WHERE action = 'backup.created'",
    );
    expect(file.endsWith(row?.resource_name ?? "?")).toBe(true);
    const bytes = readFileSync(file);
    rmSync(join(home, "spool"), { recursive: true });
    const key = readFileSync(join(home, "keys", "checkpoint-ed25519.pem"));
    expect(bytes.includes(key)).toBe(false);
  });

  it("leaves no backup that cannot be restored", async () => {
    const odd = join(home, "checkpoints", "by hand (old).txt");
    writeFileSync(odd, "");
    const before = readdirSync(backups);
    const refused = await trailmark("backup", "--to", join(backups, "unusable"));
    expect(readdirSync(backups)).toEqual(before);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/No backup was made.+ of a name that is not allowed: data\/checkpoints\/by hand/),
    });
    rmSync(odd);
  });

  it("refuses a backup of a later version with unknown migrations", async () => {
    const migrations = "drizzle.__drizzle_migrations";
    await query(server.ownerUrl, `INSERT INTO ${migrations} (hash, created_at) VALUES ('later', 4e12)`);
    const later = join(backups, "later");
    expect(await trailmark("backup", "--to", later)).toMatchObject({ code: 0 });
    await query(server.ownerUrl, `DELETE FROM ${migrations} WHERE hash = 'later'`);
    const refused = await runCli(["restore", later], { env: { TRAILMARK_DATA_DIR: join(backups, "elsewhere") } });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("is of a later version") });
    rmSync(later);
  });

  it("refuses to overwrite a file, and detects truncated, altered and foreign files", async () => {
    expect((await trailmark("backup", "--to", file)).err).toContain("is there already");
    const [whole, altered] = [readFileSync(file), readFileSync(file)];
    const middle = whole.length >> 1;
    altered.writeUInt8((whole[middle] ?? 0) ^ 1, middle);
    const copies: [string, string | Buffer, string][] = [
      ["cut", whole.subarray(0, middle), "is damaged, cut off or no backup"],
      ["altered", altered, "damaged"],
      ["foreign", "hello", "no backup"],
    ];
    const verify = async ([name, content, sentence]: (typeof copies)[number]) => {
      writeFileSync(join(backups, name), content);
      const verified = await trailmark("backup", "--verify", join(backups, name));
      expect(verified).toMatchObject({ code: 1, err: expect.stringContaining(sentence) });
    };
    await Promise.all(copies.map(verify));
    expect((await trailmark("backup", "--verify", join(backups, "none"))).err).toContain("There is no file");
  });

  it("reports lost entries after a disaster from later checkpoints", async () => {
    await write(20);
    laterOrgId = await createOrg("later");
    await write(4, laterOrgId);
    expect(await trailmark("nightly", "--org", orgId, "--org", laterOrgId)).toMatchObject({ code: 0 });
    expect((await trailmark("restore", file)).err).toMatch(/is running: stop the server first/);
    await server.stop();
    expect((await trailmark("restore", file)).err).toMatch(/already: nothing was restored/);
    rmSync(server.cluster, { recursive: true });
    const restored = await trailmark("restore", file);
    expect(restored.err).toBe("");
    expect(restored.code).toBe(1);
    expect(restored.out).toMatch(new RegExp(`LOST +${orgId} +the chain ends at sequence 30`));
    expect(restored.out).toContain("50 entries");
    expect(restored.out).toMatch(
      new RegExp(`LOST +${laterOrgId} +the database has no such organization.*\n +4 entries`),
    );
    expect(restored.out).toContain("Not every chain is as it was signed");
    expect(existsSync(spooled()), "the spool of the server").toBe(true);
  });

  it("restores roles, rights, policies and triggers; the chain contradicts newer checkpoints", async () => {
    await start();
    const doctor = await trailmark("doctor", "--json");
    const findings = JSON.parse(doctor.out) as { about: string; level: string; detail: string }[];
    const failed = findings.filter(({ level }) => level === "fail").map(({ about }) => about);
    expect(failed.sort()).toEqual(["alarms", "checkpoints"]);
    const { detail } = findings.find(({ about }) => about === "checkpoints") ?? {};
    expect(detail).toContain(`lacks organizations whose entries were signed: ${laterOrgId}`);
    for (const url of [server.appUrl, server.adminUrl, server.ownerUrl])
      await expect(query(url, "UPDATE audit_logs SET action = 'x'")).rejects.toMatchObject({ code: "42501" });
    expect(await query(server.appUrl, "SELECT id FROM audit_logs")).toEqual([]);
    const [run] = await query<{ n: number }>(
      server.ownerUrl,
      "SELECT count(*)::int AS n FROM audit_logs WHERE action = 'backup.restored'",
    );
    expect(run?.n).toBe(1);
  });

  it("continues after the lost entries on request, and is never intact over them", async () => {
    const refused = await trailmark("continue-chain", "--org", "00000000-0000-4000-8000-000000000000");
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("there is no organization") });
    await write(3);
    const done = await trailmark("continue-chain", "--org", orgId);
    expect(done).toMatchObject({ code: 3, err: "" });
    expect(done.out).toContain("Continues  behind sequence 33; proven to be what was signed through sequence 30");
    const lost = "of the entries 31 to 50 that had been signed, some are not in it";
    expect(done.out).toContain(lost);
    const [row] = await query<{ seq: string; details: object }>(
      server.ownerUrl,
      "SELECT chain_seq AS seq, details FROM audit_logs WHERE action = 'audit.restored'",
    );
    expect(row).toMatchObject({
      seq: "34",
      details: { lastSeq: 33, provenThrough: 30, checkpoint: { size: 50 } },
    });
    expect((await trailmark("continue-chain", "--org", orgId)).out).toContain("nothing to do");
    await write(40);
    for (let night = 0; night < 2; night++) {
      const nightly = await trailmark("nightly", "--org", orgId);
      expect(nightly.code).not.toBe(1);
    }
    expect(await trailmark("doctor")).toMatchObject({ code: 1, out: expect.stringContaining(laterOrgId) });
    rmSync(join(home, "checkpoints", laterOrgId), { recursive: true });
    expect(await trailmark("doctor")).toMatchObject({ code: 0 });
    const [note] = await query<{ note: string }>(
      server.ownerUrl,
      `SELECT note FROM audit_notes WHERE org_id = '${orgId}' AND kind = 'checkpoint' AND size = 74`,
    );
    expect(note?.note).toMatch(/^restored 30 50 \S{44} \S+Z$/m);
  });

  it("does not call an unproven or alarmed chain unchanged", async () => {
    const passphrase = join(backups, "passphrase");
    const create = (name: string) =>
      trailmark("backup", "--to", join(backups, name), "--keys-passphrase-file", passphrase);
    const restore = (name: string) =>
      runCli(["restore", join(backups, name), "--keys-passphrase-file", passphrase], {
        env: { TRAILMARK_DATA_DIR: tempFolder() },
      });
    await create("unproven");
    const [alarm] = await query<{ id: string }>(
      server.ownerUrl,
      `INSERT INTO audit_alarms (org_id, raised_at, last_raised_at, source, breaks)
      SELECT id, now(), now(), 'nightly', '[]' FROM organizations WHERE is_home RETURNING org_id AS id`,
    );
    await create("alarmed");
    const [unproven, alarmed] = await Promise.all([restore("unproven"), restore("alarmed")]);
    for (const { out } of [unproven, alarmed]) expect(out).not.toContain("Every chain is as it was signed");
    expect(unproven).toMatchObject({ code: 3, err: "", out: expect.stringContaining("NOT PROVEN") });
    expect(alarmed.code).toBe(1);
    expect(alarmed.out).toMatch(new RegExp(`INTACT +${alarm?.id} .*\n +an alarm is open since`));
  });

  it("restores everything into a new data folder, including keys with their passphrase", async () => {
    const elsewhere = tempFolder();
    const passphrase = join(backups, "passphrase");
    const run = (...args: string[]) => runCli(args, { env: { TRAILMARK_DATA_DIR: elsewhere } });
    writeFileSync(join(backups, "wrong"), "another passphrase\n");
    const wrong = await run("restore", file, "--keys-passphrase-file", join(backups, "wrong"));
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("the passphrase is wrong") });
    expect(existsSync(join(elsewhere, "postgres", "PG_VERSION"))).toBe(false);
    const restored = await run("restore", file, "--keys-passphrase-file", passphrase);
    expect(restored).toMatchObject({ code: 0, err: "" });
    expect(restored.out).toMatch(new RegExp(`INTACT +${orgId} +through sequence 30`, "i"));
    for (const name of ["nextauth-secret", "keys/checkpoint-ed25519.pem"])
      expect(readFileSync(join(elsewhere, name))).toEqual(readFileSync(join(home, name)));
    const doctor = await run("doctor");
    expect(doctor.out).not.toContain("FAIL");
    expect(doctor.code).toBe(0);
  });
});
