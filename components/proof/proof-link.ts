/** A proof in a link: raw deflate, base64url, behind `#p=`. A fragment never reaches a server. */

const PARAMETER = "#p=";
/** A proof has a few kilobytes; a fragment that unpacks to more than this is rejected. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The fragment that contains a proof, including `#p=`. */
export async function toFragment(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return PARAMETER + toBase64Url(new Uint8Array(await new Response(packed).arrayBuffer()));
}

/** Whether a fragment claims to contain a proof. */
export const isProofFragment = (fragment: string): boolean => fragment.startsWith(PARAMETER);

/** The proof in a fragment; null when it is damaged, truncated or too long. */
export async function fromFragment(fragment: string): Promise<string | null> {
  const bytes = isProofFragment(fragment) ? fromBase64Url(fragment.slice(PARAMETER.length)) : null;
  if (!bytes) return null;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > MAX_CHARACTERS) return null;
    }
  } catch {
    return null;
  } finally {
    void reader.cancel().catch(() => {});
  }
}
