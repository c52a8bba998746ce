import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tempFolder } from "@/testing/temp-folder";

const folder = tempFolder();
const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });

/** The server's checks of both files before it listens, in a process that has this environment. */
async function checkWith(name: string, file: string): Promise<string> {
  const rest = {
    DATABASE_URL: "postgres://a:b@localhost/c",
    NEXTAUTH_SECRET: "s".repeat(32),
    NEXTAUTH_URL: "http://localhost:3000",
  };
  for (const [key, value] of Object.entries({ ...rest, [name]: file })) vi.stubEnv(key, value);
  vi.resetModules();
  const { checkTokenKey } = await import("@/server/identity/auth/jwt");
  const { checkSigningKey } = await import("./signing-key");
  const complaint = checkSigningKey();
  await checkTokenKey();
  return complaint;
}

afterEach(() => vi.unstubAllEnvs());

describe.each(["TRAILMARK_JWT_KEY_FILE", "TRAILMARK_SIGNING_KEY_FILE"])("%s", (name) => {
  it.each([
    ["does not exist", join(folder, "none.pem")],
    ["holds no key", fileWith("text.pem", "no key")],
    ["holds a key of another kind", fileWith("rsa.pem", String(rsa))],
  ])("fails startup and names the setting when the file %s", async (_, file) => {
    await expect(checkWith(name, file)).rejects.toThrow(`${name}: ${file} holds no readable Ed25519 key (PKCS8 PEM)`);
  });

  it("accepts an Ed25519 key", async () => {
    await expect(checkWith(name, fileWith("good.pem", String(ed25519)))).resolves.toBe("");
  });
});

describe("the signing key in the data folder", () => {
  const data = mkdtempSync(join(folder, "data-"));
  const file = join(data, "keys", "checkpoint-ed25519.pem");
  mkdirSync(join(data, "keys"));

  it("may be missing, because the first checkpoint creates it", async () => {
    expect(await checkWith("TRAILMARK_DATA_DIR", data)).toBe("");
    expect(existsSync(file)).toBe(false);
  });

  it("causes a warning when others can read it", async () => {
    writeFileSync(file, ed25519, { mode: 0o600 });
    expect(await checkWith("TRAILMARK_DATA_DIR", data)).toBe("");
    chmodSync(file, 0o644);
    expect(await checkWith("TRAILMARK_DATA_DIR", data)).toBe(
      `${file} can be read by others: anyone who has it can sign a rewritten history. chmod 600 it.`,
    );
  });

  it("fails startup when it is unusable", async () => {
    writeFileSync(file, "no key");
    await expect(checkWith("TRAILMARK_DATA_DIR", data)).rejects.toThrow(
      `TRAILMARK_DATA_DIR: ${file} holds no readable Ed25519 key (PKCS8 PEM)`,
    );
  });
});
