import type { LookupAddress } from "node:dns";
import { describe, expect, it, vi } from "vitest";
import { startHttpDouble } from "@/testing/http-double";
import { guardedLookup, isPublicAddress, requireAllowed, requireAllowedHost } from "./address";
import { postTo } from "./post";

const NOTHING = { privateAddresses: false, http: false };
const message = { body: "{}", headers: {} };

it.each([
  "127.0.0.1",
  "127.255.255.254",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "255.255.255.255",
  "224.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "::1",
  "::",
  "fe80::1",
  "fc00::1",
  "fd12:3456::1",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001:db8::1",
  "2001::1",
  "::7f00:1",
  "::a00:1",
  "4000::1",
  "168.63.129.16",
  "::ffff:168.63.129.16",
  "not an address",
])("%s is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1"])("%s is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe("webhook URLs", () => {
  it.each([
    ["http://hooks.example.com/", "must begin with https://"],
    ["https://user:secret@hooks.example.com/", "must not hold a user name or password"],
    ["https://127.0.0.1/", "is not on the public internet"],
    ["https://2130706433/", "is not on the public internet"],
    ["https://0x7f.1/", "is not on the public internet"],
    ["https://0177.0.0.1/", "is not on the public internet"],
    ["https://[::1]/", "is not on the public internet"],
    ["https://[::127.0.0.1]/", "is not on the public internet"],
    ["https://[::ffff:169.254.169.254]/", "is not on the public internet"],
    ["https://localhost/", "is not on the public internet"],
    ["https://a.localhost./", "is not on the public internet"],
    ["https://metadata.google.internal/", "is not on the public internet"],
    ["https://metadata.google.internal./", "is not on the public internet"],
    ["https://168.63.129.16/", "is not on the public internet"],
    ["https://hooks.example.com:22/", "must use port 443 or one above 1023"],
    ["https://hooks.example.com:80/", "must use port 443 or one above 1023"],
    ["https://hooks.example.com:1023/", "must use port 443 or one above 1023"],
  ])("%s %s", (address, reason) => {
    expect(() => requireAllowed(new URL(address), NOTHING)).toThrow(reason);
  });

  it("allow private addresses if the operator does", () => {
    expect(() => requireAllowed(new URL("http://127.0.0.1/"), { privateAddresses: true, http: true })).not.toThrow();
    expect(() => requireAllowed(new URL("ftp://example.com/"), { privateAddresses: true, http: true })).toThrow();
    for (const address of [
      "https://hooks.example.com/",
      "https://internal.example.com/",
      "https://hooks.example.com:443/",
      "https://hooks.example.com:1024/",
    ])
      expect(() => requireAllowed(new URL(address), NOTHING)).not.toThrow();
  });
});

describe("host names", () => {
  const resolvingTo = (...addresses: string[]) =>
    vi.fn((_name: string, _options: object, done: (e: null, found: LookupAddress[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    );
  const lookUp = (resolve: unknown) =>
    new Promise<unknown>((settle) => {
      guardedLookup(NOTHING, resolve as Parameters<typeof guardedLookup>[1])("x.test", { all: true }, (error, found) =>
        settle(error?.message ?? found),
      );
    });

  it("are rejected if any of their addresses is private", async () => {
    const refused = "resolves to one that is not on the public internet";
    expect(await lookUp(resolvingTo("10.0.0.5"))).toBe(refused);
    expect(await lookUp(resolvingTo("1.1.1.1", "127.0.0.1"))).toBe(refused);
    expect(await lookUp(resolvingTo("1.1.1.1"))).toEqual([{ address: "1.1.1.1", family: 4 }]);
  });

  it("are resolved once, and the connection uses the checked address", async () => {
    const resolve = resolvingTo("1.1.1.1");
    await lookUp(resolve);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it("are rejected at connection time if they resolve to this machine", async () => {
    // The name passes the check of the text; the look-up finds loopback.
    const receiver = await startHttpDouble();
    const port = new URL(receiver.url).port;
    const name = await import("node:os").then((os) => os.hostname());
    const posted = await postTo(`http://${name}:${port}/`, message, { privateAddresses: false, http: true });
    expect(posted.status).toBeNull();
    expect(receiver.received).toHaveLength(0);
    await receiver.close();
  });
});

describe("webhook POST", () => {
  const ALL = { privateAddresses: true, http: true };

  it("does not follow redirects and says so", async () => {
    const [receiver, elsewhere] = [await startHttpDouble(), await startHttpDouble()];
    receiver.answer = () => ({ status: 302, headers: { location: elsewhere.url } });
    expect(await postTo(receiver.url, message, ALL)).toEqual({
      status: 302,
      error: "The endpoint answered 302; redirects are not followed.",
    });
    expect(elsewhere.received).toHaveLength(0);
    await Promise.all([receiver.close(), elsewhere.close()]);
  });

  it("reads only as much of a long response as needed", async () => {
    const receiver = await startHttpDouble();
    receiver.answer = () => ({ status: 200, body: "x".repeat(20_000_000) });
    expect(await postTo(receiver.url, message, ALL)).toEqual({ status: 200, error: null });
    await receiver.close();
  });

  it("reports why no response arrived", async () => {
    const receiver = await startHttpDouble();
    await receiver.close();
    expect(await postTo(receiver.url, message, ALL)).toEqual({ status: null, error: "The connection was refused." });
    expect((await postTo("https://127.0.0.1/", message, NOTHING)).error).toBe(
      "The address is not on the public internet.",
    );
  });
});

it.each([
  ["127.0.0.1", 6514, "is not on the public internet"],
  ["syslog.internal", 6514, "is not on the public internet"],
  ["1.1.1.1", 25, "must use port 514 or 601 or one above 1023"],
])("rejects a syslog receiver at %s, port %i", (host, port, reason) => {
  expect(() => requireAllowedHost({ host, port, own: [514, 601] }, NOTHING)).toThrow(reason);
});

it.each([514, 601, 6514])("allows a syslog receiver at port %i", (port) => {
  expect(() => requireAllowedHost({ host: "1.1.1.1", port, own: [514, 601] }, NOTHING)).not.toThrow();
});
