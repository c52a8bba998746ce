/**
 * A whole answer before it is HTTP. The front writes it out as it is, because undici's Response and Headers cost more
 * than all the rest of a small request; where a handler is called as a function it becomes a Response.
 */
export type Answer = { status: number; headers: Record<string, string>; body: string | null };

export const toResponse = ({ status, headers, body }: Answer): Response => new Response(body, { status, headers });

/** Adds headers to either kind. */
export function setHeaders(answer: Answer | Response, headers: Record<string, string>): void {
  if (!(answer instanceof Response)) Object.assign(answer.headers, headers);
  else for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
}
