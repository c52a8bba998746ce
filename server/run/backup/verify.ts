import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { invalidInput } from "@/server/ground/errors";
import { BackupError, type Member, readArchive } from "./archive";
import { MANIFEST, type Manifest, manifest } from "./manifest";

/** Names allowed in a backup, which must not leave its folder. Spool names have their process and a tilde. */
const SAFE_NAME = /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.@+~-]+(\/[\w.@+~-]+)*\/?$/;
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

function parseManifest(file: string, json: string): Manifest {
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch {
    throw new BackupError(`${file} is damaged: its manifest is not JSON.`);
  }
  const parsed = manifest.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new BackupError(
    `${file} has a manifest that this version does not read: ${invalidInput(parsed.error).message}`,
  );
}

const namedBy = (members: readonly Member[]): Map<string, Member> => new Map(members.map((m) => [m.name, m]));

function compare(file: string, found: readonly Member[], expected: readonly Member[]): void {
  const there = namedBy(found);
  for (const { name, size, sha256 } of expected) {
    const member = there.get(name);
    if (!member) throw new BackupError(`${file} is damaged: ${name} is missing.`);
    if (member.size !== size || member.sha256 !== sha256)
      throw new BackupError(`${file} is damaged: ${name} is not what its manifest says.`);
  }
  if (there.size !== expected.length || found.length !== expected.length)
    throw new BackupError(`${file} holds files that its manifest does not name.`);
}

/**
 * Reads a backup and checks every file against the manifest's checksum, and its name against the restore rules, so that
 * an unusable backup is reported at once.
 * @throws BackupError naming the damaged, missing, extra or disallowed file
 */
export async function verifyBackup(file: string): Promise<Manifest> {
  const found: Member[] = [];
  let recorded: Manifest | undefined;
  for await (const { name, size, body } of readArchive(file)) {
    if (recorded) throw new BackupError(`${file} holds files behind its manifest.`);
    if (!SAFE_NAME.test(name)) throw new BackupError(`${file} holds a file of a name that is not allowed: ${name}`);
    if (name === MANIFEST) {
      if (size > MAX_MANIFEST_BYTES) throw new BackupError(`${file} has a manifest of ${size} bytes.`);
      recorded = parseManifest(file, await text(body));
      continue;
    }
    const hash = createHash("sha256");
    for await (const part of body) hash.update(part);
    found.push({ name, size, sha256: hash.digest("hex") });
  }
  if (!recorded) throw new BackupError(`${file} has no manifest: it is cut off, or no backup of Trailmark.`);
  compare(file, found, recorded.members);
  return recorded;
}
