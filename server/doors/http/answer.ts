/**
 * A whole answer before it is HTTP. The front writes it out as it is, because undici's Response and Headers cost more
 * than all the rest of a small request; where a handler is called as a function it becomes a Response.
 */
export type Answer = { status: number; headers: Record<string, string>; body: string | null };

export const toResponse = ({ status, headers, body }: Answer): Response => new Response(body, { status, headers });

/** Adds a header to either kind. */
export function setHeader(answer: Answer | Response, name: string, value: string): void {
  if (answer instanceof Response) answer.headers.set(name, value);
  else answer.headers[name] = value;
}
