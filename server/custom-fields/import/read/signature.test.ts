import { gzipSync } from "node:zlib";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { toCsv, toXlsx, toZip } from "@/testing/import/files";
import { reader } from "@/testing/import/reader";

const read = reader("generic_csv");

/** A compound file whose directory, in its first sector, names one stream. */
function ole(stream: string): Buffer {
  const file = Buffer.alloc(1024);
  file.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(0, 48);
  file.write(stream, 512, "utf16le");
  return file;
}

describe("a file of another type", () => {
  it.each<[string, Buffer | string, RegExp]>([
    ["a PNG", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), /picture \(PNG\)/],
    ["a JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xe0]), /picture \(JPEG\)/],
    ["a PDF", "%PDF-1.7\n", /PDF document: export/],
    ["an RTF document", "{\\rtf1 hello}", /RTF/],
    ["an encrypted workbook", ole("EncryptedPackage"), /protected with a password/],
    ["an old Word document", ole("WordDocument"), /old Word document/],
    ["a ZIP archive", toZip({ "a.csv": "x" }), /archive without a workbook: unpack it/],
    ["a Word document", toZip({ "word/document.xml": "<x/>" }), /a Word document/],
    ["a truncated workbook", toXlsx([["a"], ["b"]]).subarray(0, 300), /damaged/],
    ["a gzipped PDF", gzipSync("%PDF-1.7"), /gzipped, what is a PDF/],
    ["a gzipped workbook", gzipSync(toXlsx([["a"]])), /gzipped, a workbook/],
    ["an HTML table named .xls", "<html><body><table><tr><td>1</td></tr></table></body></html>", /web page \(HTML\)/],
    [
      "an Excel 2003 XML file",
      '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
      /Excel 2003 XML/,
    ],
    ["a DIF file", 'TABLE\r\n0,1\r\n"sheet"\r\nVECTORS\r\n0,2\r\n', /Data Interchange Format/],
    ["a SYLK file", 'ID;PWXL;N;E\r\nP;PGeneral\r\nC;Y1;X1;K"Computer ID"\r\n', /SYLK/],
    ["a single JSON number", "42", /single value, not a table/],
    ["blank lines", "\r\n\r\n   \r\n", /blank lines/],
    [
      "bytes of unknown type",
      Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 37) % 251)),
      /no text in an encoding/,
    ],
  ])("is rejected by name: %s", async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});

describe("text in another encoding", () => {
  it.each<[string, string, string]>([
    ["shift_jis", "東京支社の会計部門のサーバー、大阪営業所", "shift_jis"],
    ["gb18030", "北京分公司的文件服务器和打印机以及会计部门", "gb18030"],
    ["windows-1251", "Бухгалтерия и отдел продаж в Москве, сервер печати", "windows-1251"],
    ["windows-1252", "Zoë Brüning, José Núñez", "windows-1252"],
  ])("is detected as %s", async (encoding, text, expected) => {
    const rows = Array.from({ length: 20 }, (_, i) => [String(i), `PC${i}`, text]);
    const { format } = await read(iconv.encode(toCsv([["Computer ID", "Computer Name", "Note"], ...rows]), encoding));
    expect(format.encoding).toBe(expected);
  });
});

describe("a first row of values", () => {
  const rows = Array.from({ length: 5 }, (_, i) => [`WS-00${i}`, "Contoso", `AT-${i}`]);
  it("is reported as a doubtful header, with the reasons", async () => {
    expect((await read(toCsv(rows))).headerDoubts).toEqual([
      "WS-000 looks like 4 of the 4 values below it",
      "Contoso stands among the values below it",
      "AT-0 looks like 4 of the 4 values below it",
    ]);
  });
  it("is not reported if a title is known or no value below resembles it", async () => {
    expect((await read(toCsv([["Hostname", "Contoso", "AT"], ...rows]))).headerDoubts).toEqual([]);
    expect((await read(toCsv([["Which", "Whose", "Tag"], ...rows]))).headerDoubts).toEqual([]);
  });
});
