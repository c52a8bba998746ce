import { createWriteStream } from "node:fs";
import { mkdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { tenant } from "@/db/client";
import type { Ctx } from "@/server/ground/context";
import { isDiskFull, requireFreeDisk } from "@/server/ground/disk";
import { AppError, invalid } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { repairText } from "@/server/ground/text";
import { MAX_IMPORT_BYTES } from "./plan-schema";
import { findImport, importFolder, lockImport, requireIdle, type StoredFile, unread, updateImport } from "./record";
import { type UploadInput, uploadInput, uploadOutput } from "./schema";

const DISK_FULL =
  "The server's disk is full. Nothing of this part was kept; ask your operator to free space, then try again.";

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    (s) => s.size,
    () => 0,
  );

/** Passes `left` bytes on, and fails on more. */
function atMost(left: number): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      count += chunk.length;
      if (count > left) done(new AppError("payload_too_large", "More bytes arrived than the size of the file."));
      else done(null, chunk);
    },
  });
}

async function noteFile(
  ctx: Ctx,
  input: UploadInput,
  { path, complete }: Pick<StoredFile, "path" | "complete">,
): Promise<void> {
  await tenant(ctx.scope, async (tx) => {
    const found = await lockImport(tx, ctx, input.importId);
    requireIdle(found, "draft", "staged", "checked");
    if (input.fileNo > found.files.length) throw invalid("fileNo", "leaves a gap");
    const file: StoredFile = {
      name: repairText(input.name),
      size: input.size,
      complete,
      format: null,
      records: null,
      path,
    };
    const files = [...found.files];
    files[input.fileNo] = file;
    await updateImport(tx, found.id, { ...unread, files, updatedAt: ctx.now() });
  });
}

/**
 * Stores a streamed part of a file at its offset and truncates the rest, so that repeating a part is harmless.
 * @returns bytes of the file stored, and whether it is complete.
 * @throws AppError not_found, conflict, payload_too_large; validation_failed for an offset beyond what is there,
 * unavailable when the disk has no room for it.
 */
export const uploadPart = operation({
  permission: "custom_fields:import",
  input: uploadInput,
  output: uploadOutput,
  waits: true,
  async run(ctx, input) {
    if (input.size > MAX_IMPORT_BYTES) throw new AppError("payload_too_large", "The file is over 100 MiB.");
    const path = join(importFolder(input.importId), String(input.fileNo));
    const before = await tenant(ctx.scope, (tx) => findImport(tx, ctx, input.importId));
    requireIdle(before, "draft", "staged", "checked");
    if (input.fileNo > before.files.length) throw invalid("fileNo", "leaves a gap");
    await mkdir(importFolder(input.importId), { recursive: true, mode: 0o700 });
    await requireFreeDisk(importFolder(input.importId), DISK_FULL, input.size - input.offset);
    if ((await sizeOf(path)) < input.offset) throw invalid("offset", "is beyond what has arrived");
    // Marks a replaced file as incomplete, so that no reader gets a partial file.
    if (before.files[input.fileNo]?.complete) await noteFile(ctx, input, { path, complete: false });
    if (input.offset > 0) await truncate(path, input.offset);
    const target = createWriteStream(path, { flags: input.offset > 0 ? "a" : "w", mode: 0o600 });
    await pipeline(ctx.bytes ?? [], atMost(input.size - input.offset), target).catch((error: unknown) => {
      throw isDiskFull(error) ? new AppError("unavailable", DISK_FULL) : error;
    });
    const received = await sizeOf(path);
    const complete = received === input.size;
    await noteFile(ctx, input, { path, complete });
    return { received, complete };
  },
});
