import { beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "@/server/ground/context";
import { createApiKey, createDevice, createOrg, createUser, ctxFor } from "@/testing/factories";
import { findNames } from "./names";

describe("searching for names", () => {
  let ctx: Ctx;
  let stranger: Ctx;
  let host: string;

  beforeAll(async () => {
    const org = await createOrg();
    host = `SRV-${org.id.slice(-8)}`;
    ctx = await ctxFor(await createUser({ orgId: org.id, name: "Zelda Quist", email: `zelda.${org.id}@example.test` }));
    await createDevice({ orgId: org.id, hostname: host });
    await createApiKey({ orgId: org.id, name: "Nocturne export" });
    stranger = await ctxFor("org_admin");
  });

  const found = async (caller: Ctx, words: string[], isNear = false) =>
    (await findNames.run(caller, { words, isNear })).names.map(({ name }) => name);

  it("finds a word of a name, an address or a full hostname in any case", async () => {
    expect(await found(ctx, ["ZELDA"])).toEqual(["Zelda Quist"]);
    expect(await found(ctx, ["nocturne", host.toLowerCase()])).toEqual([host, "Nocturne export"]);
    expect(await found(ctx, ["zel", "SRV"])).toEqual([]);
  });

  it("finds a name despite a typo", async () => {
    expect(await found(ctx, ["zedla", `${host.slice(0, -1)}`], true)).toEqual([host, "Zelda Quist"]);
    expect(await found(ctx, ["unlike"], true)).toEqual([]);
  });

  it("does not find names of other tenants", async () => {
    expect(await found(stranger, ["zelda", host, "nocturne"])).toEqual([]);
    expect(await found(stranger, ["zedla", host.slice(0, -1)], true)).toEqual([]);
  });
});
