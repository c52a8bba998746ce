type Caller = { token?: string; address?: string; userAgent?: string };

/** API client of the demo, over the wire. */
export class Client {
  constructor(
    private readonly base: string,
    private readonly caller: Caller = {},
  ) {}

  as(token: string): Client {
    return new Client(this.base, { ...this.caller, token });
  }

  /** The same from another address and user agent, as reported by a proxy. */
  from(address: string, userAgent?: string): Client {
    return new Client(this.base, { ...this.caller, address, ...(userAgent && { userAgent }) });
  }

  /** @throws Error with the problem's detail on a failure. */
  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { token, address, userAgent } = this.caller;
    const response = await fetch(`${this.base}/api/v1${path}`, {
      method,
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(address ? { "X-Forwarded-For": address } : {}),
        ...(userAgent ? { "User-Agent": userAgent } : {}),
        ...(body ? { "Content-Type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
}
