/** The demo speaks to the server as any client would: over the wire. */
export class Client {
  constructor(
    private readonly base: string,
    private readonly token?: string,
    private readonly address?: string,
  ) {}

  as(token: string): Client {
    return new Client(this.base, token, this.address);
  }

  /** The same from another address, as a proxy in front of the demo would report it. */
  from(address: string): Client {
    return new Client(this.base, this.token, address);
  }

  /** @throws Error with the problem's detail when the answer is none of success. */
  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.base}/api/v1${path}`, {
      method,
      headers: {
        ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
        ...(this.address ? { "X-Forwarded-For": this.address } : {}),
        ...(body ? { "Content-Type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
}
