import { expect, it } from "vitest";
import { sentenceText } from "@/server/audit/sentence";
import { entryOf, STREAM_HOST, STREAM_ORG } from "@/testing/streams/entries";
import { markerOf } from "@/testing/streams/file";
import { hasRsyslog, type Parsed, readByRsyslog } from "@/testing/streams/rsyslog";
import { rfc5424 } from "./rfc5424";

const ENTRIES = [
  entryOf(),
  entryOf({ resource_name: 'quote " backslash \\ bracket ] end', user_agent: "\\", error_message: ']"' }),
  entryOf({ action: "an action of another program", resource_name: "Ünïcode 😀", result: "denied" }),
  entryOf({ details: `{"n": 9007199254740993, "text": "${"]\\\\".repeat(4000)}"}` }),
];

const NOTHING: Parsed = { pri: "", host: "", app: "", msgid: "", sd: {}, msg: "" };

it.skipIf(!hasRsyslog())("rsyslog parses the output as intended", { timeout: 30_000 }, async () => {
  const marker = markerOf({ entries: ENTRIES.slice(0, 1), filtered: [2] });
  const origin = `${STREAM_HOST}/log/${STREAM_ORG.id}`;
  const parsed = await readByRsyslog([...ENTRIES.map(rfc5424.entry), rfc5424.marker(marker, origin)]);
  expect(parsed).toHaveLength(ENTRIES.length + 1);
  for (const [i, { entry, row }] of ENTRIES.entries()) {
    const { sd, msg, ...head } = parsed[i] ?? NOTHING;
    const data = sd["trailmark@32473"] ?? {};
    expect(head).toMatchObject({ host: STREAM_HOST, app: "trailmark", pri: entry.result === "denied" ? "109" : "110" });
    expect(data).toMatchObject({
      org: entry.orgId,
      seq: "2",
      id: entry.id,
      checksum: entry.checksum,
      prev: entry.prevChecksum,
      action: entry.action,
      resource: entry.resource.name,
      userAgent: entry.userAgent,
    });
    expect(data.cut ? row.details?.startsWith(data.details ?? "?") : data.details === row.details).toBe(true);
    expect(msg.replace(/^\ufeff/, "")).toBe(sentenceText(entry, STREAM_ORG.name));
  }
  expect(JSON.parse(parsed.at(-1)?.sd["trailmark@32473"]?.marker ?? "null")).toEqual({ ...marker, origin });
});
