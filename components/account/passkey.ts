import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** The browser's answer to a passkey challenge; null where the person did not confirm it. */
export async function askForPasskey(options: object | null | undefined) {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON }).catch(() => null);
}

/** A passkey that the browser has made; null where the person did not confirm it. */
export async function createPasskey(options: object) {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  return startRegistration({ optionsJSON }).catch(() => null);
}
