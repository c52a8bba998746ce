import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { readPolicyFile } from "@/server/evidence/witnesses/policy-file";
import { auditRows, roles } from "@/testing/chain";
import { createOrg, createPartner } from "@/testing/factories";
import { type RunningWitness, startWitness } from "@/testing/proofs/witness";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { checkAwayWitnesses } from "./chains";

const NAMES = ["near.example", "far.example"];

let dir: string;
let running: RunningWitness[];
beforeAll(async () => {
  dir = tempFolder();
  const file = join(dir, "policy");
  withSettings({ TRAILMARK_DATA_DIR: dir, TRAILMARK_WITNESS_POLICY_FILE: file });
  running = await Promise.all(NAMES.map((name) => startWitness(name, ownKeys())));
  const lines = running.map(
    ({ witness }) => `witness ${witness.name} ${formatVerifierKey(witness.key)} ${witness.url}`,
  );
  writeFileSync(file, `${lines.join("\n")}\ngroup any 1 ${NAMES.join(" ")}\nquorum any\n`);
});
afterAll(async () => {
  await Promise.all(running.map(({ remove }) => remove()));
});

it("a witness counts as away only when no newest checkpoint carries its cosignature", async () => {
  const { id: partnerId, homeOrgId } = await createPartner();
  const orgs = [await createOrg({ partnerId }), await createOrg({ partnerId })];
  const away = async () => {
    const { found } = await checkAwayWitnesses(readPolicyFile(join(dir, "policy")));
    return found.find(({ orgId }) => orgId === homeOrgId)?.detail.names ?? [];
  };
  const sign = async (at: number) => {
    const orgId = orgs[at]?.id ?? "";
    await appendAudit(roles.app, auditRows(orgId, 1));
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "signed" });
  };
  expect(await away()).toEqual([]); // nothing was signed that it could have missed
  await sign(0);
  expect(await away()).toEqual([]);
  await running[1]?.stop();
  await sign(1);
  expect(await away()).toEqual([]); // it carries the other organization's
  await sign(0);
  expect(await away()).toEqual(["far.example"]);
  await running[1]?.start();
  await sign(1);
  expect(await away()).toEqual([]);
});
