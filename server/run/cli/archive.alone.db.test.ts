import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ownKeysNamed } from "@/server/evidence/chain/note-signature";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { env } from "@/server/ground/env";
import { restorationPage, restoredPage } from "@/server/notify/streams/archive/schema";
import { manifestKey, readManifest } from "@/server/notify/streams/destinations/archive-manifest";
import { runRetention } from "@/server/retention/run";
import { sealedDaysAgo } from "@/testing/chain";
import { runCli, runHere, settingsFor, withCli } from "@/testing/cli";
import { auditRows, call } from "@/testing/factories";
import { keepFor } from "@/testing/permit";
import { withSettings } from "@/testing/settings";
import { archiveSite } from "@/testing/streams/archive";
import { archive } from "./archive";

const dir = withCli();
beforeAll(() => {
  withSettings({ TRAILMARK_DATA_DIR: dir });
});
const site = archiveSite();
const { twoObjects } = site;

describe("archive verify", () => {
  /** A copy of an archive as a person downloads it, and the key to it. */
  async function copied() {
    const made = await twoObjects();
    const folder = mkdtempSync(join(dir, "archive-"));
    for (const [key, { body }] of site.store.objects) {
      if (!key.includes(made.orgId)) continue;
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      writeFileSync(join(folder, key), body);
    }
    const manifest = site.store.objects.get(manifestKey(made.first.key))?.body.toString() ?? "";
    const origin = readManifest(manifest)?.manifest.origin ?? "";
    return { ...made, folder, key: ownKeysNamed(origin).map(formatVerifierKey)[0] ?? "" };
  }
  const verify = (folder: string, ...args: string[]) => runHere(archive, "verify", folder, ...args);

  it("reports intact for a whole archive under the installation's key, without settings", async () => {
    const { folder, key, orgId, second } = await copied();
    const ran = await runCli(["archive", "verify", folder, "--key", key]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toMatch(/^INTACT: archive\n/);
    const held = `${orgId}: ${second.lastSeq} entries in 2 objects, sequence 1 to ${second.lastSeq}`;
    expect(ran.out).toContain(held);
  });

  it("reports not proven without a key, and an empty folder", async () => {
    const { folder, key } = await copied();
    const unproven = await verify(folder);
    expect(unproven.code).toBe(3);
    expect(unproven.out).toContain("no trusted key signed its manifest");
    const none = await verify(join(folder, "nowhere"), "--key", key, "--json");
    expect(none.code).toBe(2);
    expect(JSON.parse(none.out)).toMatchObject({ status: "unreadable" });
  });

  it("names a missing or changed object, and is not proven if the start is elsewhere", async () => {
    const { folder, key, first, second } = await copied();
    const file = join(folder, first.key);
    rmSync(file);
    const missing = await verify(folder, "--key", key);
    expect(missing.code).toBe(1);
    expect(missing.out).toContain(`${first.key}: it is missing`);
    writeFileSync(file, site.store.objects.get(second.key)?.body ?? "");
    const changed = await verify(folder, "--key", key);
    expect(changed.code).toBe(1);
    expect(changed.out).toContain("its SHA-256 is not the one in its manifest");
    rmSync(file);
    renameSync(join(folder, manifestKey(first.key)), join(dir, "moved"));
    expect((await verify(folder, "--key", key)).code).toBe(3);
  });
});

describe("archive restore", () => {
  const restore = (orgId: string, ...args: string[]) =>
    runCli(["archive", "restore", "--org", orgId, ...args], {
      env: {
        ...settingsFor(dir),
        NEXTAUTH_SECRET: env().NEXTAUTH_SECRET,
        NEXTAUTH_URL: env().NEXTAUTH_URL,
        TRAILMARK_WEBHOOKS_PRIVATE: "true",
        TRAILMARK_WEBHOOKS_HTTP: "true",
      },
    });

  it("restores pruned entries, which the page then shows", async () => {
    const { admin, orgId } = await twoObjects();
    const before = (await auditRows(orgId)).slice(0, 4).map(({ checksum }) => checksum);
    await keepFor(orgId, 30);
    await sealedDaysAgo(orgId, 50);
    expect((await runRetention({ orgIds: [orgId] })).rows).toBeGreaterThan(0);
    const ran = await restore(orgId, "--from-seq", "1", "--to-seq", "4");
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toMatch(/^4 entries, sequence 1 to 4, each checked; until /);
    const [found] = restorationPage.parse((await call(admin, "GET /archive/restore")).body).data;
    const { data } = restoredPage.parse((await call(admin, `GET /archive/restore/${found?.id}/entries`)).body);
    expect(data.sort((a, b) => a.chainSeq - b.chainSeq).map(({ checksum }) => checksum)).toEqual(before);
  });

  it("names a damaged object and a range outside the archive", async () => {
    const { orgId, first } = await twoObjects();
    site.store.objects.delete(first.key);
    const damaged = await restore(orgId, "--from-seq", "1", "--to-seq", "1");
    expect(damaged.code).toBe(1);
    expect(damaged.out).toMatch(new RegExp(`^BROKEN ${first.key}: `));
    const elsewhere = await restore(orgId, "--from-seq", "900", "--to-seq", "901");
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.err).toContain("names entries that no archive holds");
  });
});
