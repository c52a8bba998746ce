import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { createDefinition } from "@/server/custom-fields/definitions";
import { createInput as fieldInput, MAX_DEFINITIONS_PER_OWNER } from "@/server/custom-fields/schema";
import { shareProof } from "@/server/evidence/links/links";
import { MAX_LINKS_PER_ENTRY } from "@/server/evidence/links/schema";
import type { Ctx } from "@/server/ground/context";
import { createSchedule } from "@/server/notify/report-schedules/schedules";
import { createInput as scheduleInput } from "@/server/notify/report-schedules/schema";
import { createSavedView } from "@/server/saved-views/saved-views";
import { MAX_VIEWS_PER_PERSON } from "@/server/saved-views/schema";
import { appendEvents } from "@/testing/audit-entries";
import { call, createOrg, createUser, ctxFor, type TestUser } from "@/testing/factories";

it("an organization is limited to 50 webhooks, counted separately", async () => {
  const org = await createOrg();
  const admin = await createUser({ role: "org_admin", orgId: org.id });
  const create = (token: typeof admin) =>
    call(token, "POST /webhooks", { name: "Chat", url: "https://hooks.example.com/x", kinds: ["chain.broken"] });
  for (let at = 0; at < 50; at++) expect((await create(admin)).status).toBe(201);
  const refused = await create(admin);
  expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  expect((await create(await createUser({ role: "org_admin" }))).status).toBe(201);
});

describe("ten concurrent creations with three places left create three", () => {
  type Case = {
    what: string;
    /** Fills up to three below the maximum; what the ten are about. */
    fill: (user: TestUser) => Promise<string>;
    create: (ctx: Ctx, about: string, n: number) => Promise<unknown>;
  };
  const LEFT = 3;
  const insert = async (statement: ReturnType<typeof sql>): Promise<string> => {
    await asSystem((tx) => tx.execute(statement));
    return "";
  };
  const CASES: Case[] = [
    {
      what: "saved views",
      fill: ({ id, orgId }) =>
        insert(sql`INSERT INTO audit_saved_views (org_id, created_by, created_by_name, name, query)
          SELECT ${orgId}::uuid, ${id}::uuid, 'x', 'View ' || n, '' FROM generate_series(1, ${MAX_VIEWS_PER_PERSON - LEFT}) n`),
      create: (ctx, _, n) => createSavedView.run(ctx, { name: `New ${n}`, query: "", sharedWith: null }),
    },
    {
      what: "report schedules",
      fill: ({ id, orgId, partnerId }) =>
        insert(sql`INSERT INTO report_schedules (id, user_id, partner_id, org_id, report, cadence, time_zone, next_run_at)
          SELECT gen_random_uuid(), ${id}::uuid, ${partnerId}::uuid, ${orgId}::uuid, 'security', 'weekly', 'UTC', now()
          FROM generate_series(1, ${50 - LEFT})`),
      create: (ctx) =>
        createSchedule.run(ctx, scheduleInput.parse({ report: "security", cadence: "weekly", timeZone: "UTC" })),
    },
    {
      what: "links to a proof",
      fill: async ({ id, orgId }) => {
        const [entry] = await appendEvents([{ orgId: orgId ?? "" }]);
        await insert(sql`INSERT INTO audit_shared_proofs
            (id, org_id, entry_id, chain_seq, token_hash, created_by, created_by_name, created_at, expires_at)
          SELECT gen_random_uuid(), ${orgId}::uuid, ${entry?.id}::uuid, 1, encode(sha256(gen_random_uuid()::text::bytea), 'hex'), ${id}::uuid, 'x', now(),
            now() + interval '1 day' FROM generate_series(1, ${MAX_LINKS_PER_ENTRY - LEFT})`);
        return entry?.id ?? "";
      },
      create: (ctx, id) => shareProof.run(ctx, { id, days: 1 }),
    },
    {
      what: "custom fields",
      fill: ({ orgId, partnerId }) =>
        insert(sql`INSERT INTO custom_field_definitions (id, partner_id, org_id, name, field_key, type)
          SELECT gen_random_uuid(), ${partnerId}::uuid, ${orgId}::uuid, 'F', 'f_' || n, 'text'
          FROM generate_series(1, ${MAX_DEFINITIONS_PER_OWNER - LEFT}) n`),
      create: (ctx, _, n) =>
        createDefinition.run(ctx, fieldInput.parse({ name: "New", fieldKey: `new_${n}`, type: "text" })),
    },
  ];

  it.each(CASES)("$what", async ({ fill, create }) => {
    const user = await createUser({ role: "org_admin" });
    const [about, ctx] = [await fill(user), await ctxFor(user)];
    const all = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => create(ctx, about, n)));
    const refused = all.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(refused).toEqual(Array(10 - LEFT).fill("conflict"));
  });
});
