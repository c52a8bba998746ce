import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli, withCli } from "@/testing/cli";
import { installationKey, vkeyOf } from "@/testing/evidence/bundles";
import { listen } from "@/testing/port-of";

const dir = withCli();

/** A folder whose key file holds this. */
function folderWith(name: string, key: string): string {
  const folder = join(dir, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "witness-ed25519.pem"), key);
  return folder;
}

it("explains an unusable folder, key or address in one sentence", async () => {
  const taken = createServer();
  await listen(taken);
  const address = taken.address();
  const port = typeof address === "object" ? address?.port : 0;
  const { privateKey: other } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(join(dir, "file"), "");
  for (const [folder, listen, code, message] of [
    [join(dir, "file"), "127.0.0.1:0", 2, /^--dir: .*file cannot be used: it is not a folder\.$/m],
    ["/proc/x/y", "127.0.0.1:0", 2, /^--dir: \/proc\/x\/y cannot be used: [a-z ]+\.$/m],
    [folderWith("torn", "-----BEGIN"), "127.0.0.1:0", 1, /witness-ed25519\.pem holds no Ed25519 private key\./],
    [
      folderWith("other", other.export({ type: "pkcs8", format: "pem" }).toString()),
      "127.0.0.1:0",
      1,
      /witness-ed25519\.pem holds no Ed25519 private key\./,
    ],
    [join(dir, "good"), `127.0.0.1:${port}`, 2, /^--listen: .* cannot be used: another program listens there\.$/m],
    [join(dir, "good"), "203.0.113.9:1", 2, /^--listen: .* cannot be used: this machine has no such address\.$/m],
  ] as const) {
    const ran = await runCli(["witness", "--log", vkeyOf(installationKey), "--dir", folder, "--listen", listen]);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(message)]);
    expect(ran.err).not.toMatch(/^\s+at /m);
  }
  taken.close();
});
