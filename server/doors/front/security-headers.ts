import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** None of our pages uses these; passkeys and copying are limited to our own pages. */
const PERMISSIONS_POLICY = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone"],
  ...["midi", "payment", "serial", "usb", "xr-spatial-tracking"],
]
  .map((feature) => `${feature}=()`)
  .concat("clipboard-write=(self)", "publickey-credentials-create=(self)", "publickey-credentials-get=(self)")
  .join(", ");

/** For answers other than pages: a displayed API answer runs nothing and cannot be framed. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Headers of every answer; a page's content security policy replaces the API's. */
export function setSecurityHeaders(outgoing: ServerResponse, https: boolean): void {
  outgoing.setHeader("Content-Security-Policy", API_POLICY);
  outgoing.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  outgoing.setHeader("Origin-Agent-Cluster", "?1");
  outgoing.setHeader("Permissions-Policy", PERMISSIONS_POLICY);
  outgoing.setHeader("X-Content-Type-Options", "nosniff");
  outgoing.setHeader("X-Frame-Options", "DENY");
  outgoing.setHeader("Referrer-Policy", "same-origin");
  outgoing.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  if (https) outgoing.setHeader("Strict-Transport-Security", "max-age=31536000");
}

function contentSecurityPolicy(nonce: string, dev: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Mantine sets sizes in style attributes, which cannot contain scripts.
    "style-src-attr 'unsafe-inline'",
    ...(dev ? ["style-src-elem 'self' 'unsafe-inline'", "connect-src 'self' ws: wss:"] : ["connect-src 'self'"]),
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Sets a fresh nonce and policy for a page: on the request, where Next reads the nonce, and on the answer.
 * @returns the nonce
 */
export function setPagePolicy(incoming: IncomingMessage, outgoing: ServerResponse, dev: boolean): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = contentSecurityPolicy(nonce, dev);
  incoming.headers["x-nonce"] = nonce;
  incoming.headers["content-security-policy"] = policy;
  outgoing.setHeader("Content-Security-Policy", policy);
  return nonce;
}
