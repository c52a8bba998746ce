import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { createInflateRaw } from "node:zlib";
import { MAX_WORKBOOK_BYTES } from "@/server/custom-fields/import/schema";
import { AppError } from "@/server/errors";
import { badFile } from "./bad-file";

/** One member of a ZIP archive (APPNOTE 4.3.12): where it lies and how large it is, packed and unpacked. */
export type ZipEntry = { name: string; method: number; packed: number; size: number; offset: number };

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const TAIL_BYTES = 66_000;
const LOCAL_HEADER = 30;

async function bytesAt(path: string, start: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function directoryOf(path: string): Promise<Buffer> {
  const file = await open(path);
  const { size } = await file.stat().finally(() => file.close());
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = await bytesAt(path, from, size - from);
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== END_OF_DIRECTORY) at--;
  if (at < 0) throw badFile("is not a workbook (it has no ZIP directory)");
  const [length, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (start + length > size) throw badFile("is a damaged workbook");
  return bytesAt(path, start, length);
}

/**
 * The members of an archive by name, from its directory; nothing is unpacked for that.
 * @throws AppError payload_too_large when they say that they unpack to more than is taken; validation_failed for no archive.
 */
export async function readDirectory(path: string): Promise<Map<string, ZipEntry>> {
  const directory = await directoryOf(path);
  const entries = new Map<string, ZipEntry>();
  let sum = 0;
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + 46, at + 46 + nameLength);
    const size = directory.readUInt32LE(at + 24);
    const [method, packed, offset] = [
      directory.readUInt16LE(at + 10),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 42),
    ];
    entries.set(name, { name, method, packed, size, offset });
    sum += size;
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  if (sum > MAX_WORKBOOK_BYTES)
    throw new AppError("payload_too_large", "The workbook unpacks to over 500 MiB; save it as CSV.");
  return entries;
}

/** A member as text, a piece at a time; one that unpacks to more than the directory says is given up. */
export async function* readMember(path: string, entry: ZipEntry): AsyncGenerator<string> {
  const header = await bytesAt(path, entry.offset, LOCAL_HEADER);
  if (header.length < LOCAL_HEADER || (entry.method !== 0 && entry.method !== 8))
    throw badFile("is a damaged workbook");
  const start = entry.offset + LOCAL_HEADER + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.packed === 0) return;
  const raw = createReadStream(path, { start, end: start + entry.packed - 1, highWaterMark: 128 * 1024 });
  const source = entry.method === 8 ? raw.pipe(createInflateRaw()) : raw;
  raw.once("error", (error) => source.destroy(error));
  const decoder = new StringDecoder("utf8");
  let size = 0;
  try {
    for await (const chunk of source) {
      size += (chunk as Buffer).length;
      if (size > entry.size) throw badFile("is a damaged workbook");
      yield decoder.write(chunk as Buffer);
    }
    yield decoder.end();
  } catch (error) {
    if (/^Z_/.test(String((error as { code?: unknown }).code))) throw badFile("is a damaged workbook");
    throw error;
  } finally {
    source.destroy();
    raw.destroy();
  }
}
