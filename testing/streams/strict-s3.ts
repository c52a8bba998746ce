import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import aws4 from "aws4";
import { type Answered, type Incoming, startHttpDouble } from "@/testing/http-double";

/** An S3-compatible store as strict as AWS: signatures, checksums, conditions, locks. */

export const STORE = { region: "eu-central-1", bucket: "audit", accessKeyId: "AKIDEXAMPLE", secret: "s3-test-secret" };
/** Headers of an object returned on reading. */
const KEPT = /^(x-amz-meta-.*|x-amz-object-lock-.*|content-encoding)$/;
const CLOCK_SKEW_MS = 15 * 60_000;

type StoredObject = {
  body: Buffer;
  etag: string;
  version: string;
  headers: Record<string, string>;
  lockedUntil: Date | null;
};

const sha256 = (bytes: Buffer, encoding: "hex" | "base64") => createHash("sha256").update(bytes).digest(encoding);
const fault = (status: number, code: string): Answered => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`,
});

/** An independent check of the signature, over the request's signed headers. */
function isSigned({ method, path, headers, raw }: Incoming, secret: string): boolean {
  const given = headers.authorization ?? "";
  const names = /SignedHeaders=([a-z0-9;-]+)/.exec(given)?.[1]?.split(";") ?? [];
  const required = ["host", "x-amz-date", "x-amz-content-sha256"];
  const amazon = Object.keys(headers).filter((name) => name.startsWith("x-amz-"));
  if (![...required, ...amazon].every((name) => names.includes(name))) return false;
  if (headers["x-amz-content-sha256"] !== sha256(raw, "hex")) return false;
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? "")]));
  const expected = aws4.sign(
    { method, path, host: headers.host, headers: signed, service: "s3", region: STORE.region },
    { accessKeyId: STORE.accessKeyId, secretAccessKey: secret },
  );
  return expected.headers?.Authorization === given;
}

function isInTime({ "x-amz-date": at = "" }: IncomingHttpHeaders): boolean {
  const iso = String(at).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  return Math.abs(Date.parse(iso) - Date.now()) < CLOCK_SKEW_MS;
}

export async function startStrictS3({ hasLocks = true } = {}) {
  const objects = new Map<string, StoredObject>();
  let versions = 0;

  function put(key: string, { headers, raw }: Incoming): Answered {
    const checksum = headers["x-amz-checksum-sha256"];
    if (checksum !== undefined && checksum !== sha256(raw, "base64")) return fault(400, "BadDigest");
    const mode = headers["x-amz-object-lock-mode"];
    const until = headers["x-amz-object-lock-retain-until-date"];
    if (mode !== undefined || until !== undefined) {
      if (!hasLocks) return fault(400, "InvalidRequest");
      if (checksum === undefined) return fault(400, "InvalidRequest");
      if (!/^(GOVERNANCE|COMPLIANCE)$/.test(String(mode))) return fault(400, "InvalidArgument");
      if (!(Date.parse(String(until)) > Date.now())) return fault(400, "InvalidArgument");
    }
    if (headers["if-none-match"] === "*" && objects.has(key)) return fault(412, "PreconditionFailed");
    const kept = Object.entries(headers).filter(([name]) => KEPT.test(name));
    const etag = `"${createHash("md5").update(raw).digest("hex")}"`;
    const version = `v${++versions}`;
    objects.set(key, {
      body: raw,
      etag,
      version,
      headers: { ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])) },
      lockedUntil: until === undefined ? null : new Date(String(until)),
    });
    return { status: 200, headers: { ETag: etag, "x-amz-version-id": version } };
  }

  function read(key: string, { method, headers }: Incoming): Answered {
    const found = objects.get(key);
    if (!found) return method === "HEAD" ? { status: 404 } : fault(404, "NoSuchKey");
    const checksum = headers["x-amz-checksum-mode"] === "ENABLED" && {
      "x-amz-checksum-sha256": sha256(found.body, "base64"),
    };
    const told = { ...found.headers, ETag: found.etag, "x-amz-version-id": found.version, ...checksum };
    return { status: 200, headers: told, ...(method === "GET" && { body: found.body }) };
  }

  const double = await startHttpDouble(() => "cut");
  const store = {
    url: double.url,
    received: double.received,
    objects,
    secret: STORE.secret,
    /** An answer before any check; null: none. */
    before: (_: Incoming): Answered | null => null,
    /** Replaces the real answer; null: does not. */
    after: (_: Incoming): Answered | null => null,
    close: double.close,
  };
  double.answer = (incoming) => {
    const early = store.before(incoming);
    if (early) return early;
    if (!isInTime(incoming.headers)) return fault(403, "RequestTimeTooSkewed");
    if (!isSigned(incoming, store.secret)) return fault(403, "SignatureDoesNotMatch");
    const [, bucket, ...rest] = decodeURIComponent(incoming.path.split("?")[0] ?? "").split("/");
    if (bucket !== STORE.bucket) return fault(404, "NoSuchBucket");
    const key = rest.join("/");
    const told = incoming.method === "PUT" ? put(key, incoming) : read(key, incoming);
    return store.after(incoming) ?? told;
  };
  return store;
}
