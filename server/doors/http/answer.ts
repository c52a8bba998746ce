/**
 * A complete answer before HTTP. The front writes it directly, because undici's Response and Headers cost more than the
 * rest of a small request; a handler called as a function converts it to a Response.
 */
export type Answer = { status: number; headers: Record<string, string>; body: string | null };

export const toResponse = ({ status, headers, body }: Answer): Response => new Response(body, { status, headers });

export function setHeaders(answer: Answer | Response, headers: Record<string, string>): void {
  if (!(answer instanceof Response)) Object.assign(answer.headers, headers);
  else for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
}
