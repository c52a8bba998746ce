import { CSV_COLUMNS } from "@/server/audit/entries/export-writer";
import { DEVICE, ORG, PERSON, THING, TIME } from "./words/samples";

const ENTRIES = [
  CSV_COLUMNS.join(","),
  `${THING},${TIME},${PERSON},Jane Doe,jane.doe@example.com,device.create,device,${DEVICE},WS-042,device,success,198.51.100.77,Mozilla/5.0,"{""site"":""Berlin""}"`,
  "",
].join("\r\n");

const LINE = `${JSON.stringify({ id: THING, orgId: ORG, timestamp: TIME, action: "device.create", result: "success" })}\n`;

const COMMAND = { id: THING, name: "eventlogs.list", params: {}, deadline: "2025-11-20T14:03:01.000Z" };

const PROOF = [
  "c2sp.org/tlog-proof@v1",
  "extra djE7MzY7MGQ5ZjdjNWU=",
  "index 1203",
  "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
  "",
  `trailmark.example.com/log/${ORG}`,
  "1204",
  "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
  `signed-at ${TIME}`,
  "",
].join("\n");

const EVIDENCE = `${JSON.stringify({
  type: "header",
  format: "trailmark-evidence",
  version: 2,
  origin: `trailmark.example.com/log/${ORG}`,
  orgId: ORG,
  organization: "Contoso",
  range: { kind: "whole" },
  createdAt: TIME,
  publicKeys: [`trailmark.example.com/log/${ORG}+24e942de+AYqI4910`],
})}\n`;

const BY_TYPE: Record<string, string> = { "text/csv": ENTRIES, "application/x-ndjson": LINE };

/** Start of a streamed answer, by operation. */
const BY_OPERATION: Record<string, string> = {
  "GET /agents/{id}/commands": `event: command\ndata: ${JSON.stringify(COMMAND)}\n\n`,
  "GET /audit-logs/evidence": EVIDENCE,
  "GET /audit-logs/logs/{id}/proof": PROOF,
  "GET /proof-links/{token}": PROOF,
  "GET /custom-fields/imports/{id}/outcomes":
    "File,Line,Outcome,Reason,Applied,Source device ID,Hostname,Device,Device ID,Rack,Rack (outcome)\r\n",
  "GET /custom-fields/imports/{id}/rejected": "Computer,Rack,Not applied because\r\nWS-999,B4,No device\r\n",
  "GET /custom-fields/imports/{id}/other-scopes": "Title,Scope,Type,Options,Section\r\n",
};

/** Start of a streamed answer of one media type; undefined for binary ones. */
export const streamExample = (operation: string, type: string): string | undefined =>
  BY_OPERATION[operation] ?? BY_TYPE[type];
