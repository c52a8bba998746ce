import { version } from "@/package.json";
import { itemAt } from "@/server/ground/records";
import { MINUTE_MS } from "@/server/ground/time/durations";
import {
  type Cast,
  DEMO_ADMIN,
  DEMO_PASSWORD,
  EVERYBODY,
  HOME_NAME,
  ORGS,
  PEOPLE,
  planDevices,
  SEED,
} from "@/testing/world/cast";
import { createRandom, type Random } from "@/testing/world/random";
import type { StoryEvent } from "./beats";
import type { Client } from "./client";
import { noteFields, submitDeviceLogs } from "./device-records";
import { type Story, storyEvents } from "./story";

const EVENTS_PER_REQUEST = 500;

type Created = { id: string };
type Me = { user: { id: string } | null; homeOrgId?: string | null };
type Page = { data: { id: string; name: string; isHome?: boolean }[] };

async function createCast(
  admin: Client,
  random: Random,
): Promise<Cast & { tokens: Map<string, string>; enrollmentKeys: string[] }> {
  const me = await admin.send<Me>("GET", "/me");
  const { data } = await admin.send<Page>("GET", "/orgs/organizations?limit=100");
  const homeOrgId = data.find((o) => o.isHome)?.id ?? me.homeOrgId ?? itemAt(data, 0).id;
  await admin.send("PATCH", `/orgs/organizations/${homeOrgId}`, { name: HOME_NAME });
  const orgIds: string[] = [];
  for (const org of ORGS)
    orgIds.push((await admin.send<Created>("POST", "/orgs/organizations", { name: org.name })).id);
  const people = EVERYBODY.slice(0, 1).map((admin) => ({ ...admin, id: me.user?.id ?? "" }));
  for (const person of PEOPLE) {
    const { org, ...rest } = person;
    const created = await admin.send<Created>("POST", "/users", {
      ...rest,
      password: DEMO_PASSWORD,
      ...(org === null ? {} : { orgId: orgIds[org] }),
    });
    people.push({ ...person, id: created.id });
  }
  const enrollmentKeys = await createKeys(admin, orgIds);
  const tokens = new Map<string, string>();
  const devices: Cast["devices"] = [];
  for (const plan of planDevices(random)) {
    const { hostname, os, osVersion } = plan;
    const enrolled = await admin.send<{ agentId: string; deviceId: string; token: string }>("POST", "/agents/enroll", {
      enrollmentKey: enrollmentKeys[plan.org],
      hostname,
      os,
      osVersion,
      agentVersion: version,
    });
    tokens.set(enrolled.agentId, enrolled.token);
    devices.push({ ...plan, deviceId: enrolled.deviceId, agentId: enrolled.agentId });
  }
  return { homeOrgId, orgIds, people, devices, tokens, enrollmentKeys };
}

/** The demo's organizations, people and machines, and the credentials for writing the month. */
export type Beginning = Awaited<ReturnType<typeof createCast>> & { random: Random; recorderKey: string };

const createKeys = (admin: Client, orgIds: string[]): Promise<string[]> =>
  Promise.all(
    orgIds.map((orgId) => admin.send<{ key: string }>("POST", "/enrollment-keys", { orgId }).then(({ key }) => key)),
  );

async function submitStory(writer: Client, story: StoryEvent[], log: (line: string) => void): Promise<void> {
  for (let at = 0; at < story.length; at += EVENTS_PER_REQUEST) {
    await writer.send("POST", "/audit-logs/events", { events: story.slice(at, at + EVENTS_PER_REQUEST) });
    if (at % 10_000 === 0) log(`  ${at.toLocaleString("en")} of ${story.length.toLocaleString("en")} audit events`);
  }
}

async function signIn(api: Client): Promise<Client> {
  const { email } = DEMO_ADMIN;
  const { accessToken } = await api.send<{ accessToken: string }>("POST", "/auth/token", {
    email,
    password: DEMO_PASSWORD,
  });
  return api.as(accessToken);
}

type Told = { log: (line: string) => void; onEmpty: () => void };

/**
 * Creates the month's start on an empty server through its public API. onEmpty is called before anything is created.
 * @returns null if an earlier start has begun the demo
 */
export async function beginDemo(api: Client, { log, onEmpty }: Told): Promise<Beginning | null> {
  const admin = await signIn(api);
  const { data } = await admin.send<Page>("GET", "/orgs/organizations?limit=100");
  if (data.some(({ name }) => ORGS.some((org) => org.name === name))) return null;
  onEmpty();
  log("  people, organizations and devices");
  const random = createRandom(SEED);
  const cast = await createCast(admin, random);
  const { key } = await admin.send<{ key: string }>("POST", "/api-keys", {
    name: "Platform recorder",
    permissions: ["audit:write"],
  });
  log("  custom fields");
  await noteFields(admin, cast, random);
  return { ...cast, random, recorderKey: key };
}

/** Generates the month after a start, up to a moment ago. */
export function tellMonth({ random, ...cast }: Beginning): Month {
  const end = Date.now() - MINUTE_MS;
  return { end, ...storyEvents(cast, random, end) };
}

type Month = Story & { end: number };

/** Signs everyone in for the last time, one by one; `at` sets the server's clock. */
export async function signInPeople(api: Client, { signIns }: Story, at: (moment: number) => void): Promise<void> {
  for (const { email, at: moment, ipAddress, userAgent } of signIns) {
    at(moment);
    const browser = api.from(ipAddress ?? "", userAgent ?? "");
    await browser.send("POST", "/auth/token", { email, password: DEMO_PASSWORD });
  }
}

export async function submitMonth(
  api: Client,
  { month, ...beginning }: Beginning & { month: Month },
  log: (line: string) => void,
): Promise<void> {
  await submitStory(api.as(beginning.recorderKey), month.events, log);
  log("  device event logs and diagnostics");
  await submitDeviceLogs(api, beginning, month.end);
}

/** New enrollment keys for the demo's organizations, if the first are lost. */
export async function newKeys(api: Client): Promise<string[]> {
  const admin = await signIn(api);
  const { data } = await admin.send<Page>("GET", "/orgs/organizations?limit=100");
  return createKeys(
    admin,
    ORGS.flatMap(({ name }) => data.find((org) => org.name === name)?.id ?? []),
  );
}
