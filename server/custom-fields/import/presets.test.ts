import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { IDENTIFIERS } from "./plan-schema";
import { presetOf } from "./presets";
import { detect } from "./read/detect-format";
import { readSource } from "./read/read-file";
import { identifierOf } from "./read/table-shape";

const path = join(tempFolder(), "file");

async function read(source: string, content: unknown) {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  const preset = presetOf(source);
  const { format } = await detect(path, preset);
  const { columns, records } = readSource(path, { format, preset });
  const rows: Record<string, string>[] = [];
  for await (const { cells } of records)
    rows.push(Object.fromEntries(cells.flatMap((cell, i) => (cell ? [[columns.titles[i] ?? "", cell]] : []))));
  return { shape: format.shape, titles: columns.titles, rows };
}

describe("exports of other products", () => {
  it.each([
    ["ninjaone", "Device ID,System Name,Organization,Serial Number,Rack"],
    ["datto_rmm", "Device UID,Device Hostname,Site Name,Serial Number,UDF 1"],
    ["n_central", "Device ID,Device Name,Customer,Serial Number,Rack"],
    ["kaseya_vsa", "Agent ID,Computer Name,Organization,Serial Number,Rack"],
    ["atera", "AgentID,MachineName,CustomerName,VendorSerialNumber,Rack"],
  ])("have recognized identifiers: %s", async (source, header) => {
    const { shape, titles } = await read(source, `${header}\n1,PC-01,Contoso,S1,A\n2,PC-02,Contoso,S2,B\n`);
    expect(shape).toBe("wide");
    expect(titles.map((title) => identifierOf(title, presetOf(source)))).toEqual([...IDENTIFIERS, undefined]);
  });

  it("Datto RMM and NinjaOne: reads nested fields", async () => {
    const datto = {
      pageDetails: { count: 1 },
      devices: [{ uid: "u1", hostname: "PC-01", udf: { udf1: "A", udf2: null } }],
    };
    expect(await read("datto_rmm", datto)).toMatchObject({
      titles: ["uid", "hostname", "udf1", "udf2"],
      rows: [{ uid: "u1", hostname: "PC-01", udf1: "A" }],
    });
    const ninja = { results: [{ deviceId: 7, fields: { rack: "R1", managed: true } }], cursor: { name: "x" } };
    expect((await read("ninjaone", ninja)).rows).toEqual([{ deviceId: "7", rack: "R1", managed: "true" }]);
  });

  it("Kaseya VSA, N-central and Atera: reads lists of named values", async () => {
    const kaseya = {
      TotalRecords: 1,
      Result: [{ AgentId: "9", ComputerName: "PC-01", CustomFields: [{ FieldName: "Rack", FieldValue: "R1" }] }],
    };
    expect((await read("kaseya_vsa", kaseya)).rows).toEqual([
      { "Source device ID": "9", Hostname: "PC-01", Rack: "R1" },
    ]);
    const central = {
      data: [{ deviceId: 5, longName: "PC-02", propertyName: "Rack", propertyType: "TEXT", value: "R2" }],
    };
    expect((await read("n_central", central)).rows).toEqual([
      { "Source device ID": "5", Hostname: "PC-02", Rack: "R2" },
    ]);
    const atera = [{ AgentID: 3, MachineName: "PC-03", FieldName: "Bought", ValueAsString: "2024-05-01" }];
    expect((await read("atera", atera)).rows).toEqual([
      { "Source device ID": "3", Hostname: "PC-03", Bought: "2024-05-01" },
    ]);
  });
});
