import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { UPLOAD_PART_BYTES } from "@/server/custom-fields/import/plan-schema";
import { EnvError, envSchema, parseEnv } from "@/server/ground/env";
import { tempFolder } from "@/testing/temp-folder";

const FILES = readdirSync("deploy", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !/^deploy\/(secrets|tls)\/|\.sql$/.test(path));
const textOf = (path: string): string => readFileSync(path, "utf8");

/** Variables that a file gives to one of our processes: KEY=, Environment=KEY=, each of ENV's, KEY: and name: KEY. */
const VARIABLE = /(?:^\s*(?:Environment=|- name: )?|(?<=^ENV .*) |^ENV )([A-Z][A-Z0-9_]{3,})(?:[=:]|$)/gm;
/** Variables that other programs of the compose file read. */
const OF_OTHERS = /^(POSTGRES_|GF_)/;
const variablesOf = (path: string): string[] =>
  [...textOf(path).matchAll(VARIABLE)].map(([, name = ""]) => name).filter((name) => !OF_OTHERS.test(name));

/** Whether parseEnv reads the variable: by its name, or a secret from the file that it names. */
function isRead(name: string): boolean {
  if (name in envSchema.shape) return true;
  try {
    parseEnv({ NODE_ENV: "test", [name]: "/nowhere" });
  } catch (error) {
    return error instanceof EnvError && error.message.includes(`${name}: cannot read the file it names`);
  }
  return false;
}

it("deploy files set only variables that the server reads", () => {
  const named = new Set(FILES.flatMap(variablesOf));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !isRead(name))).toEqual([]);
  expect(isRead("DATABASE_URI")).toBe(false);
  expect(isRead("HOST_FILE")).toBe(false);
});

it.each(FILES.filter((path) => path.endsWith(".yaml") || path.endsWith(".yml")))("%s is valid YAML", (path) => {
  const documents = parseAllDocuments(textOf(path));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
});

const service = z.object({
  image: z.string(),
  volumes: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.unknown()).default({}),
});
const compose = z
  .object({
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.unknown()),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(textOf("deploy/compose.yaml"), { merge: true }));

it("the compose file mounts existing files, volumes and secrets", () => {
  for (const [name, { volumes, secrets, depends_on }] of Object.entries(compose.services)) {
    for (const source of volumes.map((volume) => volume.split(":")[0] ?? ""))
      if (source !== "./tls")
        expect(source.startsWith(".") ? existsSync(join("deploy", source)) : source in compose.volumes, source).toBe(
          true,
        );
    expect([...secrets.filter((secret) => !(secret in compose.secrets))], name).toEqual([]);
    expect(Object.keys(depends_on).filter((other) => !(other in compose.services))).toEqual([]);
  }
  const created = textOf("deploy/make-secrets.sh");
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    expect(file).toBe(`./secrets/${name}`);
    expect(created).toContain(name);
  }
});

it("the proxy allows upload parts of an import", () => {
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(textOf("deploy/nginx/trailmark.conf"))?.[1]);
  expect(UPLOAD_PART_BYTES).toBeLessThan(megabytes * 1024 * 1024);
});

it("the proxy limits requests without a credential by address", () => {
  const nginx = textOf("deploy/nginx/trailmark.conf");
  for (const [, limit, zone] of nginx.matchAll(/^ +(limit_req|limit_conn) (?:zone=)?(trailmark_\w+)/gm))
    expect(nginx).toMatch(new RegExp(`^${limit}_zone \\$stranger zone=${zone}:`, "m"));
  expect(nginx.match(/^ +limit_(req|conn) /gm)).toHaveLength(2);
});

it("secrets are stored in an owner-only folder, even a pre-existing one", () => {
  const folder = tempFolder();
  chmodSync(folder, 0o755);
  execFileSync("sh", ["deploy/make-secrets.sh", folder]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it.each([
  ["imports", "server/custom-fields/import/record.ts"],
  ["exports", "server/exports/files.ts"],
])("%s is a shared volume of every server process", (name, source) => {
  const [, folder] = /TRAILMARK_DATA_DIR, "(\w+)"/.exec(textOf(source)) ?? [];
  const servers = Object.entries(compose.services).filter(([service]) => service.startsWith("server-"));
  expect(servers.length).toBeGreaterThan(1);
  for (const [, { volumes }] of servers) expect(volumes).toContain(`${name}:/var/lib/trailmark/${folder}`);
  const unit = textOf("deploy/systemd/trailmark@.service");
  expect(unit).toMatch(new RegExp(`^StateDirectory=.* trailmark/${name}( |$)`, "m"));
  expect(unit).toContain(`BindPaths=%S/trailmark/${name}:%S/trailmark/%i/${folder}\n`);
  expect(textOf("deploy/Dockerfile")).toContain(` /var/lib/trailmark/${folder}`);
});

it("proxy and scrape targets match the compose services", () => {
  const asked = ["nginx/upstream.compose.conf", "monitoring/prometheus.yml"].flatMap((path) =>
    [...textOf(join("deploy", path)).matchAll(/\b(server-\d+):3000/g)].map(([, name = ""]) => name),
  );
  expect(new Set(asked)).toEqual(new Set(Object.keys(compose.services).filter((name) => name.startsWith("server-"))));
});

it("deploy commands start built bundles with existing commands and probes", () => {
  const build = textOf("scripts/build.mjs");
  const cli = textOf("server/run/cli/main.ts");
  const texts = FILES.map(textOf).join("\n");
  const bundles = [...texts.matchAll(/dist\/([\w-]+)\.mjs/g)].map(([, name = ""]) => name);
  expect(new Set(bundles)).toEqual(new Set(["server", "trailmark"]));
  for (const name of bundles) expect(build).toMatch(new RegExp(`^ {2}"?${name}"?: "server/`, "m"));
  for (const [, command] of texts.matchAll(/trailmark\.mjs(?:", "| )([\w-]+)/g))
    expect(cli).toMatch(new RegExp(`^ {2}"?${command}"?[,:]`, "m"));
  for (const [, path = ""] of texts.matchAll(
    /(?:path: |metrics_path: |127\.0\.0\.1:3000)\/(healthz|readyz|metrics)\b/g,
  ))
    expect(existsSync(join("app", path, "route.ts")), path).toBe(true);
});

it("the image copies only files that exist or are built", () => {
  const copied = [...textOf("deploy/Dockerfile").matchAll(/^COPY (?:--from=\w+ )?(.+) \S+$/gm)].flatMap(
    ([, sources = ""]) => sources.split(" "),
  );
  const built = ["node_modules", ".next", "dist"];
  const missing = copied.map((path) => posix.relative("/opt/trailmark", posix.resolve("/opt/trailmark", path)));
  expect(missing.filter((path) => !built.includes(path) && !existsSync(path || "."))).toEqual([]);
});

it("the kustomization lists every manifest", () => {
  const { resources } = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(textOf("deploy/kubernetes/kustomization.yaml")));
  const manifests = readdirSync("deploy/kubernetes").filter((name) => name !== "kustomization.yaml");
  expect([...resources].sort()).toEqual(manifests.sort());
});

it("network policies name existing pods and ports", () => {
  const manifests = readdirSync("deploy/kubernetes").filter((name) => !/^(network|kustomization)/.test(name));
  const others = manifests.map((name) => textOf(join("deploy/kubernetes", name))).join("\n");
  const policies = textOf("deploy/kubernetes/network.yaml");
  const named = [...policies.matchAll(/app: ([\w-]+)|values: \[(trailmark.*)\]/g)].flatMap(
    ([, one, list]) => one ?? (list ?? "").split(", "),
  );
  const pods = named.filter((app) => app !== "trailmark-postgres");
  expect(new Set(pods)).toEqual(new Set(["trailmark", "trailmark-migrate"]));
  for (const app of pods) expect(others).toContain(`app: ${app}\n`);
  expect(policies).toContain("- port: http\n");
  expect(others).toContain("- name: http\n              containerPort: 3000");
});

it("the image and systemd unit start the server by its first line, like the launcher", () => {
  expect(textOf("server/run/process/main.ts")).toMatch(/^#!\/usr\/bin\/env -S .*\bnode /);
  expect(textOf("deploy/Dockerfile")).toMatch(/^CMD \["\.\/dist\/server\.mjs"\]$/m);
  expect(textOf("deploy/systemd/trailmark@.service")).toMatch(/^ExecStart=\S+\/dist\/server\.mjs$/m);
});

it("every dependency has an exact version", () => {
  const { dependencies, devDependencies } = JSON.parse(textOf("package.json"));
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d[\w.-]*$|^(npm|file):/);
});
