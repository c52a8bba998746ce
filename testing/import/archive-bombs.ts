import { deflateRawSync } from "node:zlib";
import { toZip } from "./files";
import { type SlowFile, workbook } from "./slow-files";

/** Workbooks with malicious archives: members far larger than the file, or than declared. */

const MIB = 1024 * 1024;
const LOCAL_NAME_LENGTH = 26;
const DIRECTORY_MARK = "PK\x01\x02";
/** Offset of the unpacked size in a directory record, and in a member's header. */
const SIZE_IN_DIRECTORY = 24;
const UNKNOWN_SIZE = 0xffff_ffff;

/** A deflate stream of "A"s: a repeated block of a megabyte, which takes no memory. */
function endlessLetters(mebibytes: number): Buffer {
  // A full flush makes each block self-contained and not the last.
  const block = deflateRawSync(Buffer.alloc(MIB, "A"), { finishFlush: 3 });
  const last = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([...Array.from({ length: mebibytes }, () => block), last]);
}

/** Replaces the sheet's packed bytes; the directory keeps the old size. */
function withSheet(packed: Buffer): Buffer {
  const name = "xl/worksheets/sheet1.xml";
  const whole = workbook({ [name]: "<worksheet/>" });
  const directory = whole.indexOf(DIRECTORY_MARK);
  const header = whole.indexOf(name) - 30;
  const data = header + 30 + whole.readUInt16LE(header + LOCAL_NAME_LENGTH);
  const length = whole.readUInt32LE(header + 18);
  const grown = packed.length - length;
  const result = Buffer.concat([whole.subarray(0, data), packed, whole.subarray(data + length)]);
  result.writeUInt32LE(packed.length, header + 18);
  const record = result.lastIndexOf(name) - 46;
  result.writeUInt32LE(packed.length, record + 20);
  const end = result.length - 22;
  result.writeUInt32LE(directory + grown, end + 16);
  return result;
}

/** Claims a missing ZIP64 record with the size of every member. */
function withoutSizes(whole: Buffer): Buffer {
  const result = Buffer.from(whole);
  for (let at = result.indexOf(DIRECTORY_MARK); at >= 0; at = result.indexOf(DIRECTORY_MARK, at + 4))
    result.writeUInt32LE(UNKNOWN_SIZE, at + SIZE_IN_DIRECTORY);
  return result;
}

/** Each directory entry is the first member again: few bytes, unpacked many times. */
function overlapping(members: number): Buffer {
  const whole = toZip(Object.fromEntries(Array.from({ length: members }, (_, i) => [`xl/worksheets/${i}.xml`, "A"])));
  for (let at = whole.indexOf(DIRECTORY_MARK); at >= 0; at = whole.indexOf(DIRECTORY_MARK, at + 4))
    whole.writeUInt32LE(0, at + 42);
  return whole;
}

const sheets = (count: number): Record<string, string> => {
  const names = Array.from({ length: count }, (_, i) => `<sheet name="S${i}" r:id="r${i}"/>`).join("");
  const targets = Array.from(
    { length: count },
    (_, i) => `<Relationship Id="r${i}" Target="worksheets/sheet1.xml"/>`,
  ).join("");
  return {
    "xl/workbook.xml": `<workbook><sheets>${names}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${targets}</Relationships>`,
  };
};

/** Nested archives, the innermost with a workbook. */
function nested(depth: number): Buffer {
  let inner = workbook({});
  for (let i = 0; i < depth; i++) inner = toZip({ "xl/workbook.xml": inner.toString("latin1") });
  return inner;
}

export const ARCHIVE_BOMBS: readonly SlowFile[] = [
  { name: "gigabytes of one letter in a sheet", build: (n) => withSheet(endlessLetters(1024 * n)) },
  { name: "a sheet whose size nobody tells", build: (n) => withoutSizes(withSheet(endlessLetters(100 * n))) },
  { name: "sheets by the hundred thousand", build: (n) => workbook(sheets(100_000 * n)) },
  { name: "members that are one", build: (n) => overlapping(1_000 * n) },
  { name: "an archive in archives", build: (n) => nested(5 * n) },
  {
    name: "strings by the hundred thousand",
    build: (n) => workbook({ "xl/sharedStrings.xml": `<sst>${"<si><t/></si>".repeat(100_000 * n)}</sst>` }),
  },
  {
    name: "entities of entities",
    build: (n) =>
      workbook({
        "xl/sharedStrings.xml": `<!DOCTYPE sst [<!ENTITY a "${"lol".repeat(1_000)}">${Array.from(
          { length: n },
          (_, i) => `<!ENTITY a${i} "${`&a${i || ""};`.repeat(10)}">`,
        ).join("")}]><sst><si><t>&a${n - 1};</t></si></sst>`,
      }),
  },
];
