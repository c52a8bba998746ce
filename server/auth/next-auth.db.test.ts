import { describe, expect, it } from "vitest";
import { systemCtx } from "@/server/context";
import { auditRows, createUser, PASSWORD } from "@/testing/factories";
import { authenticate } from "./authenticate";
import { authOptions } from "./next-auth";

const ctx = () => ({ ...systemCtx(), ip: "198.51.100.30", userAgent: "a browser" });
type Provider = { options: { authorize: (credentials: unknown) => Promise<{ claims: unknown } | null> } };
const optionsOf = (refused: unknown[] = []) => authOptions(ctx(), (error) => refused.push(error));
const authorize = (credentials: unknown, refused: unknown[] = []) =>
  (optionsOf(refused).providers[0] as unknown as Provider).options.authorize(credentials);

describe("signing in through the browser", () => {
  it("puts the API's kind of token into the cookie, and signing out ends it at once", async () => {
    const user = await createUser({ role: "org_technician" });
    const signedIn = await authorize({ email: user.email, password: PASSWORD, csrfToken: "x" });
    const { callbacks, jwt, events } = optionsOf();
    const claims = await callbacks?.jwt?.({ token: {}, user: signedIn } as never);
    const cookie = await jwt?.encode?.({ token: claims as never, secret: "", maxAge: 60 });
    const request = () => new Request("http://127.0.0.1:3000/", { headers: { cookie: `trailmark.session=${cookie}` } });
    expect(await authenticate(request(), { auth: "user" })).toMatchObject({ actor: { id: user.id }, viaCookie: true });
    const decoded = await jwt?.decode?.({ token: cookie as string, secret: "" });
    expect(decoded).toMatchObject({ sub: user.id, scope: "organization", orgId: user.orgId });
    await events?.signOut?.({ token: decoded } as never);
    await expect(authenticate(request(), { auth: "user" })).rejects.toMatchObject({ code: "unauthenticated" });
    const rows = await auditRows(user.orgId as string);
    expect(rows.map((r) => r.action)).toEqual(["user.login", "user.logout"]);
    expect(rows[0]).toMatchObject({ ipAddress: "198.51.100.30", userAgent: "a browser" });
  });

  it("refuses wrong passwords, decodes no foreign token, and tells when it is over the limit", async () => {
    const user = await createUser();
    const refused: unknown[] = [];
    expect(await authorize({ email: user.email, password: "wrong" })).toBeNull();
    expect(await authorize({ email: ["x"], password: {} })).toBeNull();
    expect(await optionsOf().jwt?.decode?.({ token: "a.b.c", secret: "" })).toBeNull();
    for (let i = 0; i < 9; i++) await authorize({ email: user.email, password: "wrong" });
    await expect(authorize({ email: user.email, password: PASSWORD }, refused)).rejects.toThrow("rate_limited");
    expect(refused[0]).toMatchObject({ code: "rate_limited" });
  });

  it("sets an httpOnly, SameSite=Lax cookie of a fixed name", () => {
    expect(optionsOf().cookies?.sessionToken).toEqual({
      name: "trailmark.session",
      options: { httpOnly: true, sameSite: "lax", path: "/", secure: false },
    });
  });
});
