import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ProofPage, ShareDialog } from "@/e2e/pages/proof";
import { VerifyPage } from "@/e2e/pages/verify";
import { Api } from "@/e2e/support/api";
import {
  expect,
  expectAccessible,
  expectAccessibleInBoth,
  expectNoSidewaysScroll,
  PHONE,
  test,
} from "@/e2e/support/fixtures";

const WIDE = { width: 1440, height: 900 };
const PROVEN = "Prove this one";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

/** An organization of its own and the entry in the middle of its log. */
async function arrange(
  request: Parameters<typeof Api.signIn>[0],
  name: string,
): Promise<{ api: Api; entryId: string }> {
  const api = await Api.signIn(request);
  const orgId = await api.makeChain(name, 5);
  const { entries } = await api.call<{ entries: { id: string }[] }>("GET", `/audit-logs?orgId=${orgId}`);
  return { api, entryId: entries[2]?.id ?? "" };
}

/** The link with one character of the entry changed, packed again as if nothing had happened. */
function forge(link: string): string {
  const [page, packed = ""] = link.split("#p=");
  const text = inflateRawSync(Buffer.from(packed, "base64url")).toString();
  const [, extra = ""] = /^extra (.*)$/m.exec(text) ?? [];
  const payload = Buffer.from(extra, "base64").toString("latin1").replace("success", "failure");
  const forged = text.replace(extra, Buffer.from(payload, "latin1").toString("base64"));
  return `${page}#p=${deflateRawSync(Buffer.from(forged)).toString("base64url")}`;
}

test("a proof link shows intact without an account, and broken once changed", async ({
  browser,
  page,
  request,
  baseURL,
}) => {
  const { entryId } = await arrange(request, PROVEN);
  const share = new ShareDialog(page);
  await share.open(entryId);
  const link = await share.copyLink();
  expect(link).toMatch(/\/verify#p=[\w-]+$/);
  await expectAccessible(page);

  const context = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } });
  const stranger = await context.newPage();
  const proof = new ProofPage(stranger);
  const asked: string[] = [];
  stranger.on("request", (outgoing) => asked.push(outgoing.url()));
  for (const size of [WIDE, PHONE]) {
    await stranger.setViewportSize(size);
    await proof.open(link);
    await expect(proof.verdict("Intact")).toBeVisible();
    await expect(proof.part("The entry")).toContainText(entryId);
    await expect(proof.part("Position in the log")).toContainText(/Entry \d+ of \d+/);
    await expect(proof.part("Signatures")).toContainText("Signed by");
    await expectAccessibleInBoth(stranger);
    await expectNoSidewaysScroll(stranger);
  }
  expect(asked.filter((url) => url.includes("p=") || url.includes("/api/"))).toEqual([]);

  await stranger.goto("about:blank");
  await proof.open(forge(link));
  await expect(proof.verdict("Broken")).toBeVisible();
  await expect(proof.part("What the file claims")).toContainText("failure");
  await expectAccessibleInBoth(stranger);
  await stranger.goto("about:blank");
  await proof.open(link.slice(0, -30));
  await expect(stranger.getByText("This link does not contain a complete proof")).toBeVisible();
  await context.close();
});

test("a short link opens until revoked and counts its openings", async ({ page, guest, request }) => {
  const { entryId } = await arrange(request, `${PROVEN}, in print`);
  const share = new ShareDialog(page);
  await share.open(entryId);
  const link = await share.createShortLink();
  await expectAccessible(page);
  const proof = new ProofPage(guest);
  await proof.open(link);
  await expect(proof.verdict("Intact")).toBeVisible();
  await expect(proof.part("The entry")).toContainText(entryId);
  await expect(guest.getByText("Opening a short link is counted")).toBeVisible();
  await expectAccessible(guest);

  await share.open(entryId);
  await expect(share.links).toHaveText(/Open.*1 opening/);
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await share.links.getByRole("button", { name: /^Revoke/ }).click();
  await expect(share.links).toHaveText(/Revoked.*1 opening/);
  await proof.open(link);
  await expect(guest.getByRole("alert").filter({ hasText: "has ended, was revoked or never existed" })).toBeVisible();
});

test("the single-file verifier makes no requests and trusts only a pasted key", async ({
  page,
  guest,
  request,
  baseURL,
}, info) => {
  const { entryId } = await arrange(request, `${PROVEN}, offline`);
  const share = new ShareDialog(page);
  await share.open(entryId);
  const { name, text } = await share.download();
  expect(name).toMatch(/^entry-\d+\.tlog-proof$/);
  const policy = await (await request.get(`${baseURL}/.well-known/trailmark-log`)).text();
  const saved = info.outputPath("trailmark-proof.html");
  const { writeFile } = await import("node:fs/promises");
  await writeFile(saved, await (await request.get(`${baseURL}/verify/offline.html`)).text());

  const verify = new VerifyPage(guest);
  await verify.open();
  await verify.choose(text, name);
  await expect(new ProofPage(guest).verdict("Intact")).toBeVisible();

  await guest.context().setOffline(true);
  const asked: string[] = [];
  guest.on("request", (outgoing) => asked.push(outgoing.url()));
  const proof = new ProofPage(guest);
  await proof.open(`file://${saved}`);
  await guest
    .getByLabel("Proof file (.tlog-proof)")
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await expect(proof.verdict("Not proven")).toBeVisible();
  await proof.keys.fill(policy);
  await expect(proof.verdict("Intact")).toBeVisible();
  await expect(proof.part("The entry")).toContainText(entryId);
  expect(asked.filter((url) => !url.startsWith("file:"))).toEqual([]);
});
