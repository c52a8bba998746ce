import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { auditRow, auditRows, chainOf, expectIntact, headOf, insertRaw, inTenant, roles } from "@/testing/chain";
import { quickest } from "@/testing/quickest";

const newOrgs = (count: number) => Array.from({ length: count }, () => randomUUID() as string);
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
class Undo extends Error {}

describe("sealing at commit", () => {
  it("seals single-row and multi-row INSERTs over several statements", async () => {
    const [org] = newOrgs(1) as [string];
    await inTenant([org], (tx) => insertRaw(tx, org));
    await inTenant([org], (tx) => insertRaw(tx, org, 5));
    await inTenant([org], async (tx) => {
      await insertRaw(tx, org);
      await insertRaw(tx, org, 3);
      await insertRaw(tx, org);
    });
    await expectIntact(org, 11);
  });

  it("chains the rows of a transaction in statement order", async () => {
    const [org] = newOrgs(1) as [string];
    const ids = await inTenant([org], async (tx) => {
      const inserted: string[] = [];
      for (let i = 0; i < 40; i++) inserted.push(...(await insertRaw(tx, org)));
      return inserted;
    });
    const rows = await expectIntact(org, 40);
    expect(rows.map((row) => row.id)).toEqual(ids);
  });

  it("shows rows unsealed inside their transaction and sealed after commit", async () => {
    const [org] = newOrgs(1) as [string];
    await inTenant([org], async (tx) => {
      const [id] = await insertRaw(tx, org);
      const [own] = await tx`SELECT chain_seq FROM audit_logs WHERE id = ${id as string}`;
      expect(own).toEqual({ chain_seq: null });
      expect(await chainOf(org)).toEqual([]);
    });
    await expectIntact(org, 1);
  });

  it("skips rows of a rolled-back savepoint or transaction and reuses their numbers", async () => {
    const [org] = newOrgs(1) as [string];
    await inTenant([org], async (tx) => {
      await insertRaw(tx, org, 2);
      await tx
        .savepoint(async (sp) => {
          await insertRaw(sp, org, 3);
          throw new Undo();
        })
        .catch((error) => expect(error).toBeInstanceOf(Undo));
      await tx.savepoint((sp) => insertRaw(sp, org, 1));
    });
    await expect(
      inTenant([org], async (tx) => {
        await insertRaw(tx, org, 4);
        throw new Undo();
      }),
    ).rejects.toThrow(Undo);
    await inTenant([org], (tx) => insertRaw(tx, org));
    await expectIntact(org, 4);
  });

  it("seals at the statement with immediate constraints, and again at commit", async () => {
    const [org] = newOrgs(1) as [string];
    await inTenant([org], async (tx) => {
      await tx`SET CONSTRAINTS ALL IMMEDIATE`;
      await insertRaw(tx, org);
      await insertRaw(tx, org, 3);
      await insertRaw(tx, org);
      await tx`SET CONSTRAINTS ALL DEFERRED`;
      await insertRaw(tx, org, 2);
    });
    await expectIntact(org, 7);
  });

  it("ignores a forged marker of an already sealed transaction", async () => {
    const [org] = newOrgs(1) as [string];
    for (const count of [1, 3])
      await inTenant([org], async (tx) => {
        await tx`SELECT set_config('trailmark.sealed', pg_current_xact_id()::text, true)`;
        await insertRaw(tx, org, count);
      });
    await expectIntact(org, 4);
  });

  it("cost does not grow quadratically with the rows of a transaction", async () => {
    const seconds = async (count: number) => {
      const [org] = newOrgs(1) as [string];
      const start = performance.now();
      await inTenant([org], (tx) => insertRaw(tx, org, count));
      const took = performance.now() - start;
      await expectIntact(org, count);
      return took;
    };
    await seconds(500);
    const ratio = async () => {
      // As many rows either way: a machine that does other things takes its part of both.
      let few = 0;
      for (let n = 0; n < 25; n++) few += await seconds(2_000);
      return (await seconds(50_000)) / few; // linear: 1, quadratic: 25
    };
    expect(await quickest(5, ratio)).toBeLessThan(5);
  });
});

describe("concurrent writers", () => {
  it("do not block each other in one organization", async () => {
    const [org] = newOrgs(1) as [string];
    await inTenant([org], async (first) => {
      await insertRaw(first, org);
      await inTenant([org], async (second) => {
        await second`SET LOCAL lock_timeout = '10s'`;
        await insertRaw(second, org, 2);
      });
      await appendAudit(roles.app, auditRows(org, 3));
      await expectIntact(org, 5);
      await insertRaw(first, org);
    });
    await expectIntact(org, 7);
  });

  it("do not deadlock when audit_append follows another write in crossed order", async () => {
    const [a, b] = newOrgs(2) as [string, string];
    const appendIn = (tx: Parameters<Parameters<typeof inTenant>[1]>[0], org: string) => tx`
      SELECT audit_append(ARRAY[gen_random_uuid()], ARRAY[${org}::uuid], ARRAY[now()], '{system}', ARRAY[${org}::uuid], '{NULL}', '{test.in}', '{test}',
        '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{success}', '{NULL}')`;
    const crossed = async (first: string, last: string) =>
      inTenant([a, b], async (tx) => {
        await insertRaw(tx, first);
        await appendIn(tx, first);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await appendIn(tx, last);
      });
    for (let round = 0; round < 10; round++)
      await Promise.all([crossed(a, b), crossed(b, a), crossed(a, b), crossed(b, a)]);
    await expectIntact(a, 60);
    await expectIntact(b, 60);
  });

  it.each([1, 20])(
    "keep %i chains intact under 32 writers with savepoints, rollbacks and replays",
    async (orgCount) => {
      const orgs = newOrgs(orgCount);
      const written = new Map(orgs.map((org) => [org, 0]));
      const add = (org: string, count: number) => written.set(org, (written.get(org) ?? 0) + count);
      const batchOf = () => Array.from({ length: 1 + Math.floor(Math.random() * 12) }, () => auditRow(pick(orgs)));

      const steps = [
        async () => {
          const rows = batchOf();
          expect(await appendAudit(roles.app, rows)).toEqual([]);
          for (const row of rows) add(row.orgId, 1);
          const more = auditRow(pick(orgs));
          expect(await appendAudit(roles.app, [...rows, more])).toEqual([]);
          add(more.orgId, 1);
        },
        async () => {
          const org = pick(orgs);
          await inTenant([org], (tx) => insertRaw(tx, org));
          add(org, 1);
        },
        async () => {
          const [x, y] = [pick(orgs), pick(orgs)];
          await inTenant([x, y], async (tx) => {
            await insertRaw(tx, x, 2);
            await tx
              .savepoint(async (sp) => {
                await insertRaw(sp, y, 2);
                throw new Undo();
              })
              .catch(() => {});
            await tx.savepoint((sp) => insertRaw(sp, y));
          });
          add(x, 2);
          add(y, 1);
        },
        async () => {
          const org = pick(orgs);
          await inTenant([org], async (tx) => {
            await insertRaw(tx, org, 3);
            throw new Undo();
          }).catch(() => {});
        },
      ];
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          for (let i = 0; i < 12; i++) await pick(steps)();
        }),
      );
      for (const org of orgs) await expectIntact(org, written.get(org) ?? 0);
      const unsealed = await roles.admin`SELECT id FROM audit_logs WHERE chain_seq IS NULL AND org_id = ANY (${orgs})`;
      expect(unsealed.length).toBe(0);
    },
  );

  it("store a batch once when many replay it", async () => {
    const [org] = newOrgs(1) as [string];
    const rows = auditRows(org, 50);
    const answers = await Promise.all(Array.from({ length: 16 }, () => appendAudit(roles.app, rows)));
    expect(answers.flat()).toEqual([]);
    await expectIntact(org, 50);
  });
});

describe("audit_append", () => {
  it("accepts an empty batch", async () => {
    expect(await appendAudit(roles.app, [])).toEqual([]);
    const [answer] =
      await roles.app`SELECT audit_append('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') AS n`;
    expect(answer?.n).toEqual([]);
  });

  it("accepts rows of several organizations and chains each in the given order", async () => {
    const [a, b] = newOrgs(2) as [string, string];
    const rows = [a, b, a, b, b, a].map((org) => auditRow(org));
    expect(await appendAudit(roles.app, rows)).toEqual([]);
    for (const org of [a, b]) {
      const chain = await expectIntact(org, 3);
      expect(chain.map((row) => row.id)).toEqual(rows.filter((row) => row.orgId === org).map((row) => row.id));
    }
  });

  it("skips known IDs without using up a sequence number", async () => {
    const [org] = newOrgs(1) as [string];
    const rows = auditRows(org, 3);
    await appendAudit(roles.app, rows.slice(0, 2));
    expect(await appendAudit(roles.app, [...rows, rows[2] as (typeof rows)[0], ...rows])).toEqual([]);
    expect(await appendAudit(roles.app, rows)).toEqual([]);
    await expectIntact(org, 3);
    expect((await headOf(org))?.seq).toBe("3");
  });

  it("returns rows whose ID belongs to another entry and stores the others", async () => {
    const [a, b] = newOrgs(2) as [string, string];
    const row = auditRow(a, { details: '{"n": 1}' });
    await appendAudit(roles.app, [row]);
    const other = auditRow(b);
    const taken = [
      { ...row, orgId: b },
      { ...row, details: '{"n": 2}' },
      { ...row, actorEmail: "a@example.test" },
    ];
    expect(await appendAudit(roles.app, [other, ...taken, row])).toEqual(taken);
    const twin = auditRow(a);
    const second = { ...twin, orgId: b };
    expect(await appendAudit(roles.app, [twin, second])).toEqual([second]);
    await expectIntact(a, 2);
    await expectIntact(b, 1);
  });

  it("treats an event as a duplicate regardless of its time and the name of its key", async () => {
    const [org] = newOrgs(1) as [string];
    const by = (name: string, id = "k1") => JSON.stringify({ n: 1.5, submittedBy: { id, name } });
    const row = auditRow(org, { details: by("Billing") });
    await appendAudit(roles.app, [row]);
    const later = { ...row, timestamp: new Date(0).toISOString(), details: by("Invoices") };
    expect(await appendAudit(roles.app, [later])).toEqual([]);
    const another = { ...row, details: by("Billing", "k2") };
    expect(await appendAudit(roles.app, [another])).toEqual([another]);
    await expectIntact(org, 1);
  });

  it.each([
    ["an overlong value", { action: "x".repeat(101) }, "22001"],
    ["an overlong value with trailing spaces", { resourceName: `x${" ".repeat(255)}` }, "22001"],
    ["details that are not JSON", { details: "{" }, "22P02"],
    ["an unknown actor type", { actorType: "nobody" as never }, "23514"],
    ["a timestamp at infinity", { timestamp: "infinity" }, expect.stringMatching(/^22/)],
    ["a timestamp before 1970", { timestamp: "1969-12-31T23:59:59.999Z" }, "23514"],
  ])("rejects %s and stores nothing of the batch", async (_, over, code) => {
    const [org] = newOrgs(1) as [string];
    await expect(appendAudit(roles.app, [auditRow(org), auditRow(org, over)])).rejects.toMatchObject({ code });
    await appendAudit(roles.app, [auditRow(org)]);
    await expectIntact(org, 1);
  });

  it("rejects columns of different lengths", async () => {
    const call = roles.app`SELECT audit_append(ARRAY[gen_random_uuid()], '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`;
    await expect(call).rejects.toMatchObject({ code: "2202E" });
  });
});

describe("other isolation levels", () => {
  it.each(["REPEATABLE READ", "SERIALIZABLE"])("are rejected with a clear message: %s", async (level) => {
    const [org] = newOrgs(1) as [string];
    const direct = roles.app.begin(`ISOLATION LEVEL ${level}`, async (tx) => {
      await tx`SELECT set_config('trailmark.scope', 'system', true)`;
      await insertRaw(tx, org);
    });
    await expect(direct).rejects.toThrow(`READ COMMITTED transactions only, this one is ${level}`);
    const appended = roles.app.begin(`ISOLATION LEVEL ${level}`, (tx) => appendAudit(tx as never, [auditRow(org)]));
    await expect(appended).rejects.toThrow("READ COMMITTED");
    await expectIntact(org, 0);
  });
});
