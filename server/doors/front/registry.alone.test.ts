import { describe, expect, it } from "vitest";
import { createRegistry, handlerOf } from "./registry";

const file = (path: string) => ({ path, module: { GET: () => path, POST: () => path } });
const match = createRegistry(
  [
    "/api/v1/[...path]",
    "/api/v1/devices",
    "/api/v1/devices/[id]",
    "/api/v1/devices/[id]/eventlogs/[name]",
    "/api/v1/agents/enroll",
    "/api/v1/agents/[id]/logs",
    "/healthz",
  ].map(file),
);
const found = (pathname: string) => {
  const it = match(pathname);
  return it && { path: (it.handlers.GET as () => string)(), params: it.params };
};

describe("route registry", () => {
  it.each([
    ["/healthz", "/healthz", {}],
    ["/api/v1/devices", "/api/v1/devices", {}],
    ["/api/v1/devices/", "/api/v1/devices", {}],
    ["/api/v1/devices/42", "/api/v1/devices/[id]", { id: "42" }],
    [
      "/api/v1/devices/42/eventlogs/System%20Log",
      "/api/v1/devices/[id]/eventlogs/[name]",
      { id: "42", name: "System Log" },
    ],
    ["/api/v1/devices/42/eventlogs/a%2Fb", "/api/v1/devices/[id]/eventlogs/[name]", { id: "42", name: "a/b" }],
    ["/api/v1/agents/enroll", "/api/v1/agents/enroll", {}],
    ["/api/v1/agents/enroll/logs", "/api/v1/agents/[id]/logs", { id: "enroll" }],
    ["/api/v1/devices/%zz", "/api/v1/devices/[id]", { id: "%zz" }],
    ["/api/v1/nothing/here", "/api/v1/[...path]", { path: ["nothing", "here"] }],
    ["/api/v1", "/api/v1/[...path]", {}],
  ])("finds %s", (pathname, path, params) => expect(found(pathname)).toEqual({ path, params }));

  it("leaves pages to Next", () => {
    expect(match("/")).toBeUndefined();
    expect(match("/devices")).toBeUndefined();
  });

  it("answers HEAD with GET and knows no other method", () => {
    const one = match("/healthz");
    expect(one && handlerOf(one, "HEAD")).toBe(one?.handlers.GET);
    expect(one && handlerOf(one, "TRACE")).toBeUndefined();
    expect(one && handlerOf(one, "constructor")).toBeUndefined();
  });
});
