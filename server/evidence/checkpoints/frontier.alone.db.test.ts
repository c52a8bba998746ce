import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { asSystem, type Tx } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { auditRows, roles } from "@/testing/chain";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { findFrontier } from "./frontier";
import { signCheckpoint } from "./sign";

const folder = tempFolder();
const folderOf = (name: string) => withSettings({ TRAILMARK_DATA_DIR: join(folder, name) });
beforeAll(() => folderOf("ours"));

/** Another process, with its own folder, adds rows and signs them. */
async function signElsewhere(orgId: string): Promise<void> {
  folderOf("theirs");
  await appendAudit(roles.app, auditRows(orgId, 2));
  await signCheckpoint(orgId);
  folderOf("ours");
}

/** findFrontier() while the other process signs after so many of its statements. */
const findWhile = (orgId: string, after: number) =>
  asSystem((tx) => {
    let statements = 0;
    const execute = async (statement: Parameters<Tx["execute"]>[0]) => {
      const rows = await tx.execute(statement);
      if (++statements === after) await signElsewhere(orgId);
      return rows;
    };
    const meddled = new Proxy(tx, { get: (of, name) => (name === "execute" ? execute : Reflect.get(of, name)) });
    return findFrontier(meddled, orgId);
  });

it.each([1, 2, 3])("accepts a checkpoint that another process signs after statement %i", async (after) => {
  const signedBefore = randomUUID();
  await signElsewhere(signedBefore);
  for (const orgId of [signedBefore, randomUUID()])
    expect(await findWhile(orgId, after)).toMatchObject({ warnings: [] });
});
