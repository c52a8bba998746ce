import { StringDecoder } from "node:string_decoder";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { MAX_WORKBOOK_BYTES } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";

/** Members of one archive; a workbook has a handful. */
const MAX_MEMBERS = 10_000;

/** An open ZIP archive: its members by name. Nothing is unpacked before a member is read. */
export type Archive = {
  has: (name: string) => boolean;
  /**
   * A member as text, a piece at a time (nothing for a name that is not there). At most `maxBytes` are unpacked, and
   * never more than the archive's directory declares.
   */
  read: (name: string, maxBytes?: number) => AsyncGenerator<string>;
  close: () => void;
};

async function listMembers(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_MEMBERS) throw badFile(`is a workbook of over ${MAX_MEMBERS} parts`);
  const members = new Map<string, Entry>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += entry.uncompressedSize;
    if (bytes > MAX_WORKBOOK_BYTES)
      throw new AppError("payload_too_large", "The workbook unpacks to over 500 MiB; save it as CSV.");
    // Programs differ in which of the two they read.
    if (members.has(entry.fileName))
      throw badFile("is a workbook with two parts of one name: open it in Excel and save it again");
    members.set(entry.fileName, entry);
  }
  return members;
}

/** yauzl's and zlib's own errors mean that the file is not what it claims to be. */
const damaged = (error: unknown): unknown =>
  error instanceof AppError ? error : badFile("is a damaged workbook: open it in Excel and save it again");

async function* readMember(zip: ZipFile, entry: Entry | undefined, maxBytes: number): AsyncGenerator<string> {
  if (!entry) return;
  if (entry.uncompressedSize > maxBytes)
    throw new AppError("payload_too_large", "A part of the workbook is too large.");
  try {
    const decoder = new StringDecoder("utf8");
    let sum = 0;
    const bytes: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const chunk of bytes) {
      sum = crc32(chunk, sum);
      yield decoder.write(chunk);
    }
    // Nothing else notices a byte that was changed on the way: packed values would be read as others.
    if (sum !== entry.crc32) throw new Error("the checksum is another");
    yield decoder.end();
  } catch (error) {
    throw damaged(error);
  }
}

/**
 * Opens an archive by its directory.
 * @throws AppError payload_too_large when the members unpack to more than is accepted; validation_failed for no archive.
 */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openPromise(path, { autoClose: false }).catch(() => {
    throw badFile("is a damaged workbook or archive (its end is missing): export or download it again");
  });
  try {
    const members = await listMembers(zip);
    return {
      has: (name) => members.has(name),
      read: (name, maxBytes = MAX_WORKBOOK_BYTES) => readMember(zip, members.get(name), maxBytes),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw damaged(error);
  }
}
