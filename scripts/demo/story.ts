import { itemAt } from "@/server/ground/records";
import { type Cast, ORGS, type Person } from "@/testing/world/cast";
import type { Random } from "@/testing/world/random";
import type { Beat, StoryEvent } from "./beats";
import { momentOnCall, regularTimes, workingTime } from "./clock";
import { deed, type Who } from "./deeds";
import { incidentEvents } from "./incident";
import { journey, machineBeat } from "./machine-beats";

const AUDIT_ROWS = 50_000;
const BROWSERS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
];
/** A person's usual address. */
const ipOf = (person: Person): string =>
  person.org === null
    ? `203.0.113.${200 + (person.name.length % 40)}`
    : `${ORGS[person.org]?.network}.${80 + (person.name.length % 40)}`;

function byPerson(person: Person, orgId: string, random: Random): Who {
  return {
    orgId,
    actorType: "user",
    actorId: person.id,
    actorEmail: person.email,
    ipAddress: ipOf(person),
    userAgent: itemAt(BROWSERS, person.name.length + random.int(0, 0)),
  };
}

/** A person's actions in one sitting. */
function sitting(cast: Cast, person: Person, random: Random): Beat[] {
  const orgAt = person.org ?? random.int(0, ORGS.length - 1);
  const orgId = itemAt(cast.orgIds, orgAt);
  const own = cast.devices.filter((d) => d.org === orgAt);
  const who = byPerson(person, orgId, random);
  const home = { ...who, orgId: person.org === null ? cast.homeOrgId : orgId };
  const user = { resourceType: "user", resourceId: person.id, resourceName: person.name };
  const beats: Beat[] = [];
  // A single typo: several in a row would raise an alert.
  if (random.chance(0.12))
    beats.push({
      ...home,
      ...user,
      action: "user.login.failed",
      result: "failure",
      errorMessage: "Wrong password",
      details: { reason: "wrong_password" },
    });
  const sessionId = `s_${random.int(1e8, 9e8).toString(36)}`;
  beats.push({ ...home, ...user, action: "user.login", result: "success", details: { sessionId, method: "password" } });
  for (let i = random.int(2, 9); i > 0; i--)
    beats.push(deed({ cast, who, person, device: random.pick(own), random, sessionId }));
  if (random.chance(0.6))
    beats.push({ ...home, ...user, action: "user.logout", result: "success", details: { sessionId } });
  return beats;
}

const SITTINGS_ON_CALL = 12;

/** A sitting from a start time, its actions a while apart. */
function sittingAt(cast: Cast, random: Random, begin: number): StoryEvent[] {
  let at = begin;
  return sitting(cast, random.pick(cast.people), random).map((beat) => {
    const timestamp = new Date(at).toISOString();
    at += random.int(4_000, 420_000);
    return { ...beat, timestamp };
  });
}

const until = (end: number, events: StoryEvent[]) => {
  const last = new Date(end).toISOString();
  return events.filter(({ timestamp }) => timestamp < last);
};

/** Actions of people on call in the hours before `end`. */
function onCallEvents(cast: Cast, random: Random, end: number): StoryEvent[] {
  const events = Array.from({ length: SITTINGS_ON_CALL }, () => sittingAt(cast, random, momentOnCall(random, end)));
  return until(end, events.flat());
}

type SignIn = Pick<StoryEvent, "ipAddress" | "userAgent"> & { email: string; at: number };
/** Submitted events, and everyone's last sign-in, recorded by the server itself. */
export type Story = { events: StoryEvent[]; signIns: SignIn[] };

/**
 * Removes everyone's last sign-in from the story, so that the server records it and its last sign-in times match the
 * log.
 */
function withRealSignIns(cast: Cast, events: StoryEvent[]): Story {
  const last = new Map<string, StoryEvent>();
  for (const event of events) if (event.action === "user.login") last.set(event.actorId, event);
  const signIns = cast.people.flatMap((person) => {
    const event = last.get(person.id);
    if (!event) return [];
    const { ipAddress, userAgent } = event;
    return [{ email: person.email, at: Date.parse(event.timestamp), ipAddress, userAgent }];
  });
  const real = new Set(last.values());
  return { events: events.filter((event) => !real.has(event)), signIns: signIns.sort((a, b) => a.at - b.at) };
}

const JOURNEYS = 3;

/** A month at an MSP as audit events, oldest first. */
export function storyEvents(cast: Cast, random: Random, end: number): Story {
  const events: StoryEvent[] = [...incidentEvents(cast, end), ...onCallEvents(cast, random, end)];
  const human = Math.floor(AUDIT_ROWS * 0.22);
  while (events.length < human) events.push(...until(end, sittingAt(cast, random, workingTime(random, end))));
  const everyMinutes = (30 * 24 * 60 * cast.devices.length) / (AUDIT_ROWS - events.length);
  for (const device of cast.devices)
    for (const at of regularTimes(random, end, everyMinutes))
      events.push({ ...machineBeat(cast, device, random), timestamp: new Date(at).toISOString() });
  for (const device of cast.devices.filter(({ kind }) => kind === "LT"))
    for (let i = 0; i < JOURNEYS; i++) events.push(...journey(cast, device, { random, end }));
  const told = until(end, events).sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  return withRealSignIns(cast, told);
}
