import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { version } from "@/package.json";
import { ACTIONS } from "@/server/audit/actions";
import { ACTOR_TYPES, RESULTS } from "@/server/audit/vocabulary";
import { chainOf, entryOf, type RowOver, STREAM_ORG } from "@/testing/streams/entries";
import { markerOf } from "@/testing/streams/file";
import { cef } from "./cef";
import { ecs } from "./ecs";
import { FORMATS } from "./index";
import { ocsf, ocsfOlder } from "./ocsf";
import { rfc5424 } from "./rfc5424";

const SAMPLES: RowOver[] = [
  { action: "user.login", resource_type: "user", resource_id: null, resource_name: null, details: null },
  {
    action: "user.login.failed",
    result: "failure",
    error_message: "Wrong password",
    actor_email: "mallory@evil.example",
    user_name: null,
    user_email: null,
    user_role: null,
    resource_type: "user",
    resource_id: null,
    resource_name: null,
    ip_address: "2001:db8::7",
  },
  { details: '{"n": 9007199254740993, "rate": 1.10, "text": "a|b=c\\\\d]\\"e\\nf"}' },
  {
    action: "user.permission.change",
    resource_type: "user",
    resource_name: "John Roe",
    details: '{"after": {"role": "admin"}, "before": {"role": "viewer"}}',
  },
  {
    action: "device.delete",
    result: "denied",
    error_message: "You may not delete devices.",
    ip_address: "unix socket",
  },
  {
    actor_type: "agent",
    hostname: "WS-042",
    user_name: null,
    actor_email: null,
    user_email: null,
    action: "agent.eventlogs.submit",
    user_agent: null,
  },
  {
    actor_type: "api_key",
    key_name: "Billing | \u202eevil",
    actor_email: null,
    user_email: null,
    action: "invoice.sent",
  },
  {
    actor_type: "system",
    user_name: null,
    actor_email: null,
    user_email: null,
    ip_address: null,
    action: "audit.retention.prune",
  },
];

/** The product's version is no part of what is tested. */
const withoutVersion = (text: string): string =>
  text
    .replaceAll(`"version":"${version}"`, '"version":"VERSION"')
    .replaceAll(`|Trailmark|${version}|`, "|Trailmark|VERSION|");

it.each(Object.entries(FORMATS))("formats %s like its golden file", async (name, format) => {
  const entries = chainOf(SAMPLES);
  const marker = markerOf({ entries, filtered: [2] });
  const lines = [
    ...entries.filter(({ entry }) => entry.chainSeq !== 2).map(format.entry),
    format.marker(marker, "h/log/o"),
  ];
  await expect(withoutVersion(`${lines.join("\n")}\n`)).toMatchFileSnapshot(`golden/${name}.txt`);
});

it.each([["cef", cef] as const, ["rfc5424", rfc5424] as const])("keeps %s markers within 8,192 bytes", (_, format) => {
  const filtered = Array.from({ length: format.maxFiltered ?? 0 }, (_, i): [number, string] => [
    1_000_000_000 + i,
    "a".repeat(64),
  ]);
  const checkpoint =
    `${"siem.example.com/log/".padEnd(60, "x")}\n1000000000\n${"b".repeat(44)}\n\n${"— name ".padEnd(130, "c")}\n`.repeat(
      3,
    );
  const before = Array.from({ length: 30 }, () => "c".repeat(44));
  const marker = markerOf({ entries: chainOf(SAMPLES), over: { filtered, checkpoint, before } });
  expect(filtered.length).toBeGreaterThan(30);
  expect(Buffer.byteLength(format.marker(marker, "siem.example.com/log/o"))).toBeLessThanOrEqual(8_192);
});

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "\ufeffBOM",
    "a\nb\r\nc\u2028d",
    ']\\"=|',
    "\u0001\u007f",
    "x".repeat(3000),
    "😀".repeat(600),
    " = | ",
    "\\",
    "]",
  ),
);
/** Text as the log stores it: without NUL and lone surrogates. */
const stored = hostile.map((text) => text.toWellFormed().replaceAll("\0", "\ufffd"));
const number = fc.constantFrom(
  "9007199254740993",
  "1.10",
  "-0.000000000000000001",
  `1${"0".repeat(40)}`,
  "12345678901234567890.5",
);

const anyEntry = fc
  .record({
    action: fc.oneof(
      fc.constantFrom(...Object.keys(ACTIONS)),
      stored.map((text) => text || "x"),
    ),
    actor_type: fc.constantFrom(...ACTOR_TYPES),
    result: fc.constantFrom(...RESULTS),
    resource_type: fc.constantFrom("device", "user", "organization", ""),
    resource_name: fc.option(stored),
    actor_email: fc.option(stored),
    user_agent: fc.option(stored),
    ip_address: fc.option(fc.oneof(fc.ipV4(), fc.ipV6(), stored)),
    error_message: fc.option(stored),
    ms: fc.integer({ min: -8.64e15, max: 8.64e15 - 1000 }),
    text: stored,
    number,
  })
  .map(({ text, number, ...over }) =>
    entryOf({ ...over, details: `{"n": ${number}, "text": ${JSON.stringify(text)}}` }),
  );

describe.each(Object.entries(FORMATS))("format %s", (_, format) => {
  it("writes any entry as one well-formed line", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const line = format.entry(entry);
        expect(line).not.toMatch(/[\n\r\0]/);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });

  it("keeps all digits of numbers", () => {
    fc.assert(
      fc.property(number, (digits) => {
        expect(format.entry(entryOf({ details: `{"n": ${digits}}` }))).toContain(digits);
      }),
    );
  });

  it("is valid JSON if declared as JSON", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        if (format.mediaType === "application/json") expect(JSON.parse(format.entry(entry))).toBeTypeOf("object");
        else expect(() => JSON.parse(format.entry(entry))).toThrow(SyntaxError);
      }),
    );
  });
});

/** OCSF 1.9.0: what each class requires besides the members of every event, and its activities. */
const OCSF_CLASSES: Record<number, { requires: string[]; oneOf?: string[]; activities: number[] }> = {
  1008: {
    requires: [],
    oneOf: ["log_file", "log_name", "log_provider", "log_type", "log_type_id"],
    activities: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  },
  3001: { requires: ["user"], activities: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] },
  3002: { requires: ["user"], oneOf: ["service", "dst_endpoint"], activities: [1, 2, 3, 4, 5, 6, 7] },
  3004: { requires: ["entity"], activities: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] },
  3005: { requires: ["user"], activities: [1, 2, 3, 4] },
  3007: { requires: ["user"], activities: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] },
  6003: { requires: ["actor", "api", "src_endpoint"], activities: [1, 2, 3, 4] },
};
const EVERY_EVENT = ["activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid"];
/** Of each object: the members that it requires, and those of which it needs one. */
const OBJECTS: Record<string, { requires?: string[]; oneOf?: string[] }> = {
  metadata: { requires: ["product", "version"] },
  actor: { oneOf: ["process", "user", "iam_role", "invoked_by", "session", "app_name", "app_uid"] },
  user: { oneOf: ["account", "name", "uid"] },
  entity: { oneOf: ["name", "uid", "device", "group", "org", "policy", "user"] },
  api: { requires: ["operation"] },
  service: { oneOf: ["name", "uid"] },
  src_endpoint: { oneOf: ["ip", "uid", "name", "hostname"] },
  device: { requires: ["type_id"], oneOf: ["ip", "uid", "name", "hostname"] },
};
/** Members of the base event and its profiles that any class takes. */
const BASE = new Set([
  ...EVERY_EVENT,
  "class_name",
  "category_name",
  "activity_name",
  "status",
  "status_id",
  "status_detail",
  "message",
  "actor",
  "device",
  "api",
  "unmapped",
  "attestation_list",
  "action",
  "action_id",
]);
const OWN: Record<number, string[]> = {
  1008: ["log_name", "log_type", "log_type_id", "src_endpoint"],
  3001: ["user", "src_endpoint", "http_request"],
  3002: ["user", "service", "src_endpoint", "http_request"],
  3004: ["entity", "src_endpoint", "http_request"],
  3005: ["user", "src_endpoint", "http_request"],
  3007: ["user", "src_endpoint", "http_request"],
  6003: ["src_endpoint", "http_request", "resources"],
};

function expectObject(name: string, value: Record<string, unknown>): void {
  const { requires = [], oneOf } = OBJECTS[name] ?? {};
  for (const member of requires) expect(value, name).toHaveProperty(member);
  if (oneOf)
    expect(
      oneOf.some((member) => value[member] !== undefined),
      `${name}: ${JSON.stringify(value)}`,
    ).toBe(true);
}

// biome-ignore lint/suspicious/noExplicitAny: an event of any class
function expectOcsf(event: any): void {
  const rules = OCSF_CLASSES[event.class_uid];
  if (!rules) throw new Error(`class ${event.class_uid}`);
  for (const member of [...EVERY_EVENT, ...rules.requires]) expect(event).toHaveProperty(member);
  if (rules.oneOf) expect(rules.oneOf.some((member) => event[member] !== undefined)).toBe(true);
  expect([...rules.activities, 99]).toContain(event.activity_id);
  expect(event.type_uid).toBe(event.class_uid * 100 + event.activity_id);
  expect(event.category_uid).toBe(Math.floor(event.class_uid / 1000));
  expect([1, 2, 3]).toContain(event.severity_id);
  expect([1, 2]).toContain(event.status_id);
  const takes = new Set([...BASE, ...(OWN[event.class_uid] ?? [])]);
  expect(Object.keys(event).filter((member) => !takes.has(member))).toEqual([]);
  for (const name of Object.keys(OBJECTS)) if (event[name] !== undefined) expectObject(name, event[name]);
  if (event.actor.user) expectObject("user", event.actor.user);
  const [attestation] = event.attestation_list;
  expect(attestation.fingerprint).toMatchObject({ algorithm_id: 99, value: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(attestation.prev_event.uid).toBe(`${STREAM_ORG.id}/${event.metadata.sequence - 1}`);
  expect(event.metadata.profiles).toContain("record_integrity");
  expect(event.action_id !== undefined).toBe(event.metadata.profiles.includes("security_control"));
}

describe("OCSF", () => {
  it.each([
    ["1.9.0", ocsf],
    ["with the older classes", ocsfOlder],
  ] as const)("%s has every required member for any entry", (_, format) => {
    fc.assert(fc.property(anyEntry, (entry) => expectOcsf(JSON.parse(format.entry(entry)))));
  });

  it("maps every catalog action to a class, older classes only on request", () => {
    for (const action of Object.keys(ACTIONS))
      for (const result of RESULTS) {
        const entry = entryOf({ action, result });
        const [newer, older] = [JSON.parse(ocsf.entry(entry)), JSON.parse(ocsfOlder.entry(entry))];
        expectOcsf(newer);
        expectOcsf(older);
        expect([3001, 3005]).not.toContain(newer.class_uid);
        expect(older.class_uid === newer.class_uid).toBe(newer.class_uid !== 3007);
      }
  });

  it("describes the changed account, not the person who changed it", () => {
    const entry = entryOf({ action: "user.disable", resource_type: "user", resource_name: "John Roe" });
    const { user, actor } = JSON.parse(ocsf.entry(entry));
    expect(user.name).toBe("John Roe");
    expect(actor.user.email_addr).toBe("jane.doe@northwind.example");
  });
});

/** ECS: the values of event.type that each value of event.category goes with. */
const ECS_TYPES: Record<string, string[]> = {
  api: ["access", "admin", "allowed", "change", "creation", "deletion", "denied", "end", "info", "start", "user"],
  authentication: ["start", "end", "info"],
  configuration: ["access", "change", "creation", "deletion", "info"],
  host: ["access", "change", "end", "info", "start"],
  iam: ["admin", "change", "creation", "deletion", "group", "info", "user"],
  process: ["access", "change", "end", "info", "start"],
};

it("ECS has the core fields and only allowed values for every action and entry", () => {
  const check = (entry: ReturnType<typeof entryOf>) => {
    const { event, ...doc } = JSON.parse(ecs.entry(entry));
    expect(doc).toMatchObject({
      "@timestamp": expect.any(String),
      ecs: { version: expect.any(String) },
      message: expect.any(String),
    });
    expect(event.kind).toBe("event");
    expect(["success", "failure"]).toContain(event.outcome);
    const types = ECS_TYPES[event.category[0]] ?? [];
    expect(
      event.type.filter((type: string) => !types.includes(type)),
      `${event.action}: ${event.category}`,
    ).toEqual([]);
  };
  for (const action of Object.keys(ACTIONS)) check(entryOf({ action }));
  fc.assert(fc.property(anyEntry, check));
});

/** Values of an extension, taken apart as ArcSight describes it: a key is a word behind a space and before an equals sign. */
function valuesOfCef(line: string): { header: string[]; values: Record<string, string> } {
  const header: string[] = [];
  let rest = line;
  for (let i = 0; i < 7; i++) {
    const [whole = "", field = ""] = /^((?:[^|\\]|\\[\\|])*)\|/.exec(rest) ?? [];
    expect(whole).not.toBe("");
    header.push(field.replace(/\\([\\|])/g, "$1"));
    rest = rest.slice(whole.length);
  }
  const values: Record<string, string> = {};
  for (const [, key = "", value = ""] of rest.matchAll(/(?:^| )(\w+)=((?:\\[\\=nr]|[^\\=])*)(?= \w+=|$)/gu))
    values[key] = value.replace(/\\n/g, "\n").replace(/\\([\\=])/g, "$1");
  return { header, values };
}

const CEF_KEYS =
  /^(rt|externalId|cat|outcome|reason|suid|suser|spriv|src|shost|requestClientApplication|dhost|deviceExternalId|duid|duser|msg|(cn1|cs[1-6]|c6a2|deviceCustomDate1)(Label)?)$/;

it("CEF header and values survive a parser round trip", () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const { header, values } = valuesOfCef(cef.entry(entry));
      expect(header.slice(0, 3)).toEqual(["CEF:0", "Trailmark", "Trailmark"]);
      expect(["3", "6", "8"]).toContain(header[6]);
      expect(Object.keys(values).filter((key) => !CEF_KEYS.test(key))).toEqual([]);
      expect(values).toMatchObject({
        externalId: entry.entry.id,
        cs3: entry.entry.checksum,
        cn1: "2",
        cs5: STREAM_ORG.id,
      });
      if (entry.entry.user.email && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(entry.entry.user.email))
        expect(entry.entry.user.email).toContain(values.suser);
    }),
  );
});

const SD_NAME = /[!-<>-\\^-~]{1,32}/.source;
const MESSAGE = new RegExp(
  `^<(\\d{1,3})>1 (\\S+) ([!-~]{1,255}) ([!-~]{1,48}) - ([!-~]{1,32}) \\[trailmark@32473((?: ${SD_NAME}="(?:[^"\\\\\\]]|\\\\["\\\\\\]])*")*)\\] \\ufeff(.*)$`,
  "su",
);

it("RFC 5424 follows its grammar, 8,192 bytes at most, and keeps positions complete", () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const line = rfc5424.entry(entry);
      const [, pri, , , , , data = ""] = MESSAGE.exec(line) ?? [];
      expect(["108", "109", "110"]).toContain(pri);
      expect(data).toContain(` seq="2" id="${entry.entry.id}" checksum="${entry.entry.checksum}"`);
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8192);
    }),
  );
});

it("RFC 5424 marks truncated details", () => {
  const line = rfc5424.entry(entryOf({ details: `{"text": "${"]".repeat(9000)}"}` }));
  expect(Buffer.byteLength(line)).toBeGreaterThan(8100);
  expect(line).toMatch(MESSAGE);
  expect(line).toContain('cut="1"]');
});
