import { afterEach, describe, expect, it, vi } from "vitest";
import { clientIp, networkOf, PEER_HEADER } from "./client-ip";

const headers = (all: Record<string, string>) => ({ get: (name: string) => all[name] ?? null });
const CF = "cf-connecting-ip";
const XFF = "x-forwarded-for";
const REAL = "x-real-ip";

describe("client IP behind a trusted proxy", () => {
  it.each([
    [{ [CF]: "203.0.113.1", [XFF]: "203.0.113.2", [REAL]: "203.0.113.3" }, "203.0.113.1"],
    [{ [XFF]: "203.0.113.2", [REAL]: "203.0.113.3" }, "203.0.113.2"],
    [{ [REAL]: "203.0.113.3" }, "203.0.113.3"],
    [{}, "10.0.0.9"],
    [{ [CF]: "unknown", [XFF]: "203.0.113.2" }, "203.0.113.2"],
    [{ [CF]: "", [REAL]: "203.0.113.3" }, "203.0.113.3"],
    [{ [XFF]: "unknown, 203.0.113.2, 203.0.113.4" }, "203.0.113.2"],
    [{ [XFF]: "_hidden, , ;" }, "10.0.0.9"],
    [{ [XFF]: " 203.0.113.2 ,203.0.113.4" }, "203.0.113.2"],
    [{ [XFF]: "203.0.113.2:4711" }, "203.0.113.2"],
    [{ [XFF]: "[2001:db8::1]:443" }, "2001:db8::1"],
    [{ [CF]: "2001:DB8:0:0::1" }, "2001:db8::1"],
    [{ [CF]: "::ffff:203.0.113.7" }, "203.0.113.7"],
    [{ [CF]: "fe80::1%eth0" }, "fe80::1"],
    [{ [CF]: "1234" }, "10.0.0.9"],
    [{ [CF]: "203.0.113" }, "10.0.0.9"],
    [{ [CF]: "256.1.1.1", [REAL]: "203.0.113.3" }, "203.0.113.3"],
    [{ [CF]: "0x7f.0.0.1" }, "10.0.0.9"],
    [{ [CF]: "' OR 1=1" }, "10.0.0.9"],
  ])("%j resolves to %s", (all, ip) => {
    expect(clientIp(headers(all as Record<string, string>), "10.0.0.9", [CF, XFF, REAL])).toBe(ip);
    expect(clientIp(headers(all as Record<string, string>), "::ffff:10.0.0.9", [])).toBe("10.0.0.9");
  });

  it("is null when unknown", () => expect(clientIp(headers({}), null, [XFF])).toBeNull());
});

it.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
  ["2001:db8:1:2::ffff", "2001:db8:1:2::"],
  ["2001:db8:1:3::1", "2001:db8:1:3::"],
  ["203.0.113.7", "203.0.113.7"],
  [null, null],
])("limits group %s as %s", (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

it.each([
  ["X-Real-IP", "203.0.113.3"],
  ["CF-Connecting-IP", "10.0.0.9"],
])("TRAILMARK_CLIENT_IP_HEADER=%s alone sets the client IP: %s", async (name, ip) => {
  vi.stubEnv("TRAILMARK_CLIENT_IP_HEADER", name);
  vi.stubEnv("TRUST_PROXY_HEADERS", "true");
  vi.stubEnv("DATABASE_URL", "postgres://a:b@localhost/c");
  vi.stubEnv("NEXTAUTH_SECRET", "s".repeat(32));
  vi.stubEnv("NEXTAUTH_URL", "http://localhost:3000");
  vi.resetModules();
  const { originOf } = await import("./client-ip");
  const given = { [XFF]: "203.0.113.2", [REAL]: "203.0.113.3", [PEER_HEADER]: "10.0.0.9" };
  expect(originOf({ headers: headers(given) }).ip).toBe(ip);
  vi.unstubAllEnvs();
});

describe("a proxy that does not match the setting", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.for<[string, Record<string, string>, string, RegExp | null]>([
    ["false", { [XFF]: "203.0.113.2" }, "127.0.0.1", /TRUST_PROXY_HEADERS is off/],
    ["true", {}, "10.0.0.7", /a request named no caller/],
    ["false", {}, "127.0.0.1", null],
    ["true", { [XFF]: "203.0.113.2" }, "127.0.0.1", null],
    ["false", { [XFF]: "203.0.113.2" }, "1.1.1.1", null],
  ])("warns once or never: trust %s, %j from %s", async ([trust, given, peer, message]) => {
    vi.stubEnv("TRUST_PROXY_HEADERS", trust);
    vi.stubEnv("DATABASE_URL", "postgres://a:b@localhost/c");
    vi.stubEnv("NEXTAUTH_SECRET", "s".repeat(32));
    vi.stubEnv("NEXTAUTH_URL", "http://localhost:3000");
    vi.resetModules();
    const [{ originOf }, { log }] = await Promise.all([import("./client-ip"), import("./log")]);
    const warn = vi.spyOn(log, "warn").mockImplementation(() => {});
    const request = new Request("http://localhost", { headers: { ...given, [PEER_HEADER]: peer } });
    for (let i = 0; i < 3; i++) originOf(request);
    expect(warn.mock.calls.map(([, text]) => text)).toEqual(message ? [expect.stringMatching(message)] : []);
  });
});
