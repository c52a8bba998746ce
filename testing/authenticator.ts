import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const b64 = (data: Uint8Array | string) => Buffer.from(data).toString("base64url");
const UP_AND_UV = 0x05;
const WITH_CREDENTIAL = 0x40;

/** A security key in software (WebAuthn Level 3, ES256, no attestation), for one site. */
export function createAuthenticator({ rpId, origin }: { rpId: string; origin: string }) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  let counter = 0;
  const authData = (flags: number, rest = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, rest]);
  };
  const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin }));
  const answer = (response: object) => ({
    id: b64(id),
    rawId: b64(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });
  return {
    /** What navigator.credentials.create gives: the key in COSE, inside a CBOR map {fmt, attStmt, authData}. */
    create(challenge: string) {
      const cose = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
      const data = authData(UP_AND_UV | WITH_CREDENTIAL, credential);
      const head = Buffer.from(`a363666d74646e6f6e656761747453746d74a068${hexOf("authData")}58`, "hex");
      const attestationObject = Buffer.concat([head, Buffer.from([data.length]), data]);
      return answer({
        clientDataJSON: b64(clientData("webauthn.create", challenge)),
        attestationObject: b64(attestationObject),
        transports: ["internal"],
      });
    },
    /** What navigator.credentials.get gives: a signature over the challenge. */
    get(challenge: string) {
      const [data, client] = [authData(UP_AND_UV), clientData("webauthn.get", challenge)];
      return answer({
        clientDataJSON: b64(client),
        authenticatorData: b64(data),
        signature: b64(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
      });
    },
  };
}

const hexOf = (text: string) => Buffer.from(text).toString("hex");
