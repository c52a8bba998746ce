import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { envSchema, parseEnv } from "./env";
import { unknownVariables } from "./unknown-variables";

const good = {
  DATABASE_URL: "postgres://a:b@localhost/c",
  NEXTAUTH_SECRET: "s".repeat(32),
  NEXTAUTH_URL: "http://localhost:3000",
};
const faultsOf = (source: Record<string, string>): string => {
  try {
    parseEnv(source as unknown as NodeJS.ProcessEnv);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("environment variables", () => {
  it("have the documented defaults", () => {
    expect(parseEnv(good as unknown as NodeJS.ProcessEnv)).toMatchObject({
      HOST: "127.0.0.1",
      PORT: 3000,
      TRUST_PROXY_HEADERS: false,
      WORKERS: true,
      LOG_LEVEL: "info",
    });
  });

  it("treat an empty value as unset", () => {
    expect(parseEnv({ ...good, PORT: "", METRICS_TOKEN: "" } as unknown as NodeJS.ProcessEnv)).toMatchObject({
      PORT: 3000,
    });
  });

  it("are reported with all faults at once", () => {
    const faults = faultsOf({
      ...good,
      PORT: "abc",
      LOG_LEVEL: "loud",
      NEXTAUTH_SECRET: "short",
      TRAILMARK_ADMIN_EMAIL: "a@b.example",
    });
    for (const name of ["PORT", "LOG_LEVEL", "NEXTAUTH_SECRET"]) expect(faults).toContain(name);
  });

  it.each([
    "NEXTAUTH_URL",
    "OIDC_ISSUER",
    "CHECKPOINT_WEBHOOK_URL",
    "TRAILMARK_TSA_URL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
  ])("accept only an http or https URL as %s", (name) => {
    for (const value of ["ftp://x", "mailto:a@b.example", "nope"])
      expect(faultsOf({ ...good, [name]: value })).toContain(`${name}: must be an http or https address`);
  });

  it("require a direct database URL when prepared statements are off", () => {
    const pooled = { ...good, DATABASE_PREPARE: "false" };
    expect(faultsOf(pooled)).toContain("DATABASE_PREPARE=false needs DATABASE_DIRECT_URL");
    expect(faultsOf({ ...pooled, DATABASE_DIRECT_URL: good.DATABASE_URL })).toBe("");
  });

  it("reject an invalid HOST", () => {
    expect(faultsOf({ ...good, HOST: "not a host" })).toContain("HOST: must be an address or a host name");
    for (const HOST of ["0.0.0.0", "::1", "fe80::1%eth0", "db_1.example"]) expect(faultsOf({ ...good, HOST })).toBe("");
  });

  it.each([
    [{ HOST: "999.1.1.1" }, "HOST: must be an address or a host name"],
    [{ HOST: "a b" }, "HOST: must be an address or a host name"],
    [{ PORT: "abc" }, "PORT: "],
    [{ PORT: "65536" }, "PORT: "],
  ])("report only %j, not the URL derived from it", (given, fault) => {
    const { HOST, PORT } = { HOST: "127.0.0.1", PORT: "3000", ...given };
    const created = `http://${HOST}:${PORT}`;
    const faults = faultsOf({ ...good, ...given, NEXTAUTH_URL: created });
    expect(faults).toContain(fault);
    expect(faults).not.toContain("NEXTAUTH_URL");
  });

  it("report an unreadable secret file but never a secret", () => {
    const faults = faultsOf({ ...good, METRICS_TOKEN_FILE: "/nonexistent/token", NEXTAUTH_SECRET: "hunter2" });
    expect(faults).toContain("METRICS_TOKEN_FILE");
    expect(faults).not.toContain("hunter2");
  });
});

describe(".env.example", () => {
  const lines = readFileSync(".env.example", "utf8").split("\n");
  const examples = lines.flatMap((line, i) => {
    const [, name, value] = /^(?:# )?([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name && value !== undefined ? [{ name, value, above: lines[i - 1] ?? "" }] : [];
  });

  it("lists every variable once", () => {
    expect(examples.map(({ name }) => name).sort()).toEqual(Object.keys(envSchema.shape).sort());
  });

  it.each(examples)("has the default of $name and explains it", ({ name, value, above }) => {
    const schema = envSchema.shape[name as keyof typeof envSchema.shape];
    const { data } = schema.safeParse(undefined);
    expect(value ? schema.parse(value) : undefined).toEqual(data);
    expect(above).toMatch(/^# ./);
  });
});

const unknownOf = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, "a-value"])) as unknown as NodeJS.ProcessEnv);

it("suggests the intended name for a misspelled setting without showing its value", () => {
  expect(unknownOf("TRAILMARK_SIGNNG_KEY_FILE", "DATABSE_URL", "NEXTAUTH_SECERT", "TRUST_PROXY_HEADER")).toEqual([
    "DATABSE_URL is not a setting; did you mean DATABASE_URL?",
    "NEXTAUTH_SECERT is not a setting; did you mean NEXTAUTH_SECRET?",
    "TRAILMARK_SIGNNG_KEY_FILE is not a setting; did you mean TRAILMARK_SIGNING_KEY_FILE?",
    "TRUST_PROXY_HEADER is not a setting; did you mean TRUST_PROXY_HEADERS?",
  ]);
});

it("warns about TRAILMARK_ variables that no version reads", () => {
  expect(unknownOf("TRAILMARK_COLOUR")).toEqual(["TRAILMARK_COLOUR is not a setting of this version"]);
});

it("does not warn about known, agent, empty or unrelated variables", () => {
  expect(unknownOf("DATABASE_URL", "METRICS_TOKEN_FILE", "TRAILMARK_CITUS", "WORKERS", "PORT")).toEqual([]);
  expect(unknownOf("TRAILMARK_AGENT_TOKEN", "TRAILMARK_E2E_PORT")).toEqual([]);
  expect(unknownOf("POST", "WORKER", "HOSTS", "PATH", "HOSTNAME", "OTEL_EXPORTER_OTLP_HEADERS")).toEqual([]);
  expect(unknownVariables({ TRAILMARK_COLOUR: "", NODE_ENV: "test" })).toEqual([]);
});

it("reports an unparsable DATABASE_URL and accepts every form the driver accepts", () => {
  const parse = (url: string) => parseEnv({ ...good, DATABASE_URL: url } as unknown as NodeJS.ProcessEnv).DATABASE_URL;
  for (const url of [
    "postgres://app:a#b@localhost/c",
    "postgres://app:50%@localhost/c",
    "postgres://app:a@localhost:port/c",
  ])
    expect(() => parse(url)).toThrow("DATABASE_URL: cannot be read; in a password");
  for (const url of [
    "postgres://app:a%23b@localhost/c",
    "postgres://app:a,b@localhost/c",
    "postgres://a:b@h1:1,h2:2/c",
  ])
    expect(parse(url)).toBe(url);
});
