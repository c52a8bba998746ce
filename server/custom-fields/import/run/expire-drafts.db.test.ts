import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { listImports } from "@/server/custom-fields/import/imports";
import { importFolder } from "@/server/custom-fields/import/record";
import { newId } from "@/server/ground/ids";
import { createSimple, runText, stageText } from "@/testing/import/imports";
import { expireDrafts } from "./expire-drafts";

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

it("deletes imports that never ran, and their files, after seven days", async () => {
  const { ctx, text } = await createSimple();
  const draft = await stageText(ctx, text);
  const kept = await runText(ctx, text);
  // Of no import, and of one whose process was killed before it had removed the files.
  const orphans = [importFolder(newId()), importFolder(kept.id)];
  for (const orphan of orphans) mkdirSync(orphan, { recursive: true });
  const listed = async () => (await listImports.run(ctx, { page: 1, limit: 20 })).data.map(({ id }) => id);
  await expireDrafts(inDays(6.9));
  expect(await listed()).toEqual([kept.id, draft.id]);
  expect(existsSync(importFolder(draft.id))).toBe(true);
  for (const orphan of orphans) utimesSync(orphan, inDays(-1), inDays(-1));
  expect(await expireDrafts(inDays(7.1))).toBeGreaterThan(0);
  expect(await listed()).toEqual([kept.id]);
  expect([importFolder(draft.id), ...orphans].map(existsSync)).toEqual([false, false, false]);
});
