import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHttpDouble } from "@/testing/http-double";
import { tempFolder } from "@/testing/temp-folder";

/** A local time-stamping authority (RFC 3161): OpenSSL's responder behind HTTP. */

const CONFIG = `
[tsa]
default_tsa = own
[own]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
[req]
distinguished_name = dn
[dn]
[ca]
basicConstraints = critical,CA:true
[stamping]
extendedKeyUsage = critical,timeStamping
`;

export type Authority = {
  url: string;
  /** File of trusted certificates. */
  certificates: string;
  queries: Buffer[];
  /** Replaces OpenSSL's replies; null restores them. */
  answerWith: (answer: ((reply: Buffer) => Buffer) | null) => void;
  /** Output of `openssl ts -verify` for a reply over a text. @throws if invalid */
  verify: (text: string, reply: Buffer) => string;
  stop: () => Promise<void>;
};

/** @throws without openssl */
export async function startAuthority(): Promise<Authority> {
  const dir = tempFolder();
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: dir, stdio: "pipe" }).toString();
  writeFileSync(join(dir, "tsa.cnf"), CONFIG);
  writeFileSync(join(dir, "serial"), "01\n");
  const created = ["-newkey", "ed25519", "-nodes", "-config", "tsa.cnf", "-x509", "-days", "2"];
  openssl("req", ...created, "-extensions", "ca", "-subj", "/CN=CA", "-keyout", "ca.key", "-out", "ca.pem");
  const request = ["-newkey", "rsa:2048", "-nodes", "-config", "tsa.cnf", "-subj", "/CN=TSA"];
  openssl("req", ...request, "-keyout", "tsa.key", "-out", "tsa.csr");
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2", "-extfile", "tsa.cnf", "-extensions", "stamping"];
  openssl("x509", "-req", "-in", "tsa.csr", ...signed, "-out", "tsa.pem");
  writeFileSync(join(dir, "chain.pem"), ["ca.pem", "tsa.pem"].map((file) => readFileSync(join(dir, file))).join(""));

  const queries: Buffer[] = [];
  let answer: ((reply: Buffer) => Buffer) | null = null;
  const server = await startHttpDouble(({ raw: query }) => {
    queries.push(query);
    writeFileSync(join(dir, "query.tsq"), query);
    const files = ["-queryfile", "query.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "reply.tsr"];
    openssl("ts", "-reply", "-config", "tsa.cnf", "-section", "own", ...files);
    const reply = readFileSync(join(dir, "reply.tsr"));
    const headers = { "Content-Type": "application/timestamp-reply" };
    return { status: 200, headers, body: answer ? answer(reply) : reply };
  });
  return {
    url: `${server.url}/`,
    certificates: join(dir, "chain.pem"),
    queries,
    answerWith: (given) => {
      answer = given;
    },
    verify: (text, reply) => {
      writeFileSync(join(dir, "text"), text);
      writeFileSync(join(dir, "kept.tsr"), reply);
      const untrusted = ["-untrusted", "tsa.pem"];
      return openssl("ts", "-verify", "-data", "text", "-in", "kept.tsr", "-CAfile", "ca.pem", ...untrusted);
    },
    stop: async () => {
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
