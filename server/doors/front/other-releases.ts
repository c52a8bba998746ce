import { existsSync, readdirSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";

const RELEASE = /^trailmark-\d/;
const ASSET = /^\/_next\/static\/((?:[\w~.-]+\/)*[\w~-][\w~.-]*\.(?:js|css|woff2))$/;
const TYPES: Record<string, string> = {
  ".js": "application/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

const read = (folder: string, path: string): Promise<Buffer | null> =>
  readFile(join(folder, ".next", "static", path)).catch(() => null);

/**
 * Scripts and styles of releases beside this one (…/trailmark-1.0.0-linux-x64), so that a page opened before an upgrade
 * still loads its parts. Names contain a content hash, so any release's file is right.
 * @param root this release's folder, or a link to it
 * @returns null if this release has the file itself, or none has it
 */
export async function assetOfOtherRelease(pathname: string, root = process.cwd()): Promise<Response | null> {
  const [, path] = ASSET.exec(pathname) ?? [];
  if (path === undefined || path.split("/").includes("..")) return null;
  const own = realpathSync(root);
  if (!RELEASE.test(basename(own)) || existsSync(join(own, ".next", "static", path))) return null;
  for (const name of readdirSync(dirname(own))) {
    const found = RELEASE.test(name) ? await read(join(dirname(own), name), path) : null;
    if (found)
      return new Response(new Uint8Array(found), {
        headers: {
          "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
          "Cache-Control": "public, max-age=31536000, immutable",
        },
      });
  }
  return null;
}
