import { beforeAll, describe, expect, it } from "vitest";
import { listEndpoints } from "@/server/doors/http/openapi";
import type { RouteHandler } from "@/server/doors/http/route";
import { routes } from "@/server/doors/http/routes.generated";
import { apiOperations, exampleFor, exampleIn, type Operation, type Parameter } from "@/testing/api/document";
import { archivedIn, createWorld, exportOf, importOf, ruleIn, THINGS, userIn, type World } from "@/testing/api/matrix";
import { isDocumented } from "@/testing/api/references";
import {
  bearer,
  createApiKey,
  createDevice,
  createEnrollmentKey,
  createUser,
  PASSWORD as REAL_PASSWORD,
  type TestUser,
} from "@/testing/factories";
import * as sample from "./words/samples";

type Json = Record<string, unknown>;
/** What stands for the samples in a real request, who sends it, and which documented status it gets other than success. */
type Setup = { values?: Record<string, string>; token?: string; status?: number };

const endpoints = listEndpoints(routes);
const operations = apiOperations;
const handlers = new Map(
  endpoints.map(({ method, path }) => [
    `${method} ${path.slice("/api/v1".length).replace(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}")}`,
    routes.find((file) => file.path === path)?.module[method] as RouteHandler,
  ]),
);

let world: World;
const thing = async (created: Promise<{ id: string }>): Promise<Setup> => ({
  values: { [sample.THING]: (await created).id },
});
const asPerson = async (user: TestUser, values: Record<string, string> = {}): Promise<Setup> => ({
  values: { [sample.EMAIL]: user.email, [sample.PASSWORD]: user.password, ...values },
  token: await bearer(user),
});
const newPerson = () => createUser({ partnerId: world.partnerId, role: "partner_admin" });
const exchanged = async (name: string, { token = "", ...body }: Record<string, string>, params = {}) =>
  (await send(name, { token, params, body })).json();
const signIn = async (user: TestUser): Promise<string> =>
  String((await exchanged("POST /auth/token", { email: user.email, password: user.password })).refreshToken);
/** A link by which a user chooses a password: an invitation, or to reset one that there is. */
async function linked(kind: "invite" | "reset"): Promise<Setup> {
  const { token = "" } = await asPerson(await newPerson());
  const body = { email: `${kind}-${world.a}@example.test`, name: "Sam Lee", role: "org_viewer", orgId: world.a };
  const { id } = kind === "reset" ? await userIn(world.a) : await exchanged("POST /users", { token, ...body });
  const { link } = await exchanged("POST /users/{id}/invite", { token }, { id });
  return { values: { [sample.LINK_TOKEN]: /[^/#?=]+$/.exec(String(link))?.[0] ?? "" } };
}
/** An unknown secret or something unfinished: refused with a status that the document names. */
const refused = (status: number) => async (): Promise<Setup> => ({ status });
const offline = refused(409);

const SETUP: [RegExp, () => Promise<Setup>][] = [
  [/^GET \/audit-logs\/logs$/, async () => ({ token: (await createApiKey({ orgId: world.a })).key })],
  [/^GET \/audit-logs\/exports\/\{id\}\/file/, async () => ownExport(409)],
  [/ \/audit-logs\/exports\/\{id\}/, async () => ownExport()],
  [/^POST \/audit-logs\/events/, async () => ({ token: await writingKey() })],
  [/ \/custom-fields\/imports\/(upload|\{id\}(\/other-scopes)?$)/, () => thing(importOf(world.a))],
  [/ \/custom-fields\/imports\/\{id\}/, async () => ({ ...(await thing(importOf(world.a))), status: 409 })],
  [/^POST \/detections\/exceptions/, () => thing(ruleIn(world.a))],
  [/ \/archive\/objects\/\{id\}/, async () => ({ ...(await thing(archivedIn(world.a))), status: 409 })],
  [/^POST \/archive\/restore$/, () => thing(archivedIn(world.a))],
  [/ \/devices\/\{id\}\/(live-eventlogs|eventlogs\/\{name\})/, offline],
  [/ \/system-tools\//, offline],
  [/ \/proof-links\//, refused(404)],
  [/ \/agents\/\{id\}\/commands\/\{commandId\}/, async () => ({ token: world.deviceA.token, status: 404 })],
  [
    / \/agents\/enroll/,
    async () => ({ values: { [sample.ENROLLMENT_KEY]: (await createEnrollmentKey({ orgId: world.a })).key } }),
  ],
  [/ \/agents\/\{id\}/, async () => ({ token: world.deviceA.token })],
  [
    / \/devices\/\{id\}\/agent/,
    async () => ({ values: { [sample.DEVICE]: (await createDevice({ orgId: world.a })).id } }),
  ],
  [/ \/auth\/invite\/accept/, () => linked("invite")],
  [/ \/auth\/password\/reset/, () => linked("reset")],
  [/ \/auth\/token\/second-factor/, refused(401)],
  [/ \/auth\/refresh/, async () => ({ values: { [sample.REFRESH_TOKEN]: await signIn(await newPerson()) } })],
  [/^POST \/me\/two-factor\/totp\/confirm/, async () => ({ ...(await asPerson(await newPerson())), status: 400 })],
  [
    /^DELETE \/me\/two-factor\/totp|^DELETE \/me\/passkeys/,
    async () => ({ ...(await asPerson(await newPerson())), status: 404 }),
  ],
  [
    /^POST \/me\/two-factor\/recovery-codes|^POST \/me\/passkeys\/options/,
    async () => ({ ...(await asPerson(await newPerson())), status: 409 }),
  ],
  [/^POST \/me\/passkeys/, async () => ({ ...(await asPerson(await newPerson())), status: 400 })],
  [/^DELETE \/me\/sessions/, ownSession],
  [/^DELETE \/report-schedules/, ownSchedule],
  [/ \/(auth|me)/, async () => asPerson(await newPerson())],
];

let admin = "";
const writingKey = async () => (await createApiKey({ partnerId: world.partnerId, permissions: ["audit:write"] })).key;
const ownExport = async (status?: number): Promise<Setup> => ({
  ...(await thing(exportOf(world.a, admin))),
  ...(status && { status }),
});
async function ownSession(): Promise<Setup> {
  const user = await newPerson();
  await signIn(user);
  const setup = await asPerson(user);
  const { data } = await exchanged("GET /me/sessions", { token: setup.token ?? "" });
  return { ...setup, values: { [sample.THING]: (data as { id: string }[])[0]?.id ?? "" } };
}
async function ownSchedule(): Promise<Setup> {
  const setup = await asPerson(await newPerson());
  const body = { report: "security", cadence: "weekly", timeZone: "UTC" };
  const { id } = await exchanged("POST /report-schedules", { token: setup.token ?? "", ...body });
  return { ...setup, values: { [sample.THING]: String(id) } };
}

type Sent = {
  token?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  type?: string;
};
async function send(name: string, { token, params = {}, query = {}, body, type = "application/json" }: Sent) {
  const handler = handlers.get(name) as RouteHandler;
  const headers = new Headers({ "x-trailmark-peer": "10.77.0.1" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  const raw =
    body === undefined || handler.spec.body === "none" ? null : typeof body === "string" ? body : JSON.stringify(body);
  if (raw !== null) headers.set("content-type", type);
  const request = new Request(`http://127.0.0.1:3000/api/v1/x?${new URLSearchParams(query)}`, {
    method: name.split(" ")[0] ?? "GET",
    headers,
    body: name.startsWith("GET ") ? null : raw,
  });
  const response = await handler(request, { params: Promise.resolve(params) });
  const isEndless = response.headers.get("content-type")?.includes("event-stream");
  if (isEndless) await response.body?.cancel();
  const text = isEndless ? "" : await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) as Json };
}

/** The samples of an example replaced by what exists in the world. */
const realIn = <T>(value: T, values: Record<string, string>): T =>
  JSON.parse(Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value)));

const succeeds = ({ responses }: Operation) => Number(Object.keys(responses).find((status) => status.startsWith("2")));

describe("request examples of the API reference", () => {
  beforeAll(async () => {
    world = await createWorld();
    admin = await bearer(await newPerson());
  });

  it.each(operations)("$name gets its documented response", async ({ name, path, operation }) => {
    const create = THINGS[path.slice(1).split("/{")[0] ?? ""];
    const usual = async () => (create && path.includes("{") ? thing(create(world.a)) : {});
    const setup: Setup = await (SETUP.find(([pattern]) => pattern.test(name))?.[1] ?? usual)();
    const values = {
      ...{ [sample.ORG]: world.a, [sample.PARTNER]: world.partnerId, [sample.DEVICE]: world.deviceA.id },
      ...{
        [sample.AGENT]: world.deviceA.agentId,
        [sample.PASSWORD]: REAL_PASSWORD,
        [sample.TIME]: new Date().toISOString(),
      },
      ...setup.values,
    };
    const token = setup.token ?? admin;
    const expected = setup.status ?? succeeds(operation);
    expect(isDocumented(operation.responses, expected)).toBe(true);
    const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const pick = (place: string, wanted: Parameter[]) =>
      realIn(
        Object.fromEntries(wanted.filter((p) => p.in === place).map((p) => [p.name, String(exampleFor(p))])),
        values,
      );
    const required = operation.parameters.filter((p) => p.required);
    const body = type === "application/json" ? realIn(exampleIn(media), values) : type ? "0123456789" : undefined;
    const request = {
      token,
      params: pick("path", required),
      query: pick("query", required),
      body,
      ...(type && { type }),
    };
    const first = await send(name, request);
    expect([first.status, first.text.slice(0, 300)]).toEqual([expected, expect.anything()]);
    if (!name.startsWith("GET ")) return;
    for (const one of operation.parameters.filter(
      (p) => !p.required && p.in === "query" && exampleFor(p) !== undefined,
    )) {
      const { status, text } = await send(name, { ...request, query: { ...request.query, ...pick("query", [one]) } });
      expect([one.name, status, text.slice(0, 300)]).toEqual([one.name, expected, expect.anything()]);
    }
  });
});
