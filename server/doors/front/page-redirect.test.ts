import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { REQUESTED_PAGE, sessionCookie } from "@/server/identity/auth/session-cookie";
import { redirectPage } from "./request-target";

type Sent = { location?: string; requestedPage?: string | string[] };

function request(url: string, headers: Record<string, string> = {}): Sent {
  const incoming = { url, headers: { ...headers } };
  const sent: Sent = {};
  const outgoing = {
    writeHead: (_status: number, { Location }: { Location: string }) => {
      sent.location = Location;
      return { end: () => {} };
    },
  };
  redirectPage(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse, false);
  const { [REQUESTED_PAGE]: requestedPage } = incoming.headers;
  return requestedPage === undefined ? sent : { ...sent, requestedPage };
}

describe("without a session", () => {
  it.each([
    ["/", "/login"],
    ["/devices", "/login?callbackUrl=%2Fdevices"],
    ["/?ip=10.1.", "/login?callbackUrl=%2F%3Fip%3D10.1."],
    ["/devices?state=online&_rsc=1a2b", "/login?callbackUrl=%2Fdevices%3Fstate%3Donline"],
    ["/loginx", "/login?callbackUrl=%2Floginx"],
    ["//[", "/login?callbackUrl=%2F%2F%5B"],
  ])("%s redirects to %s", (url, location) => expect(request(url)).toEqual({ location }));

  it.each([
    "/login?ended=1",
    "/setup",
    "/verify",
    "/docs",
    "/api",
    "/_next/static/a.js",
    "/__nextjs_font/a",
    "/icon.svg",
  ])("%s is public", (url) => expect(request(url)).toEqual({}));
});

it("passes the requested URL to a page with a session, ignoring client claims", () => {
  const cookie = `${sessionCookie(false)}=token`;
  expect(request("/devices?a=1&_rsc=x", { cookie, [REQUESTED_PAGE]: "/forged" })).toEqual({
    requestedPage: "/devices?a=1",
  });
  expect(request("/login", { cookie, [REQUESTED_PAGE]: "/forged" })).toEqual({});
});
