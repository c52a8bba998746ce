import { FILTERS } from "@/server/audit/query/catalogue";
import { filterWords } from "./filter-words";
import { CHECKSUM, DEVICE, ORG, PERSON, THING, TIME } from "./samples";
import type { Words, WordTable } from "./table";

const action = ["Code of the action, such as device.create", "device.create"] as const;

/** Descriptions of members inside another. */
export const within = (name: string, words: Words): Words =>
  Object.fromEntries(Object.entries(words).map(([member, word]) => [`${name}.${member}`, word]));

/** Members shared by all formats of an entry. */
export const entry: Words = {
  id: ["Identifies the entry", THING],
  orgId: ["Organization whose chain the entry belongs to", ORG],
  resource: "What was acted on",
  timestamp: ["When the action happened", TIME],
  action,
  actionLabel: ["The action in words", "Created device"],
  actorType: ["Who acted: a person, an API key, an agent, the system or an AI agent", "user"],
  category: ["Category of the action, derived from its code", "device"],
  result: ["What became of the action", "success"],
  ipAddress: ["Address that the action came from; empty where none is known", "198.51.100.77"],
  userAgent: ["The client's user agent; empty where none is known", "Mozilla/5.0"],
  submittedBy: ["The API key that submitted the entry; null for what this server itself recorded", null],
  "submittedBy.keyId": ["Id of the API key", THING],
  "submittedBy.name": ["Name of the API key when it submitted the entry", "Billing"],
  "resource.type": ["Type of what was acted on", "device"],
  "resource.id": ["Id of what was acted on; empty where it has none", DEVICE],
  "resource.name": ["Name of what was acted on; empty where it has none", "WS-042"],
  details: ["Further facts, such as parameters and the values before and after", { site: "Berlin" }],
  user: "Who acted",
  "user.id": ["Id of the actor; zeros for one whose id is no UUID, then details.rawActorId has it", PERSON],
  "user.name": ["Name of the person, key or agent", "Jane Doe"],
  "user.email": ["E-mail address of the person; empty where there is none", "jane.doe@example.com"],
  "user.role": ["Role of a known person, otherwise the actorType", "org_admin"],
  errorMessage: ["Why it failed or was denied; null for success", null],
  checksum: ["SHA-256 of the entry's canonical payload", CHECKSUM],
  prevChecksum: ["Checksum of the entry before it in the chain; null for the first", null],
  firstSeen: [
    "What the entry shows its actor with for the first time, in lists and single entries; left out where nothing is new",
    ["address"],
  ],
  chainSeq: ["Position of the entry in its organization's chain, counted from 1", 1204],
};

/** The lists' filters. */
export const filters: Words = {
  ...filterWords(FILTERS),
  user: ["With the text in the actor's name or e-mail address; any of several values", "jane"],
  action: [
    "With the text anywhere in the action's code, where `actions` takes whole codes; any of several values",
    "device.",
  ],
  resource: ["With the text in the resource's name or type; any of several values", "WS-042"],
  session: ["Of the session with this id, as the details of entries have it; any of several values", "s-1f0e"],
  ip: ["From this address or network, or from all that begin so; any of several values", "198.51.100.0/24"],
  actorId: ["By the actor with this id; any of several values", PERSON],
  rawActorId: ["By an actor whose id is no UUID; any of several values", "billing"],
  actions: ["With exactly this code; any of several values", "device.create,device.delete"],
  resourceType: ["With exactly this resource type; any of several values", "device"],
  resourceId: ["With exactly this resource id; any of several values", DEVICE],
  excludeActions: ["Leaves out entries with one of these codes", "user.login"],
  exclude: ["Leaves out entries with one of these values, as filter:value pairs", "result:success"],
};

/** Reading, submitting, reporting and exporting entries. */
export const AUDIT: WordTable[] = [
  {
    path: "/audit-logs",
    request: {
      ...filters,
      page: ["Page of the list, counted from 1; without meaning beside cursor", 1],
      after: ["The `next` of the answer before; none begins at the oldest entry, `now` at the next one", "now"],
      wait: ["Seconds to wait for an entry where there is none, at most 30", 25],
      afterSeq: ["Only entries behind this sequence of one orgId's chain, oldest first; the total is then -1", 1200],
      cursor: "nextCursor of the page before: continues there, at the same cost however deep",
      skipCount: ["True leaves the total out, which is then -1", false],
      userId: ["Only entries by the actor with this id", PERSON],
      orgId: ["Only these organizations; by default all that the caller can see", ORG],
      dateRange: "Only entries of this range of time",
      format: ["File format of the answer; spreadsheet is CSV for Excel", "json"],
      filters: ["Which entries: the filters of the lists", { result: "denied" }],
      device: [
        "About devices with the text in their hostname, by their agents, or naming them in the details; any of several values",
        "WS-042",
      ],
      q: ["Text that must occur, as one phrase", "WS-042"],
    },
    response: {
      entries: "The entries of the page, newest first",
      data: "The entries, newest first",
      recentEvents: "The 10 newest of the entries counted",
      recentActivity: "The 10 newest entries",
      ...entry,
      "entries.resource": ["Name of what was acted on, or its type where it has no name", "WS-042"],
      resourceType: ["Type of what was acted on", "device"],
      "entries.details": ["Further facts as JSON text; {} for none", '{"site":"Berlin"}'],
      sessionId: ["Session that the action belongs to; null where none is known", null],
      "user.department": ["Department of the person; empty where none is known", "Service desk"],
      changes: "Values before and after the action",
      before: ["Values before the action; an empty object where none were recorded", {}],
      after: ["Values after the action; an empty object where none were recorded", {}],
      nextCursor: ["Value of cursor for the page that follows; null at the end", null],
      total: ["Entries that meet the filters; -1 with skipCount", 1],
      totalPages: ["Pages of the list; -1 with skipCount", 1],
      truncated:
        "True where the words are too short for the index and only the newest entries were read; else left out",
      query: ["The search text, as it was understood", "WS-042"],
      totalEvents: ["Entries that were counted: at most the newest 5,000, see truncated", 128],
      totalUsers: ["Different actors of the entries counted", 3],
      actionsPerUser: "Every actor of the entries counted, the busiest first",
      topUsers: "The 5 busiest actors",
      userId: ["Id of the actor", PERSON],
      userName: ["Name of the actor", "Jane Doe"],
      userEmail: ["E-mail address of the actor; empty where there is none", "jane.doe@example.com"],
      actionCount: ["Entries of this actor", 41],
      lastActiveAt: ["When the actor's newest entry happened", TIME],
      byAction: "Entries by action",
      byCategory: "Entries by category, most first",
      byUser: "Entries by actor, most first",
      count: ["How many of the entries counted", 41],
      loginAttempts: ["Sign-ins, those that failed included", 20],
      failedLogins: ["Sign-ins that failed", 2],
      permissionChanges: ["Changes of a person's role or access", 1],
      dataAccess: ["Entries with the action data.access", 4],
      dataChanges: ["The other entries of compliance actions", 35],
      exports: ["Entries with the action data.export", 2],
      range: "The range that was asked for",
    },
  },
  {
    path: "/audit-logs/feed",
    response: {
      data: "The entries, oldest first",
      next: ["Value of `after` for the next request: store it with what was taken", "AbCkG7y2XhMy2gQ"],
      lag: ["Sealed entries behind `next`, filtered ones included", 0],
      gaps: "What retention took before it was asked for, where it took any",
      first: ["Sequence of the first entry that is gone", 1],
      last: ["Sequence of the last entry that is gone", 577],
    },
  },
  {
    path: "/devices/{id}/timeline",
    response: within("entry", entry),
  },
  {
    path: "/audit-logs/export",
    response: {
      total: ["Entries that meet the filters, whether or not they are in data", 1],
      truncated: ["True where data holds only the newest 10,000 of them", false],
    },
  },
  {
    path: ["/audit-logs/reports", "/audit-logs/stats"],
    request: {
      routine: ["with counts the telemetry that agents send around the clock as well", "without"],
    },
    response: {
      submitted: ["How many of the entries counted were submitted by API keys", 0],
      from: ["Time of the oldest entry counted; null where none was", TIME],
      to: ["Time of the newest entry counted; null where none was", TIME],
      truncated: ["True where there are more than the newest 5,000 entries, which alone were counted", false],
      "range.from": ["Start that was asked for; null for none", null],
      "range.to": ["End that was asked for; null for none", null],
    },
  },
  {
    path: "/audit-logs/events",
    request: {
      events: [
        "The events, 1 to 500; a request that is not valid is refused whole",
        [
          {
            id: THING,
            timestamp: TIME,
            actorType: "user",
            actorId: PERSON,
            actorEmail: "jane.doe@example.com",
            action: "device.create",
            resourceType: "device",
            resourceId: DEVICE,
            resourceName: "WS-042",
            details: { site: "Berlin" },
            ipAddress: "198.51.100.77",
            result: "success",
          },
        ],
      ],
      "events.id": [
        "An id of your own that deduplicates: the same event again is recorded once, so a batch can be sent again after a failure; another event under the id is rejected. Left out, the server gives one",
        THING,
      ],
      orgId: ["Organization; a key of one organization implies it. An event without any is dropped", ORG],
      timestamp: ["When it happened; now where left out. More than 24 hours ahead is refused", TIME],
      actorType: ["Who acted: a person, an API key, an agent, the system or an AI agent", "user"],
      actorId: ["Id of the actor. One that is no UUID is kept in details.rawActorId", PERSON],
      actorEmail: ["E-mail address of the actor", "jane.doe@example.com"],
      action: [
        "Code of the action: lower-case letters, digits and _ . : -. What reads as an act on the audit log is the server's own",
        "device.create",
      ],
      resourceType: ["Type of what was acted on", "device"],
      resourceId: ["Id of what was acted on. One that is no UUID is kept in details.rawResourceId", DEVICE],
      resourceName: ["Name of what was acted on", "WS-042"],
      details: [
        "Further facts; numbers are kept digit for digit; submittedBy, rawActorId and rawResourceId, however written, are set by the server",
        { site: "Berlin" },
      ],
      ipAddress: ["Address that the action came from", "198.51.100.77"],
      userAgent: ["The client's user agent", "Mozilla/5.0"],
      result: ["What became of the action", "success"],
      errorMessage: ["Why it failed or was denied", "disk full"],
    },
    response: {
      accepted: ["Events that are recorded, even if the server fails now", 1],
      rejected: ["The events that are not recorded, each by name", []],
      index: ["Position of the event in the request, counted from 0", 3],
      "rejected.id": ["Id of the event; null where it has none", THING],
      "rejected.code": [
        "id_conflict: the id is another entry's; no_organization: the event names none, and the key is not of one alone",
        "id_conflict",
      ],
      "rejected.message": [
        "What is wrong, in words",
        "The id is in use for another entry; send the event under a new id.",
      ],
    },
  },
  {
    path: "/audit-logs/exports",
    request: { filters: ["Which entries: the filters of the lists", {}], id: ["Identifies the export", THING] },
    response: {
      id: ["Identifies the export", THING],
      fileName: ["Name of the file: organization and range", "contoso-2026-11.csv"],
      totalRows: ["Entries that meet the filters; null until they are counted", 1204],
      rowsDone: ["Entries written so far", 1204],
      sizeBytes: ["Bytes written so far; the file's size once it is done", 402_113],
      sha256: ["SHA-256 of the file in hexadecimal; null until it is done", CHECKSUM],
      status: ["waiting, running, done (the file can be downloaded) or failed (error says why)", "done"],
      finishedAt: ["When it was done or failed; null before", TIME],
    },
  },
];
