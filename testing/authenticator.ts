import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const b64 = (data: Uint8Array | string) => Buffer.from(data).toString("base64url");
const UP_AND_UV = 0x05;
const WITH_CREDENTIAL = 0x40;

const twoBytes = (n: number) => Buffer.from([n >> 8, n & 0xff]);
/** CBOR (RFC 8949) of the length of a byte string. */
const bytesHead = (n: number) => (n < 256 ? Buffer.from([0x58, n]) : Buffer.concat([Buffer.from([0x59]), twoBytes(n)]));

/** padBytes: of a meaningless member beside the key. */
type Odd = { idBytes?: number; padBytes?: number };

/** A software security key (WebAuthn Level 3, ES256, no attestation), for one site. */
export function createAuthenticator({ rpId, origin, idBytes = 32, padBytes }: { rpId: string; origin: string } & Odd) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(idBytes);
  let counter = 0;
  const authData = (flags: number, rest = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, rest]);
  };
  const clientData = (type: string, challenge: string, crossOrigin?: boolean) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  const answer = (response: object) => ({
    id: b64(id),
    rawId: b64(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });
  return {
    /** Result of navigator.credentials.create: the key in COSE, in a CBOR map {fmt, attStmt, authData}. */
    create(challenge: string, transports: unknown = ["internal"], crossOrigin?: boolean) {
      const pad = padBytes ? [Buffer.from([0x38, 0xff]), bytesHead(padBytes), Buffer.alloc(padBytes)] : [];
      const cose = Buffer.concat([
        Buffer.from(`${padBytes ? "a6" : "a5"}010203262001215820`, "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
        ...pad,
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), twoBytes(id.length), id, cose]);
      const data = authData(UP_AND_UV | WITH_CREDENTIAL, credential);
      const head = Buffer.from(`a363666d74646e6f6e656761747453746d74a068${hexOf("authData")}`, "hex");
      const attestationObject = Buffer.concat([head, bytesHead(data.length), data]);
      return answer({
        clientDataJSON: b64(clientData("webauthn.create", challenge, crossOrigin)),
        attestationObject: b64(attestationObject),
        transports,
      });
    },
    /** Result of navigator.credentials.get: a signature over the challenge. crossOrigin: in another site's frame. */
    get(challenge: string, crossOrigin?: boolean) {
      const [data, client] = [authData(UP_AND_UV), clientData("webauthn.get", challenge, crossOrigin)];
      return answer({
        clientDataJSON: b64(client),
        authenticatorData: b64(data),
        signature: b64(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
      });
    },
  };
}

const hexOf = (text: string) => Buffer.from(text).toString("hex");
