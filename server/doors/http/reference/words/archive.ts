import { entry, within } from "./audit";
import { EARLIER, ORG, THING, TIME } from "./samples";
import type { WordTable } from "./table";

/** Archived objects, and reading them back. */
export const ARCHIVE: WordTable[] = [
  {
    path: "/archive/objects",
    request: {
      id: ["Identifies the object", THING],
      "@query.orgId": "Only objects of this organization; by default of all that the caller reaches",
      "@query.from": "Only objects with entries at or after this time",
      "@query.to": "Only objects with entries at or before this time",
      "@query.fromSeq": "Only objects with entries at or after this sequence",
      "@query.toSeq": "Only objects with entries at or before this sequence",
    },
    response: {
      data: "The objects of the page, newest entries first",
      id: ["Identifies the object", THING],
      orgId: ["Whose entries it holds", ORG],
      streamId: ["The data stream that wrote it", THING],
      first: ["Sequence of its first entry", 1],
      last: ["Sequence of its last entry", 4_815],
      from: ["Time of its first entry", EARLIER],
      to: ["Time of its last entry", TIME],
      rows: ["Entries in it", 4_815],
      bytes: ["Its size as stored, compressed", 620_100],
      key: [
        "Its name in the bucket; the manifest stands beside it",
        `trailmark/org=${ORG}/2026/10/000000000001-000000004815.ndjson.gz`,
      ],
      digest: ["SHA-256 of its bytes, in hex", "9f86d081"],
      lock: ["Until when the store refuses to delete it; null without a lock", null],
      mode: ["Who may lift the lock: nobody (COMPLIANCE), or holders of a special right (GOVERNANCE)", "COMPLIANCE"],
      until: ["Until when the store refuses to delete it", TIME],
      state: ["intact, or damaged where the last reading found a fault", "intact"],
      fault: ["What the last reading found wrong; null where it is intact", null],
      checkedAt: ["When it was last read back and checked", TIME],
      inLog: ["Whether the log still has all of its entries", false],
      continues: ["Whether it begins where the object before it ends", true],
    },
  },
  {
    path: "/archive/restore",
    request: {
      "@query.orgId": "Only ranges of this organization; by default of all that the caller reaches",
      orgId: ["Whose entries; by default the caller's one organization", ORG],
      from: "Objects with entries at or after this time are read whole",
      to: "Objects with entries at or before this time are read whole",
      fromSeq: ["Sequence of the first entry, in place of a time", 1],
      toSeq: ["Sequence of the last entry, in place of a time", 4_815],
    },
    response: {
      data: "The ranges of the page, newest first",
      id: ["Identifies the restored range", THING],
      orgId: ["Whose entries these are", ORG],
      first: ["Sequence of its first entry", 1],
      last: ["Sequence of its last entry", 4_815],
      state: ["running, ready, or failed where an object is damaged or its store cannot be read", "ready"],
      rows: ["Entries that were restored; 0 before it is ready", 4_815],
      createdAt: ["When it was asked for", TIME],
      expiresAt: ["When it is removed", TIME],
    },
  },
  {
    path: "/archive/restore/{id}/entries",
    request: {
      id: ["Identifies the restored range", THING],
      q: "Only entries with this text in action, address, resource or details",
    },
    response: {
      restoration: "The restored range",
      data: "Its entries of the page, newest first",
      ...within("data", entry),
    },
  },
];
