import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { eq } from "drizzle-orm";
import { SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { asSystem, type Tx } from "@/db/client";
import { apiKeys, refreshTokens, users } from "@/db/schema";
import { env } from "@/server/ground/env";
import {
  bearer,
  changeRows,
  claimsOf,
  createApiKey,
  createDevice,
  createOrg,
  createPartner,
  createUser,
  rowsIn,
  unknownSecret,
} from "@/testing/factories";
import { authenticate } from "./authenticate";
import { signAccessToken } from "./jwt";

const request = (headers: Record<string, string>) => new Request("http://127.0.0.1:3000/api/v1/me", { headers });
const withBearer = (token: string) => authenticate(request({ authorization: `Bearer ${token}` }), { auth: "user" });
const asAgent = (token: string, agentId?: string) =>
  authenticate(request({ authorization: `Bearer ${token}` }), { auth: "agent", ...(agentId ? { agentId } : {}) });
const refused = (code: string) => expect.objectContaining({ code });

describe("a user's access token", () => {
  it("gives access to the user's organization with the role's permissions", async () => {
    const user = await createUser({ role: "org_viewer" });
    const caller = await withBearer(await bearer(user));
    expect(caller.scope).toEqual({ kind: "organization", orgIds: [user.orgId], partnerId: user.partnerId });
    expect([...caller.permissions].sort()).toEqual(["audit:read", "custom_fields:read", "devices:read"]);
    expect(caller).toMatchObject({ homeOrgId: user.orgId, viaCookie: false });
  });

  it("covers all organizations of a partner, including later ones", async () => {
    const partner = await createPartner();
    const token = await bearer(await createUser({ role: "partner_admin", partnerId: partner.id }));
    const org = await createOrg({ partnerId: partner.id });
    await createOrg();
    const { scope, homeOrgId } = await withBearer(token);
    expect(scope.kind === "partner" && [...scope.orgIds].sort()).toEqual([partner.homeOrgId, org.id].sort());
    expect(homeOrgId).toBe(partner.homeOrgId);
  });

  it("covers only the selected organizations of a limited partner user", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const user = await createUser({ role: "partner_technician", partnerId: partner.id, organizationIds: [org.id] });
    expect((await withBearer(await bearer(user))).scope).toMatchObject({ kind: "partner", orgIds: [org.id] });
  });

  it("covers everything for a platform operator", async () => {
    const user = await createUser({ role: "system_admin" });
    expect((await withBearer(await bearer(user))).scope).toEqual({ kind: "system" });
  });

  it("also works in the session cookie", async () => {
    const token = await bearer(await createUser());
    const caller = await authenticate(request({ cookie: `a=b; trailmark.session=${token}` }), { auth: "user" });
    expect(caller.viaCookie).toBe(true);
  });

  it("stops working as soon as the user is disabled or signs out", async () => {
    const user = await createUser();
    const token = await bearer(user);
    await changeRows(refreshTokens, { userId: user.id }, { revokedAt: new Date() });
    await expect(withBearer(token)).rejects.toEqual(refused("unauthenticated"));
    const other = await bearer(user);
    await changeRows(users, { id: user.id }, { disabledAt: new Date() });
    await expect(withBearer(other)).rejects.toEqual(refused("unauthenticated"));
  });
});

describe("forged, altered and swapped credentials", () => {
  const secret = () => Buffer.from(env().NEXTAUTH_SECRET);
  const forge = async (change: {
    alg?: string;
    typ?: string;
    iss?: string;
    aud?: string;
    exp?: number;
    key?: Parameters<SignJWT["sign"]>[0];
    extra?: object;
  }) => {
    const claims = { ...(await claimsOf(await createUser())), ...change.extra };
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: change.alg ?? "HS256", ...(change.typ === "" ? {} : { typ: change.typ ?? "at+jwt" }) })
      .setIssuer(change.iss ?? "trailmark")
      .setAudience(change.aud ?? "trailmark-api")
      .setIssuedAt();
    return token.setExpirationTime(change.exp ?? Math.floor(Date.now() / 1000) + 60).sign(change.key ?? secret());
  };

  it("are rejected by both APIs while the original token works", async () => {
    await expect(withBearer(await forge({}))).resolves.toBeTruthy();
    const good = await bearer(await createUser());
    const [header, payload, signature] = good.split(".") as [string, string, string];
    const other = await createUser();
    const altered = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(payload, "base64url").toString()), sub: other.id }),
    ).toString("base64url");
    const eddsa = generateKeyPairSync("ed25519").privateKey;
    const device = await createDevice();
    const bad = [
      "",
      "x",
      "a.b.c",
      `${header}.${payload}.`,
      `${header}.${altered}.${signature}`,
      new UnsecuredJWT({ sub: other.id, scope: "system", sid: crypto.randomUUID() }).setExpirationTime("1h").encode(),
      await forge({ key: createSecretKey(Buffer.from("another secret another secret another")) }),
      await forge({ alg: "HS512" }),
      await forge({ alg: "EdDSA", key: eddsa }),
      await forge({ aud: "somebody-else" }),
      await forge({ iss: "somebody-else" }),
      await forge({ exp: Math.floor(Date.now() / 1000) - 5 }),
      await forge({ typ: "JWT" }),
      await forge({ typ: "" }),
      await forge({ extra: { sub: "not-a-uuid" } }),
      await forge({ extra: { sid: undefined } }),
      await forge({ extra: { sub: other.id } }),
      await signAccessToken({ ...(await claimsOf(other)), sid: crypto.randomUUID() }),
      unknownSecret("refresh"),
      unknownSecret("apiKey"),
      unknownSecret("agent"),
      unknownSecret("enrollment"),
      device.token,
    ];
    for (const token of bad) {
      await expect(withBearer(token), token).rejects.toEqual(refused("unauthenticated"));
      await expect(
        authenticate(request({ cookie: `trailmark.session=${token}` }), { auth: "user" }),
        token,
      ).rejects.toEqual(refused("unauthenticated"));
      await expect(authenticate(request({ "x-api-key": token }), { auth: "user" }), token).rejects.toEqual(
        refused("unauthenticated"),
      );
      if (token !== device.token) await expect(asAgent(token), token).rejects.toEqual(refused("unauthenticated"));
    }
  });

  it("a valid cookie does not make up for an invalid header", async () => {
    const cookie = `trailmark.session=${await bearer(await createUser())}`;
    await expect(authenticate(request({ cookie, authorization: "Bearer x" }), { auth: "user" })).rejects.toEqual(
      refused("unauthenticated"),
    );
    await expect(authenticate(request({ cookie, authorization: "Basic eDp5" }), { auth: "user" })).rejects.toEqual(
      refused("unauthenticated"),
    );
  });
});

describe("an API key", () => {
  it("works in both headers with its own permissions and records its use", async () => {
    const key = await createApiKey({ permissions: ["audit:write"] });
    const caller = await withBearer(key.key);
    expect(caller.actor).toEqual({ type: "api_key", id: key.id, name: key.name });
    expect(caller.scope).toMatchObject({ kind: "organization", orgIds: [key.orgId] });
    expect([...caller.permissions]).toEqual(["audit:write"]);
    expect(await authenticate(request({ "x-api-key": key.key }), { auth: "user" })).toMatchObject({ viaCookie: false });
    const [row] = await rowsIn(apiKeys, { id: key.id });
    expect(row?.lastUsedAt).toBeInstanceOf(Date);
  });

  it("keeps its permissions while the database is slow, except to submit events", async () => {
    const { id, key } = await createApiKey({ permissions: ["audit:read", "audit:write"] });
    const use = (records: boolean) => authenticate(request({ "x-api-key": key }), { auth: "user", records });
    await use(true);
    const unused = (tx: Tx) => tx.update(apiKeys).set({ lastUsedAt: null }).where(eq(apiKeys.id, id));
    await asSystem(unused);
    const asked = await asSystem(async (tx) => {
      await unused(tx); // holds the row, which a look-up marks as used
      const reads = use(false);
      expect([...(await use(true)).permissions]).toEqual(["audit:write"]);
      return { reads };
    });
    expect([...(await asked.reads).permissions]).toEqual(["audit:read", "audit:write"]);
  });

  it("covers all organizations of a partner's key", async () => {
    const partner = await createPartner();
    const key = await createApiKey({ partnerId: partner.id });
    expect(await withBearer(key.key)).toMatchObject({
      scope: { kind: "partner", orgIds: [partner.homeOrgId] },
      homeOrgId: partner.homeOrgId,
    });
  });

  it("is rejected after revocation or expiry, and by agent endpoints", async () => {
    for (const over of [{ revoked: true }, { expiresAt: new Date(Date.now() - 1000) }]) {
      const { id, key } = await createApiKey(over);
      await expect(withBearer(key)).rejects.toEqual(refused("unauthenticated"));
      const [row] = await rowsIn(apiKeys, { id });
      expect(row).toMatchObject({ lastUsedAt: null, lastUsedIp: null });
    }
    await expect(asAgent((await createApiKey()).key)).rejects.toEqual(refused("unauthenticated"));
  });
});

describe("an agent token", () => {
  it("works only for its own agent ID; foreign and unknown IDs look alike", async () => {
    const device = await createDevice();
    const other = await createDevice();
    expect((await asAgent(device.token, device.agentId)).actor).toEqual({
      type: "agent",
      id: device.agentId,
      deviceId: device.id,
      hostname: device.hostname,
    });
    const errors = await Promise.all(
      [other.agentId, crypto.randomUUID()].map((id) => asAgent(device.token, id).catch((e) => e)),
    );
    expect(errors[0]).toMatchObject({ code: "not_found" });
    expect(errors[0].message).toBe(errors[1].message);
  });

  it("accepts a UUID in any case, but other IDs are case-sensitive", async () => {
    const id = crypto.randomUUID();
    for (const [stored, given] of [
      [id.toUpperCase(), id],
      [id, id.toUpperCase()],
    ] as const) {
      const { token } = await createDevice({ agentId: stored });
      expect((await asAgent(token, given)).actor).toMatchObject({ type: "agent", id: stored });
    }
    const named = await createDevice({ agentId: `Host-${id}` });
    await expect(asAgent(named.token, `host-${id}`)).rejects.toEqual(refused("not_found"));
  });

  it("is rejected after revocation, and a user's token is no substitute", async () => {
    const revoked = await createDevice({ revoked: true });
    await expect(asAgent(revoked.token, revoked.agentId)).rejects.toEqual(refused("unauthenticated"));
    await expect(asAgent(await bearer(await createUser()))).rejects.toEqual(refused("unauthenticated"));
  });
});
