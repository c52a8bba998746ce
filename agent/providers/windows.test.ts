import { describe, expect, it } from "vitest";
import { entry as liveEntry } from "@/server/devices/live/schema";
import { event as storedEvent } from "@/server/devices/logs/event-log-schema";
import { COUNT, encodeScript, LIST_LOGS, READ_AFTER, READ_NEWEST, type RunScript } from "./powershell";
import { type Filters, toEntry, toWireEvent } from "./provider";
import { findWindowsLogs, WindowsProvider } from "./windows";
import { parseWindowsEvent, toWindowsRecord, toXPath } from "./windows-event";

/** Well-known events in the shape that the scripts print; written by hand, for there is no Windows machine here. */
const LINES = {
  failedLogon: String.raw`{"LogName":"Security","RecordId":218412,"Id":4625,"Level":0,"Keywords":"0x8010000000000000","ProviderName":"Microsoft-Windows-Security-Auditing","TimeCreated":"2026-11-19T22:14:07.1834062Z","MachineName":"FRONTDESK-03.contoso.local","UserId":null,"ProcessId":812,"ThreadId":6120,"Task":"Logon","Message":"An account failed to log on.\r\n\r\nSubject:\r\n\tSecurity ID:\t\tS-1-0-0\r\n\r\nAccount For Which Logon Failed:\r\n\tAccount Name:\t\tADMINISTRATOR\r\n","Xml":"<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><EventID>4625</EventID></System></Event>"}`,
  logon: `{"LogName":"Security","RecordId":218413,"Id":4624,"Level":0,"Keywords":"0x8020000000000000","ProviderName":"Microsoft-Windows-Security-Auditing","TimeCreated":"2026-11-19T22:14:09.0021417Z","MachineName":"FRONTDESK-03.contoso.local","UserId":null,"ProcessId":812,"ThreadId":6120,"Task":"Logon","Message":"An account was successfully logged on.","Xml":null}`,
  badBlock: String.raw`{"LogName":"System","RecordId":90411,"Id":7,"Level":2,"Keywords":"0x0080000000000000","ProviderName":"disk","TimeCreated":"2026-11-19T03:02:41.5512003Z","MachineName":"FRONTDESK-03.contoso.local","UserId":null,"ProcessId":4,"ThreadId":312,"Task":null,"Message":"The device, \\Device\\Harddisk0\\DR0, has a bad block.","Xml":null}`,
  service: `{"LogName":"System","RecordId":90412,"Id":7036,"Level":4,"Keywords":"0x8080000000000000","ProviderName":"Service Control Manager","TimeCreated":"2026-11-19T03:05:00.0000000Z","MachineName":"FRONTDESK-03.contoso.local","UserId":"S-1-5-18","ProcessId":692,"ThreadId":9012,"Task":null,"Message":"The Windows Update service entered the running state.","Xml":null}`,
  power: `{"LogName":"System","RecordId":90413,"Id":41,"Level":1,"Keywords":"0x8000400000000002","ProviderName":"Microsoft-Windows-Kernel-Power","TimeCreated":"2026-11-19T03:06:12.7310918Z","MachineName":"FRONTDESK-03.contoso.local","UserId":"S-1-5-18","ProcessId":4,"ThreadId":8,"Task":null,"Message":"The system has rebooted without cleanly shutting down first.","Xml":null}`,
  noText: `{"LogName":"Application","RecordId":7,"Id":1000,"Level":null,"Keywords":null,"ProviderName":"Old App","TimeCreated":"2026-11-19T03:06:12.7310918Z","MachineName":"PC","UserId":null,"ProcessId":null,"ThreadId":null,"Task":null,"Message":null,"Xml":null}`,
};
const CHANNELS = [
  `{"LogName":"System","RecordCount":90413,"MaximumSizeInBytes":20971520,"LastWriteTime":"2026-11-19T03:06:12.7310918Z"}`,
  `{"LogName":"Security","RecordCount":30211,"MaximumSizeInBytes":20971520,"LastWriteTime":"2026-11-19T22:14:09.0021417Z"}`,
];
const recordOf = (line: string) => toWindowsRecord(parseWindowsEvent(line) as never);

describe("Get-WinEvent event", () => {
  it.for([
    ["failedLogon", "warning", "security", 4625],
    ["logon", "information", "security", 4624],
    ["badBlock", "error", "hardware", 7],
    ["service", "information", "system", 7036],
    ["power", "critical", "hardware", 41],
    ["noText", "information", "application", 1000],
  ] as const)("%s has level %s and category %s", ([name, level, category, eventNumber]) => {
    const record = recordOf(LINES[name]);
    expect(record).toMatchObject({ level, category, eventNumber });
    expect(storedEvent.safeParse(toWireEvent(record)).error).toBeUndefined();
    expect(liveEntry.safeParse(toEntry(record)).error).toBeUndefined();
  });

  it("is identified by channel, record ID and time, with its number in the details", () => {
    const stored = toWireEvent(recordOf(LINES.failedLogon));
    expect(stored.eventId).toBe("Security:218412:2026-11-19T22:14:07.1834062Z");
    expect(stored.timestamp).toBe("2026-11-19T22:14:07.183Z");
    expect(stored.details).toMatchObject({
      log: "Security",
      eventId: 4625,
      computer: "FRONTDESK-03.contoso.local",
      pid: 812,
    });
    expect(recordOf(LINES.noText).message).toBe("Old App event 1000");
    for (const noise of ["", "\uFEFF", "WARNING: x", "{", "3", "null"]) expect(parseWindowsEvent(noise)).toBeNull();
  });
});

it("converts filters to XPath and leaves the others to the agent", () => {
  expect(toXPath("System", {})).toBe("*");
  expect(toXPath("System", { level: "information" })).toBe("*[System[(Level=4 or Level=0)]]");
  expect(toXPath("Security", { level: "warning" })).toBe("*[System[band(Keywords,4503599627370496)]]");
  expect(
    toXPath("System", {
      level: "error",
      source: "O'Reilly",
      eventId: 7,
      startTime: "2026-11-19T00:00:00Z",
      endTime: "2026-11-20T00:00:00Z",
    }),
  ).toBe(
    `*[System[(Level=2) and Provider[@Name="O'Reilly"] and (EventID=7) and TimeCreated[@SystemTime>='2026-11-19T00:00:00.000Z' and @SystemTime<='2026-11-20T00:00:00.000Z']]]`,
  );
  expect(toXPath("System", { source: `a'b"c` })).toBe("*");
});

it("passes parameters to PowerShell as data", () => {
  const parameters = { log: "'; Remove-Item C:\\ -Recurse; '", xpath: "ü\u2028$(x)" };
  const text = Buffer.from(encodeScript(COUNT, parameters), "base64").toString("utf16le");
  const [, json] = /FromBase64String\('([A-Za-z0-9+/=]*)'\)/.exec(text) ?? [];
  expect(JSON.parse(Buffer.from(json as string, "base64").toString())).toEqual(parameters);
  expect(text).not.toContain("Remove-Item");
});

describe("WindowsProvider", () => {
  const calls: { script: string; parameters: Record<string, unknown> }[] = [];
  const answering = (answers: Map<string, string[]>): RunScript =>
    async function* (script, parameters) {
      calls.push({ script, parameters: parameters as Record<string, unknown> });
      yield* answers.get(script) ?? [];
    };
  const asPrinted = [LINES.power, LINES.service, LINES.badBlock];

  it("starts with the newest entries, oldest first, and continues after the last one", async () => {
    const provider = new WindowsProvider(
      "System",
      answering(
        new Map([
          [READ_NEWEST, asPrinted],
          [READ_AFTER, [LINES.power]],
        ]),
      ),
    );
    const first = await provider.read(undefined, 2);
    expect(first.records.map((record) => record.recordId)).toEqual([90411, 90412]);
    expect(first.more).toBe(true);
    const second = await provider.read(first.watermark, 2);
    expect(calls.at(-1)).toMatchObject({
      script: READ_AFTER,
      parameters: { log: "System", after: 90412, time: "2026-11-19T03:05:00.0000000Z", max: 2 },
    });
    expect(second).toMatchObject({ more: false, records: [{ recordId: 90413 }] });
    const idle = new WindowsProvider("System", answering(new Map()));
    expect(await idle.read(second.watermark, 2)).toEqual({ records: [], watermark: second.watermark, more: false });
  });

  it("answers live queries", async () => {
    const answers = new Map([
      [READ_NEWEST, asPrinted],
      [COUNT, ["90413"]],
      [LIST_LOGS, ["Loading …", ...CHANNELS]],
    ]);
    const { live: logs, shipped } = await findWindowsLogs(answering(answers));
    const live = await logs.list();
    expect(live.map((log) => log.name)).toEqual(["System", "Security"]);
    expect(shipped.map((log) => log.name)).toEqual(["System", "Application", "Security"]);
    expect(await live[0]?.describe()).toMatchObject({ recordCount: 90413, maxSize: 20971520 });
    await expect(shipped[1]?.describe()).rejects.toThrow("Application");
    const filters: Filters = { page: 3, limit: 50, level: "error" };
    expect(await live[0]?.query(filters)).toMatchObject({
      total: 90413,
      events: [{ recordId: 90411, source: "disk", eventId: 7 }],
    });
    expect(calls.find(({ script, parameters }) => script === READ_NEWEST && parameters.skip === 100)).toBeDefined();
    answers.set(COUNT, ["100000"]);
    expect(await live[0]?.query(filters)).toMatchObject({ total: 100_000, searched: { matches: 100_000 } });
    expect(await live[0]?.query({ page: 2_001, limit: 50 })).toMatchObject({ total: 100_000, events: [] });
    expect(await live[0]?.get(90413)).toMatchObject({ recordId: 90413, level: "critical" });
    expect(await new WindowsProvider("System", answering(new Map())).get(1)).toBeUndefined();
  });

  it("finds a channel that was empty at startup, listing channels every 30 seconds", async () => {
    const answers = new Map([[LIST_LOGS, CHANNELS]]);
    let now = 0;
    const { live } = await findWindowsLogs(answering(answers), () => now);
    answers.set(LIST_LOGS, [...CHANNELS, CHANNELS[0]!.replace("System", "Setup")]);
    calls.length = 0;
    expect(await live.find("setup")).toBeUndefined();
    now += 30_000;
    const found = await Promise.all([live.find("setup"), live.find("Setup"), live.find("none"), live.find("SYSTEM")]);
    expect(found.map((log) => log?.name)).toEqual(["Setup", "Setup", undefined, "System"]);
    expect(await live.find("none")).toBeUndefined();
    expect(calls).toHaveLength(1);
    answers.set(LIST_LOGS, CHANNELS);
    expect((await live.list()).map((log) => log.name)).toEqual(["System", "Security"]);
  });
});
