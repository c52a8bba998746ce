import { describe, expect, it } from "vitest";
import { listDefinitions } from "@/server/custom-fields/definitions";
import { listDeviceValues, toValueMap } from "@/server/custom-fields/values";
import type { Ctx } from "@/server/ground/context";
import { roles } from "@/testing/chain";
import { call, createOrg, ctxFor } from "@/testing/factories";
import {
  AUTOMATE_HEADER,
  automateCsv,
  automateRow,
  encodeText,
  extraField,
  toCsv,
  toXlsx,
} from "@/testing/import/files";
import { check, createDevices, createWorld, run, stageFiles, stageText, withFields } from "@/testing/import/imports";
import { getImport } from "./imports";
import { savePlan } from "./plan";
import type { ImportState } from "./schema";

/** Of all tables, those that hold a text in any of their rows. */
const tablesWith = (text: string) =>
  roles.owner.begin(async (tx) => {
    await tx`SELECT set_config('trailmark.scope', 'system', true)`;
    const found: string[] = [];
    for (const { name } of await tx`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`) {
      const rows = await tx`SELECT 1 FROM ${tx(name)} t WHERE strpos(t::text, ${text}) > 0 LIMIT 1`;
      if (rows.length > 0) found.push(name);
    }
    return found;
  });

/** Files as the products write them, all the way from the upload to the devices. */

const COMPUTERS = 40;
const numbers = Array.from({ length: COMPUTERS }, (_, i) => i + 1);
const rows = numbers.map((n) => automateRow(n));

/** Forty computers of seven clients, as the fixtures name them. */
async function arrange() {
  const world = await createWorld();
  const clients: string[] = [];
  for (let i = 1; i <= 7; i++) clients.push((await createOrg({ partnerId: world.partnerId, name: `Client ${i}` })).id);
  const given = numbers.map((n) => ({ orgId: clients[n % 7] as string, hostname: `ws-${String(n).padStart(6, "0")}` }));
  return { ...world, ids: await createDevices(world.partnerId, given), ctx: await ctxFor(world.admin) };
}

async function apply(ctx: Ctx, staged: ImportState): Promise<ImportState> {
  expect(staged.error).toBeNull();
  const checked = await check(ctx, staged.id);
  expect(checked.summary.check?.rows).toMatchObject({ matched_hostname: COMPUTERS });
  return run(ctx, staged.id);
}

async function heldBy(ctx: Ctx, id: string): Promise<Record<string, unknown>> {
  const held = Object.entries(toValueMap(await listDeviceValues.run(ctx, { id })));
  return Object.fromEntries(held.filter(([, value]) => value !== null));
}

/** "3/7/2025 12:00:00 AM" as a date of the calendar. */
function isoOf(text: string): string {
  const [month, day, year] = (text.split(" ")[0] as string).split("/");
  return `${year}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}`;
}

/** Expected values of computer n, copied from its row by hand. */
function expectedOf(n: number): Record<string, unknown> {
  const row = rows[n - 1] as string[];
  const texts = {
    asset_tag: row[7] === "NULL" ? "" : row[7],
    server_role: row[8],
    notes: row[12],
    primary_user: row[13],
  };
  return {
    backup_enabled: row[5] === "1",
    exclude_from_patching: row[6] === "1",
    warranty_end: isoOf(row[9] as string),
    rack_units: Number(row[10]),
    bit_locker_recovery_key: row[11],
    purchase_date: row[14],
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
  };
}

const long = toCsv([
  ["Computer ID", "Computer Name", "Client Name", "Field", "Value"],
  ...rows.flatMap((row) =>
    AUTOMATE_HEADER.slice(5).map((title, i) => [row[0], row[1], row[2], title, row[5 + i]] as string[]),
  ),
]);

describe("an Automate extra data export", () => {
  // Encodings, delimiters and compression are proven on the reader (read/read-file.test.ts).
  it.each<[string, string, string | Uint8Array]>([
    [
      "with semicolons, in UTF-16, gzipped",
      "export.csv.gz",
      encodeText(automateCsv(COMPUTERS, ";"), { encoding: "utf-16le", bom: true, gzip: true }),
    ],
    ["as a workbook", "export.xlsx", toXlsx([AUTOMATE_HEADER, ...rows])],
    ["as a long list", "long.csv", long],
  ])("is imported completely %s", async (_, name, content) => {
    const { ctx, ids } = await arrange();
    const staged = await stageText(ctx, content, name);
    const key = withFields(staged, { "BitLocker Recovery Key": { action: "create" } });
    expect(staged.plan).not.toEqual(key);
    await savePlan.run(ctx, { id: staged.id, plan: key });
    const done = await apply(ctx, staged);
    expect(done.summary.run).toMatchObject({ devices: COMPUTERS, recordedSourceIds: COMPUTERS });
    expect(done.summary.run?.readBack?.every(({ written, found }) => written === found)).toBe(true);
    for (const n of [1, 2, 13, 39]) expect(await heldBy(ctx, ids[n - 1] as string)).toEqual(expectedOf(n));
    expect(expectedOf(13).notes).toContain("\n");
  });
});

const dumpOf = (n: number) => ({
  Id: n,
  ComputerName: `WS-${String(n).padStart(6, "0")}`,
  Client: { Id: n % 7, Name: `Client ${1 + (n % 7)}` },
  ExtraFields: [
    extraField("Backup Enabled", { CheckboxSettings: { IsChecked: n % 2 === 0 } }),
    extraField("Server Role", {
      DropdownSettings: { Options: ["DC", "File", "SQL"], SelectedValue: n % 3 ? "DC" : "SQL" },
    }),
    extraField("Asset Tag", { TextFieldSettings: { Value: `AT-${n}` } }),
    extraField("Rack", { TextFieldSettings: { Value: "HQ" } }, { IsDefaultValue: n > 1 }),
    extraField("Site", {
      DropdownSettings: { AvailableOptions: { "1": "Main", "2": "Annex" }, SelectedValue: n % 2 ? "1" : "Annex" },
    }),
    extraField("Door Code", { TextFieldSettings: { Value: "********" } }, { IsEncrypted: true }),
    extraField("Admin account", { TextFieldSettings: { Value: `S3CRET-${n}`, IsMasked: true } }),
    extraField("VPN Gateway", { TextFieldSettings: { Value: "10.0.0.1" } }, { Scope: "Client" }),
    extraField("Floor", { DropdownSettings: { Options: ["1", "2"], SelectedValue: "1" } }, { Scope: "Location" }),
  ],
});

describe("a dump of Computers/{id}/ExtraFields", () => {
  it("imports types and choices, and skips default values, masked values and other scopes", async () => {
    const { ctx, ids, admin } = await arrange();
    const staged = await stageText(ctx, JSON.stringify(numbers.map(dumpOf)), "extra-fields.json");
    const planned = new Map(staged.plan?.fields.map((f) => [staged.columns[f.column]?.title, [f.action, f.type]]));
    expect(planned.get("Backup Enabled")).toEqual(["create", "boolean"]);
    expect(planned.get("Server Role")).toEqual(["create", "dropdown"]);
    expect(planned.get("Site")).toEqual(["create", "dropdown"]);
    for (const title of ["Door Code", "Admin account", "VPN Gateway", "Floor"])
      expect(planned.get(title)?.[0]).toBe("skip");
    expect(staged.columns.find(({ title }) => title === "Door Code")).toMatchObject({
      declared: { secret: true },
      samples: [],
    });
    expect(JSON.stringify(await getImport.run(ctx, staged))).not.toContain("S3CRET");
    expect(await tablesWith("S3CRET")).toContain("custom_field_import_rows");
    await apply(ctx, staged);
    // They were not chosen: once the import has run no table holds them any more.
    expect(await tablesWith("S3CRET")).toEqual([]);
    for (const list of ["outcomes", "rejected"])
      expect((await call(admin, `GET /custom-fields/imports/${staged.id}/${list}`)).text).not.toContain("S3CRET");
    expect(await heldBy(ctx, ids[0] as string)).toEqual({
      backup_enabled: false,
      site: "Main",
      server_role: "DC",
      asset_tag: "AT-1",
      rack: "HQ",
    });
    expect(await heldBy(ctx, ids[2] as string)).toEqual({
      backup_enabled: false,
      server_role: "SQL",
      site: "Main",
      asset_tag: "AT-3",
    });
    const role = (await listDefinitions.run(ctx, {})).data.find(({ fieldKey }) => fieldKey === "server_role");
    expect(role).toMatchObject({ owner: "all_organizations", options: ["DC", "File", "SQL"] });
    const others = await call(admin, `GET /custom-fields/imports/${staged.id}/other-scopes`);
    expect(others.text.replace("\ufeff", "").trim().split("\r\n")).toEqual([
      "Title,Scope,Type,Options,Section",
      "VPN Gateway,client,text,,General",
      "Floor,location,dropdown,1|2,General",
    ]);
  });
});

describe("a list of fields with a file of values", () => {
  const list = [
    ["Title", "Scope", "Type", "Options", "Is Encrypted"],
    [
      "Server Role",
      "Computer",
      "Dropdown",
      "Domain Controller|File Server|SQL Server|Terminal Server| File Server\u200b|Print Server|",
      "0",
    ],
    ["Rack Units", "Computer", "Text", "", "0"],
    ["BitLocker Recovery Key", "Computer", "Text", "", "1"],
    ["VPN Gateway", "Client", "Text", "", "0"],
    ["Floor", "Location", "Checkbox", "", "0"],
  ];
  const [titles = [], ...entries] = list;
  const json = entries.map((entry) =>
    Object.fromEntries(titles.map((title, i) => [title.replace(" ", ""), entry[i] === "1" ? true : entry[i]])),
  );
  it.each([
    ["CSV", "fields.csv", toCsv(list)],
    ["JSON", "fields.json", JSON.stringify(json)],
  ])("determines types, choices, secrets and scopes, as %s", async (_, name, content) => {
    const { ctx } = await arrange();
    const staged = await stageFiles(ctx, [
      { name, content },
      { name: "values.csv", content: automateCsv(COMPUTERS) },
    ]);
    const column = (title: string) => staged.columns.find((c) => c.title === title);
    const planned = (title: string) => staged.plan?.fields.find((f) => f.column === column(title)?.index);
    expect(planned("Server Role")).toMatchObject({
      action: "create",
      type: "dropdown",
      options: ["Domain Controller", "File Server", "SQL Server", "Terminal Server", "Print Server"],
    });
    expect(planned("Rack Units")).toMatchObject({ action: "create", type: "text" });
    expect(planned("BitLocker Recovery Key")).toMatchObject({ action: "skip", secret: true });
    expect(column("BitLocker Recovery Key")?.samples).toEqual([]);
    expect(planned("VPN Gateway")?.action).toBe("skip");
    expect(column("Floor")?.declared?.scope).toBe("location");
    expect((await apply(ctx, staged)).summary.run).toMatchObject({ devices: COMPUTERS });
  });
});
