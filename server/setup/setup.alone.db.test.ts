import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { ne } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { asSystem, closeDatabase } from "@/db/client";
import { migrate } from "@/db/migrate";
import { organizations, partners, users } from "@/db/schema";
import { closeFolds } from "@/server/audit/record/fold";
import { appRouter } from "@/server/doors/trpc/root";
import { auditRows, call, rowsIn } from "@/testing/factories";
import { createSystemAdmin, ensureFirstAdmin, setupToken } from "./setup";

/** First run needs a database without a partner, so these tests have their own. */
const name = `setup_${randomUUID().replaceAll("-", "")}`;
const urlOf = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
const owner = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });

beforeAll(async () => {
  await owner.unsafe(`CREATE DATABASE ${name}`);
  process.env.DATABASE_URL = urlOf(inject("databaseUrl"));
  await migrate({
    ownerUrl: urlOf(inject("ownerDatabaseUrl")),
    appUrl: process.env.DATABASE_URL,
    adminUrl: urlOf(inject("adminDatabaseUrl")),
  });
});
afterAll(async () => {
  await closeDatabase();
  await owner.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await owner.end();
});

const setup = appRouter.createCaller({
  caller: null,
  requestId: "r",
  from: { ip: "198.51.100.5", userAgent: "a browser" },
}).setup;
const answers = {
  organizationName: "Acme MSP",
  name: "Ada",
  email: "Ada@example.test",
  password: "a long enough password",
};

it("prints a one-time token for an empty database, even after a system admin was created", async () => {
  const { email } = await createSystemAdmin({
    email: "root@example.test",
    password: "a long enough password",
    name: "Root",
  });
  expect(email).toBe("root@example.test");
  await expect(
    createSystemAdmin({ email: "ROOT@example.test", password: "a long enough password", name: "Root" }),
  ).rejects.toMatchObject({ code: "conflict" });
  expect(await setup.status()).toEqual({ needed: true });
  expect(await ensureFirstAdmin()).toMatch(/\/setup .*tms_[\w-]{40}$/);
});

/** The contents of the operators' log by now. */
async function platformActions() {
  const [platform] = await rowsIn(organizations, { name: "Platform" });
  return auditRows(platform?.id as string);
}

it("records operator sign-ins and unknown addresses in the platform's own log", async () => {
  const ip = "198.51.100.77";
  const tries = [
    ["root@example.test", "a long enough password"],
    ["root@example.test", "a wrong password"],
    ["nobody@example.test", "a long enough password"],
    ["nobody@example.test", "a long enough password"],
  ];
  for (const [email, password] of tries) await call({ ip }, "POST /auth/token", { email, password });
  closeFolds();
  const rows = await platformActions();
  expect(rows.map(({ action }) => action)).toEqual([
    "organization.create",
    "user.create",
    "user.login",
    "user.login.failed",
    "user.login.unknown",
    "user.login.unknown",
  ]);
  expect(rows.slice(4)).toMatchObject([
    { actorType: "system", resourceName: "198.51.100.77", details: { times: 1 }, result: "denied" },
    { details: { times: 1 } },
  ]);
  expect(inspect(rows, { depth: null })).not.toMatch(/nobody/);
});

it("accepts the token once", async () => {
  const line = (await ensureFirstAdmin()) as string;
  const oneTime = line.match(/tms_[\w-]{40}$/)?.[0] as string;
  await expect(setup.complete({ ...answers, token: "tms_wrong" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(setup.complete({ ...answers, token: oneTime, password: "short" })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  const tries = await Promise.allSettled([1, 2, 3].map(() => setup.complete({ ...answers, token: oneTime })));
  expect(tries.map((t) => t.status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(await setup.status()).toEqual({ needed: false });
  expect(await ensureFirstAdmin()).toBeNull();
  const [org, ...others] = await asSystem((tx) =>
    tx.select().from(organizations).where(ne(organizations.name, "Platform")),
  );
  expect(others).toEqual([]);
  expect(org).toMatchObject({ name: "Acme MSP", slug: "acme-msp", isHome: true });
  expect(await rowsIn(partners, { isPlatform: false })).toHaveLength(1);
  expect(await asSystem((tx) => tx.select({ role: users.role }).from(users))).toHaveLength(2);
  const { body } = await call(null, "POST /auth/token", { email: "ada@example.test", password: answers.password });
  expect((await call(body.accessToken, "GET /me")).body).toMatchObject({
    user: { role: "partner_admin", name: "Ada" },
    scope: "partner",
    organizations: [{ id: org?.id }],
  });
  const actions = (await auditRows(org?.id as string)).map((row) => row.action);
  expect(actions).toEqual(["organization.create", "user.create", "user.login"]);
});

it("lets the operator create organizations under the only partner", async () => {
  const { body } = await call(null, "POST /auth/token", {
    email: "root@example.test",
    password: "a long enough password",
  });
  expect(await call(body.accessToken, "POST /orgs/organizations", { name: "First customer" })).toMatchObject({
    status: 201,
    body: { slug: "first-customer" },
  });
});

it("uses one token in all processes of an installation", async () => {
  vi.resetModules();
  const another: typeof import("./setup") = await import("./setup");
  expect(another.setupToken).not.toBe(setupToken);
  expect(await another.setupToken()).toBe(await setupToken());
  await (await import("@/db/client")).closeDatabase();
});
