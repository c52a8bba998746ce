import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import iconv from "iconv-lite";
import { itemAt } from "@/server/ground/records";
import { createRandom } from "@/testing/world/random";

/** Files as exported by products, for tests and the benchmark, from a fixed seed. */

export const AUTOMATE_HEADER = [
  "Computer ID, Computer Name, Client Name, Location Name, Serial Number, Backup Enabled, Exclude From Patching, Asset Tag",
  "Server Role, Warranty End, Rack Units, BitLocker Recovery Key, Notes, Primary User, Purchase Date",
].flatMap((titles) => titles.split(", "));

const ROLES = ["Domain Controller", "File Server", "SQL Server", "Terminal Server", ""];
const USERS = ["Zoë Brüning", "José Núñez", "Anna Smith", "Łukasz Żak", "O'Brien, Pat"];

/** Row of the Automate extra data view for computer number n. */
export function automateRow(n: number, random: () => number = createRandom(n).next): string[] {
  const pick = <T>(list: readonly T[]): T => itemAt(list, Math.floor(random() * list.length));
  const day = 1 + Math.floor(random() * 28);
  const month = 1 + Math.floor(random() * 12);
  return [
    String(n),
    `WS-${String(n).padStart(6, "0")}`,
    `Client ${1 + (n % 7)}`,
    "Main",
    n % 11 === 0 ? "To be filled by O.E.M." : `SN${1_000_000 + n}`,
    random() < 0.7 ? "1" : "0",
    random() < 0.1 ? "1" : "0",
    random() < 0.8 ? `AT-${String(n).padStart(5, "0")}` : "NULL",
    pick(ROLES),
    `${month}/${day}/${2024 + Math.floor(random() * 5)} 12:00:00 AM`,
    String(1 + Math.floor(random() * 8)),
    `${Math.floor(random() * 1e6)}-${Math.floor(random() * 1e6)}`,
    n % 13 === 0 ? `Line one, with "quotes"\nline two of ${n}` : "",
    pick(USERS),
    `${2018 + Math.floor(random() * 7)}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`,
  ];
}

const quote = (cell: string, delimiter: string): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;

export const toCsv = (rows: readonly (readonly string[])[], delimiter = ",", newline = "\r\n"): string =>
  rows.map((row) => row.map((cell) => quote(cell, delimiter)).join(delimiter)).join(newline) + newline;

/** Wide export of `count` computers. */
export const automateCsv = (count: number, delimiter = ","): string =>
  toCsv([AUTOMATE_HEADER, ...Array.from({ length: count }, (_, i) => automateRow(i + 1))], delimiter);

export type TextVariant = { encoding: string; bom?: boolean; gzip?: boolean };

export function encodeText(text: string, { encoding, bom, gzip }: TextVariant): Buffer {
  const bytes = iconv.encode(text, encoding, { addBOM: bom ?? false });
  return gzip ? gzipSync(bytes) : bytes;
}

/** One entry of Computers/{id}/ExtraFields. */
export const extraField = (title: string, settings: object, over: object = {}): object => ({
  ExtraFieldDefinitionId: `${title.length}`,
  Title: title,
  Section: "General",
  IsReadOnly: false,
  IsEncrypted: false,
  IsDefaultValue: false,
  ...settings,
  ...over,
});

const xml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] as string);

type Members = Record<string, string | Buffer>;

/** A ZIP archive of deflated members; `packed` has deflate streams that replace theirs. */
export function toZip(members: Members, packed: Record<string, Buffer> = {}): Buffer {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(members)) {
    const data = typeof text === "string" ? Buffer.from(text) : text;
    const stream = packed[name] ?? deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(stream.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(offset, 12);
    local.push(Buffer.from("PK\x03\x04"), common, Buffer.from(name), stream);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), common, entry.subarray(2), Buffer.from(name));
    offset += 30 + name.length + stream.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(local.length / 4, 8);
  end.writeUInt16LE(local.length / 4, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...directory, end]);
}

const NS = "http://schemas.openxmlformats.org";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const override = (part: string, type: string) =>
  `<Override PartName="/xl/${part}.xml" ContentType="${TYPE}.${type}+xml"/>`;

/** Members of a valid workbook, any of them replaced. */
export const workbook = (members: Members, packed?: Record<string, Buffer>): Buffer =>
  toZip(
    {
      "[Content_Types].xml": `<Types xmlns="${NS}/package/2006/content-types">${override("workbook", "sheet.main")}${override("worksheets/sheet1", "worksheet")}${override("sharedStrings", "sharedStrings")}${override("styles", "styles")}</Types>`,
      "xl/workbook.xml": `<workbook xmlns="${NS}/spreadsheetml/2006/main"><sheets><sheet name="Sheet1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="${NS}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      "xl/styles.xml": "<styleSheet><fills><fill/></fills></styleSheet>",
      "xl/sharedStrings.xml": "<sst/>",
      "xl/worksheets/sheet1.xml": "<worksheet><sheetData/></worksheet>",
      ...members,
    },
    packed,
  );

/** An OpenDocument workbook: its body, and what stands before that. */
export const openDocument = (tables: string, before = "", manifest = ""): Buffer =>
  toZip({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": `<manifest:manifest>${manifest}</manifest:manifest>`,
    "content.xml": `<office:document-content>${before}<office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
  });

/** A workbook with one sheet; numeric-looking cells are numbers. */
export function toXlsx(rows: readonly (readonly string[])[]): Buffer {
  const cell = (text: string): string => {
    if (text === "") return "<c/>";
    if (/^-?\d+(\.\d+)?$/.test(text)) return `<c><v>${text}</v></c>`;
    return `<c t="inlineStr"><is><t xml:space="preserve">${xml(text)}</t></is></c>`;
  };
  const sheet = rows.map((row) => `<row>${row.map(cell).join("")}</row>`).join("");
  return workbook({ "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>` });
}
