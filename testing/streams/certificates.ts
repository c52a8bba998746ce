import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A CA with certificates for 127.0.0.1 and localhost, and for a client, in `folder`. */
export function createCertificates(folder: string) {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const newKey = ["-newkey", "rsa:2048", "-nodes"];
  openssl("req", ...newKey, "-x509", "-days", "2", "-subj", "/CN=Test CA", "-keyout", "ca.key", "-out", "ca.pem");
  const create = (name: string, subject: string, extensions: string) => {
    writeFileSync(join(folder, `${name}.ext`), extensions);
    openssl("req", ...newKey, "-subj", subject, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", `${name}.ext`];
    openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
  };
  create("server", "/CN=localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  create("client", "/CN=trailmark", "extendedKeyUsage=clientAuth\n");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return {
    ca: read("ca.pem"),
    server: { cert: read("server.pem"), key: read("server.key") },
    client: { cert: read("client.pem"), key: read("client.key") },
  };
}
