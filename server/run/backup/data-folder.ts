import { existsSync, readdirSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { env } from "@/server/ground/env";
import type { ArchiveWriter, Member } from "./archive";
import { DATA } from "./manifest";
import type { KeyFile } from "./sealed-keys";

/** Parts of the data folder in a backup: waiting events, and everything signed. */
const FOLDERS = ["spool", "checkpoints"] as const;

/** Secrets of the data folder and the file of TRAILMARK_SIGNING_KEY_FILE, under its name in the folder. */
export function keyFiles(): KeyFile[] {
  const { TRAILMARK_DATA_DIR: dir, TRAILMARK_SIGNING_KEY_FILE: given } = env();
  const names = ["nextauth-secret", ...filesBelow(dir, "keys")];
  const found = names.filter((name) => existsSync(join(dir, name)));
  const files = found.map((name) => ({ name, content: readFileSync(join(dir, name)).toString("base64") }));
  if (!given) return files;
  const signing = "keys/checkpoint-ed25519.pem";
  return [
    ...files.filter(({ name }) => name !== signing),
    { name: signing, content: readFileSync(given).toString("base64") },
  ];
}

/** Names of files below a data subfolder, with slashes. */
function filesBelow(dir: string, folder: string): string[] {
  const top = join(dir, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dir.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

/** Adds spool and checkpoints; files removed during the copy (written spool segments) are omitted. */
export async function addDataFolder(archive: ArchiveWriter): Promise<Member[]> {
  const dir = env().TRAILMARK_DATA_DIR;
  const members: Member[] = [];
  for (const name of FOLDERS.flatMap((folder) => filesBelow(dir, folder))) {
    // Opened first, so that it cannot vanish or be replaced.
    const file = await open(join(dir, name)).catch(() => null);
    if (!file) continue;
    try {
      const { size } = await file.stat();
      members.push(await archive.add(`${DATA}${name}`, size, file.createReadStream({ autoClose: false })));
    } finally {
      await file.close();
    }
  }
  return members;
}
