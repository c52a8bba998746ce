import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { readPolicyFile } from "@/server/evidence/witnesses/policy-file";
import { deliveryJob } from "@/server/notify/deliveries/settle";
import type { NotificationKind } from "@/server/notify/vocabulary";
import { appendEvents } from "@/testing/audit-entries";
import { call, createOrg, createPartner, createUser, type TestPartner, type TestUser } from "@/testing/factories";
import { type HttpDouble, startHttpDouble } from "@/testing/http-double";
import { workOff } from "@/testing/jobs";
import { type MailServer, startMailServer } from "@/testing/mail-server";
import { type RunningWitness, startWitness } from "@/testing/proofs/witness";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { evaluate } from "./evaluate";
import { DEFINITIONS } from "./kinds";
import { checkAwayWitnesses, checkUnprovenChains } from "./kinds/chains";
import type { Check } from "./kinds/definition";
import { checkPruning } from "./kinds/installation";
import { reportLosses } from "./losses";
import { sendMessages } from "./send-messages";

const HOUR = 3_600_000;
const KINDS = ["chain.unproven", "witness.away", "pruning.off", "events.lost"] as const;

let receiver: HttpDouble;
let mail: MailServer;
let witness: RunningWitness;
let dir: string;
let partner: TestPartner;
let owner: TestUser;
let quiet: TestUser;
beforeAll(async () => {
  dir = tempFolder();
  [receiver, mail] = [await startHttpDouble(), await startMailServer()];
  const policy = join(dir, "policy");
  const webhooks = { TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true };
  const smtp = { SMTP_URL: mail.url, SMTP_FROM: "trailmark@example.test" };
  withSettings({ TRAILMARK_DATA_DIR: dir, TRAILMARK_WITNESS_POLICY_FILE: policy, ...webhooks, ...smtp });
  witness = await startWitness("far.example", ownKeys());
  const { key, url } = witness.witness;
  writeFileSync(policy, `witness far ${formatVerifierKey(key)} ${url}\ngroup any 1 far\nquorum any\n`);
  partner = await createPartner();
  owner = await createUser({ role: "partner_admin", partnerId: partner.id });
  quiet = await createUser({ role: "partner_admin", partnerId: partner.id });
});
afterAll(() => Promise.all([receiver.close(), mail.close(), witness.remove()]));

/** A check whose findings are those of some organizations: what concerns all partners would reach the other tests too. */
const among =
  (check: Check, orgIds: readonly string[]): Check =>
  async (now) => {
    const { found } = await check(now);
    return { checked: new Set(orgIds), found: found.filter(({ orgId }) => orgIds.includes(orgId)) };
  };

async function pass(now: Date, checks: Partial<Record<NotificationKind, Check>>): Promise<void> {
  const failures = await evaluate(checks, now, sendMessages);
  if (failures.length > 0) throw failures[0];
}

const choose = (token: TestUser, kinds: readonly string[]) =>
  call(token, "PUT /me/notification-settings", { productKinds: kinds, mailKinds: kinds });
const openOf = async (token: TestUser): Promise<string[]> =>
  (await call(token, "GET /notifications?status=open")).body.data.map(({ kind }: { kind: string }) => kind).sort();

it("delivers chain, witness, pruning and loss notifications in the product, by email and webhook", async () => {
  const { id: orgId } = await createOrg({ partnerId: partner.id });
  const home = partner.homeOrgId;
  await choose(owner, KINDS);
  await choose(quiet, []);
  const endpoint = { name: "Desk", url: receiver.url, kinds: KINDS };
  const { secret } = (await call(owner, "POST /webhooks", endpoint)).body;

  await witness.stop();
  await appendEvents([{ orgId }]);
  expect(await signCheckpoint(orgId)).toMatchObject({ kind: "signed" });
  const lost = join(dir, "another process");
  // The last check is at the present: receivers refuse a message that was signed at another time.
  const aDayLater = new Date();
  const began = new Date(aDayLater.getTime() - 24 * HOUR);
  await reportLosses(began, { dropped: 3, deadLetters: 0 }, lost);
  const { id: unread } = await createOrg({ partnerId: partner.id });
  await appendEvents([{ orgId: unread }]);
  const checks = {
    "chain.unproven": among(() => checkUnprovenChains([unread]), [unread]),
    "witness.away": among(() => checkAwayWitnesses(readPolicyFile(join(dir, "policy"))), [home]),
    "pruning.off": among(() => checkPruning(new Date(began.getTime() + 1_000 * HOUR), false), [home]),
    "events.lost": among(DEFINITIONS["events.lost"].check, [home]),
  };

  await pass(began, checks);
  expect(await openOf(owner)).toEqual(["events.lost"]);
  await pass(new Date(began.getTime() + HOUR), checks);
  expect(await openOf(owner)).toEqual(["chain.unproven", "events.lost", "pruning.off"]);
  await pass(aDayLater, checks);
  expect(await openOf(owner)).toEqual([...KINDS].sort());
  expect(await openOf(quiet)).toEqual([]);

  await workOff(deliveryJob());
  const told = receiver.received.map(({ text, headers }) => {
    const message = new Webhook(secret).verify(text, headers as Record<string, string>);
    return (message as { data: { kind: string } }).data.kind;
  });
  expect(told.sort()).toEqual([...KINDS].sort());
  // Messages that other tests have queued may be delivered in the same moment.
  const mails = mail.mails.filter(({ to }) => to.includes(owner.email));
  expect(mail.mails.flatMap(({ to }) => to)).not.toContain(quiet.email);
  const text = mails.map((one) => one.text.replaceAll("=\r\n", "")).join("\n");
  for (const words of [
    "is not proven",
    "cosignature of the witness far",
    "AUDIT_ADMIN_DATABASE_URL",
    "audit events were lost",
  ])
    expect(text).toContain(words);
});
