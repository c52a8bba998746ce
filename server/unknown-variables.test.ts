import { expect, it } from "vitest";
import { unknownVariables } from "./unknown-variables";

const of = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, "a-value"])) as unknown as NodeJS.ProcessEnv);

it("names a misspelt setting and the one that was meant, without its value", () => {
  expect(of("TRAILMARK_SIGNNG_KEY_FILE", "DATABSE_URL", "NEXTAUTH_SECERT", "TRUST_PROXY_HEADER")).toEqual([
    "DATABSE_URL is not a setting; did you mean DATABASE_URL?",
    "NEXTAUTH_SECERT is not a setting; did you mean NEXTAUTH_SECRET?",
    "TRAILMARK_SIGNNG_KEY_FILE is not a setting; did you mean TRAILMARK_SIGNING_KEY_FILE?",
    "TRUST_PROXY_HEADER is not a setting; did you mean TRUST_PROXY_HEADERS?",
  ]);
});

it("names everything of ours that no version reads here", () => {
  expect(of("TRAILMARK_COLOUR")).toEqual(["TRAILMARK_COLOUR is not a setting of this version"]);
});

it("says nothing of settings, of their files, of what the agent reads, of empty values and of other programs", () => {
  expect(of("DATABASE_URL", "METRICS_TOKEN_FILE", "TRAILMARK_CITUS", "WORKERS", "PORT")).toEqual([]);
  expect(of("TRAILMARK_AGENT_TOKEN", "TRAILMARK_E2E_PORT")).toEqual([]);
  expect(of("POST", "WORKER", "HOSTS", "PATH", "HOSTNAME", "OTEL_EXPORTER_OTLP_HEADERS")).toEqual([]);
  expect(unknownVariables({ TRAILMARK_COLOUR: "", NODE_ENV: "test" })).toEqual([]);
});
