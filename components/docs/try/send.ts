import type { TryRequest } from "./request";

/** Longer responses are cut off at this length. */
export const MAX_SHOWN_CHARACTERS = 200_000;

export type TryResponse = {
  status: number;
  statusText: string;
  headers: [string, string][];
  ms: number;
  text: string;
  isTruncated: boolean;
};

const isText = (type: string): boolean => /json|text|csv|xml/.test(type);

async function readText(
  response: Response,
  onText: (text: string) => void,
): Promise<{ text: string; isTruncated: boolean }> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.body) return { text: "", isTruncated: false };
  if (!isText(type) && type) {
    const bytes = (await response.arrayBuffer()).byteLength;
    return { text: `${bytes.toLocaleString("en")} bytes of ${type}`, isTruncated: false };
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text, isTruncated: false };
    text += value;
    if (text.length >= MAX_SHOWN_CHARACTERS) {
      await reader.cancel();
      return { text: text.slice(0, MAX_SHOWN_CHARACTERS), isTruncated: true };
    }
    onText(text);
  }
}

/** Indents JSON. Numbers keep all their digits, because only white space is added. */
export function indented(text: string): string {
  let depth = 0;
  let inString = false;
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (inString) {
      out += c;
      if (c === "\\") out += text[++i] ?? "";
      else if (c === '"') inString = false;
      continue;
    }
    if (/\s/.test(c)) continue;
    if (c === '"') inString = true;
    const isEmpty = (c === "{" || c === "[") && /^\s*[}\]]/.test(text.slice(i + 1, i + 20));
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
    const closes = (c === "}" || c === "]") && !/[{[]$/.test(out);
    if (closes) out += `\n${"  ".repeat(Math.max(0, depth))}`;
    out += c;
    if (((c === "{" || c === "[") && !isEmpty) || c === ",") out += `\n${"  ".repeat(depth)}`;
    if (c === ":") out += " ";
  }
  return out;
}

/**
 * Sends a request to this server without the session cookie, so that the caller is the entered credential.
 * @param onResponse called when the headers have arrived, and again whenever more of a long response has arrived
 * @throws TypeError when the server cannot be reached, DOMException when it was cancelled
 */
export async function sendRequest(
  request: TryRequest,
  signal: AbortSignal,
  onResponse: (answer: TryResponse) => void,
): Promise<TryResponse> {
  const { method, url, headers, body } = request;
  const started = performance.now();
  const response = await fetch(url, {
    method,
    headers,
    body,
    signal,
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  });
  const head = { status: response.status, statusText: response.statusText, headers: [...response.headers] };
  const answer = (text: string, isTruncated: boolean): TryResponse => ({
    ...head,
    ms: performance.now() - started,
    text,
    isTruncated,
  });
  const { text, isTruncated } = await readText(response, (soFar) => onResponse(answer(soFar, false)));
  const isJson = /json$/.test((response.headers.get("content-type") ?? "").split(";")[0] ?? "");
  return answer(isJson && !isTruncated ? indented(text) : text, isTruncated);
}
