import { type APIRequestContext, expect } from "@playwright/test";
import { ADMIN } from "./server";

type Json = Record<string, unknown>;

/** The REST API as the administrator, for arranging what a page is to show. */
export class Api {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly token: string,
  ) {}

  static async signIn(request: APIRequestContext): Promise<Api> {
    const answer = await request.post("/api/v1/auth/token", { data: ADMIN });
    return new Api(request, ((await answer.json()) as { accessToken: string }).accessToken);
  }

  async call(method: "GET" | "POST" | "PUT" | "PATCH", path: string, data?: Json, token = this.token): Promise<Json> {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await this.request.fetch(`/api/v1${path}`, { method, headers, ...(data && { data }) });
    expect(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
    return answer.json() as Promise<Json>;
  }

  async makeOrganization(name: string): Promise<string> {
    return (await this.call("POST", "/orgs/organizations", { name })).id as string;
  }

  /** An organization with an audit chain of its own of at least so many rows. */
  async makeChain(name: string, rows = 3): Promise<string> {
    const orgId = await this.makeOrganization(name);
    for (let i = 0; i < rows; i++)
      await this.call("PUT", `/orgs/organizations/${orgId}/audit-retention`, { retentionDays: 400 + i });
    await expect
      .poll(async () => ((await this.call("GET", `/audit-logs?orgId=${orgId}`)).entries as Json[]).length)
      .toBeGreaterThanOrEqual(rows);
    return orgId;
  }

  /** A device with an agent that has joined and is not connected. */
  async enroll(orgId: string, hostname: string): Promise<{ deviceId: string; agentId: string; token: string }> {
    const { key } = await this.call("POST", "/enrollment-keys", { orgId });
    const joined = await this.call("POST", "/agents/enroll", { enrollmentKey: key, hostname, os: "windows" });
    return joined as { deviceId: string; agentId: string; token: string };
  }
}
