import { describe, expect, it } from "vitest";
import { reader } from "@/testing/import/reader";
import { IDENTIFIERS } from "./plan-schema";
import { presetOf } from "./presets";
import { identifierOf } from "./read/table-shape";

/** The filled cells of each record by title. */
async function read(source: string, content: unknown) {
  const { format, titles, rows } = await reader(source)(
    typeof content === "string" ? content : JSON.stringify(content),
  );
  const filled = rows.map((cells) => Object.fromEntries(cells.flatMap((cell, i) => (cell ? [[titles[i], cell]] : []))));
  return { shape: format.shape, titles, rows: filled };
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
