import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { sentenceWords } from "@/server/audit/action-label";
import { listFullEntries } from "@/server/audit/entries/list";
import type { RowInput } from "@/server/audit/record/to-row";
import { type FullEntry, listInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { appendEvents } from "@/testing/audit-entries";
import { createDevice, createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { unhurried } from "@/testing/unhurried";
import { choicesOf, termsOf } from "./values";

const START = Date.UTC(2026, 4, 1);
const ROWS = 700;

describe("search words", () => {
  let ctx: Ctx;
  let orgIds: [string, string];
  let rows: (RowInput & { orgId: string })[];
  let called: (row: RowInput) => string[];

  beforeAll(async () => {
    const partner = await createPartner();
    orgIds = [(await createOrg({ partnerId: partner.id })).id, (await createOrg({ partnerId: partner.id })).id];
    const jane = await createUser({ partnerId: partner.id, role: "partner_admin", name: "Jane Doe" });
    const device = await createDevice({ orgId: orgIds[0], hostname: "CDG-WS-008" });
    ctx = unhurried(await ctxFor(jane));
    const actor = (n: number): Pick<RowInput, "actorType" | "actorId"> =>
      n % 3 === 0
        ? { actorType: "user", actorId: jane.id }
        : n % 3 === 1
          ? { actorType: "agent", actorId: device.agentId }
          : { actorType: "system", actorId: null };
    called = (row) =>
      ({ user: ["User", "Jane Doe", jane.email], agent: ["Agent", "CDG-WS-008"] })[row.actorType as string] ?? [
        "System",
      ];
    rows = (await appendEvents(
      Array.from({ length: ROWS }, (_, n) => ({
        orgId: orgIds[n % 5 ? 0 : 1],
        timestamp: new Date(START + n * 60_000),
        ...actor(n % 5 ? n : 0),
        action: ["policy.disable", "policy.update", "user.login", "patch_job.approve"][n % 4] as string,
        resourceType: "policy",
        resourceName: n % 2 ? "Antivirus" : "Disk 100%",
        result: (["success", "success", "denied", "failure"] as const)[(n % 7) % 4] ?? "success",
        errorMessage: n % 7 === 3 ? "Exit code 1" : null,
        ipAddress: `198.51.100.${n % 90}`,
        // The first blocks say by their text alone what they hold.
        details:
          n % 3 || n < 500
            ? { device: `FAB-WS-00${n % 10}`, note: "a\u001db", ...(n % 9 === 1 && { account: "CONTOSO\\Jim" }) }
            : { note: "Ünïque \u001e" },
      })),
    )) as typeof rows;
  });

  const holds = (row: RowInput, word: string) =>
    [
      row.action,
      row.actorEmail,
      row.resourceType,
      row.resourceName,
      row.ipAddress,
      row.errorMessage,
      JSON.stringify(row.details),
      JSON.stringify(row.details).replaceAll("\\\\", "\\"),
      ...called(row),
      ...sentenceWords(row.action, row.result).split("\n"),
    ].some((field) => field?.toLowerCase().includes(word.toLowerCase()));

  async function found(input: Record<string, string>): Promise<{ ids: string[]; total: number }> {
    const seen: FullEntry[] = [];
    let cursor: string | undefined;
    let total = -1;
    do {
      const page = await listFullEntries.run(ctx, listInput.parse({ ...input, limit: 100, ...(cursor && { cursor }) }));
      seen.push(...page.data);
      if (!cursor) total = page.pagination.total;
      cursor = page.pagination.nextCursor ?? undefined;
    } while (cursor);
    return { ids: seen.map((entry) => entry.id), total };
  }

  const expected = (isMatch: (row: RowInput) => boolean) => {
    const ids = rows.filter(isMatch).map((row) => row.id);
    return { ids: ids.reverse(), total: ids.length };
  };

  const QUERIES = [
    "antivirus disabled",
    "antivirus CDG-WS-008",
    "CDG-WS-008 antivirus",
    "198.51.100.77",
    '"jane doe" signed',
    "approved patch",
    "denied permission",
    "exit tried",
    "system disk",
    "100%",
    "nowhere",
    "antivirus nowhere",
    '"antivirus disabled"',
    "FAB-WS-004",
    "ünïque",
    "contoso\\jim",
    "O\\J antivirus",
    "contoso\\\\jim",
    'patch|disabled antivirus|"jane doe"',
    'nowhere|"disk 100%" tried|denied',
    "zq|patch",
    "|patch a||b",
  ];
  const word = fc.constantFrom(
    ...[
      "anti",
      "disable",
      "disabled",
      "ws-00",
      "jane",
      "198.51",
      "policy",
      "tried",
      "denied",
      "patch",
      "100%",
      "zzz",
      "Agent",
      "exit",
      "so\\j",
      'signed|"exit code"',
    ],
  );

  const holdsAny = (row: RowInput, term: string) => choicesOf(term).some((one) => holds(row, one));

  async function compare(q: string) {
    const terms = termsOf(q);
    expect(await found({ q })).toEqual(
      expected((row) => terms.every((choices) => choices.some((one) => holds(row, one)))),
    );
  }

  async function compareAll(seed: number) {
    for (const q of QUERIES) await compare(q);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { minLength: 1, maxLength: 3 }), word, async (words, without) => {
        const exclude = `q:${without}`;
        expect(await found({ q: words.join(" "), exclude })).toEqual(
          expected((row) => words.every((one) => holdsAny(row, one)) && !holdsAny(row, without)),
        );
      }),
      { numRuns: 15, seed },
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), (words) => compare(words.join(" "))),
      { numRuns: 15, seed },
    );
  }

  it("match the same rows as a full scan before indexing", () => compareAll(1));

  it("match the same rows as a full scan with a partial and a full index", async () => {
    for (const orgId of orgIds) await advanceIndex(orgId, 300);
    await compareAll(2);
    for (const orgId of orgIds) while (((await advanceIndex(orgId)) ?? 0) > 0);
    await compareAll(3);
  });

  it("do not find another tenant's user by name", async () => {
    const stranger = await ctxFor("org_admin");
    expect((await listFullEntries.run(stranger, listInput.parse({ q: "jane" }))).data).toEqual([]);
  });

  it("searches only the newest entries for one or two letters, and says so", async () => {
    const page = await listFullEntries.run(ctx, listInput.parse({ q: "zq" }));
    expect(page).toMatchObject({ data: [], pagination: { total: 0 } });
  });
});
