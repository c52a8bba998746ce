import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LaunchError, run } from "./run.mjs";

/** Node in the executables: one LTS release that npm has for every platform. */
export const RUNTIME_VERSION = "24.21.0";

/**
 * Platforms of the executables: npm package, program in it, and digest of its archive, so that a compromised registry
 * cannot put another program into an agent.
 */
export const PLATFORMS = {
  "linux-x64": {
    program: "package/bin/node",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  "linux-arm64": {
    program: "package/bin/node",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  "win-x64": {
    program: "package/bin/node.exe",
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
};

const digestOf = (file) => `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;

/** License of Node and its parts: one text for all platforms, missing in npm's package for Windows. */
const LICENSE = "package/LICENSE";
const hasLicense = (platform) => platform.startsWith("linux-");
const LICENSED = "linux-x64";

const placeOf = (platform, folder) => join(folder, `${platform}-${RUNTIME_VERSION}`);

/**
 * Fetches Node's license to `folder`.
 * @returns the file's path
 */
export async function fetchLicense(folder) {
  await fetchRuntime(LICENSED, folder);
  return join(placeOf(LICENSED, folder), LICENSE);
}

/**
 * Fetches a platform's Node to `folder` from npm if missing.
 * @returns the program's path
 */
export async function fetchRuntime(platform, folder) {
  const { program, integrity } = PLATFORMS[platform];
  const place = placeOf(platform, folder);
  const found = join(place, program);
  const wanted = hasLicense(platform) ? [program, LICENSE] : [program];
  if (wanted.every((file) => existsSync(join(place, file)))) return found;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const name = `node-${platform}`;
  const shell = process.platform === "win32";
  const packed = await run("npm", ["pack", "--silent", `${name}@${RUNTIME_VERSION}`, "--pack-destination", place], {
    stdio: ["ignore", "ignore", "inherit"],
    shell,
  });
  if (packed !== 0) throw new LaunchError(`npm has not given ${name}@${RUNTIME_VERSION} (${packed}); see above.`);
  const archive = join(place, readdirSync(place)[0]);
  if (digestOf(archive) !== integrity) {
    rmSync(place, { recursive: true, force: true });
    throw new LaunchError(
      `${name}@${RUNTIME_VERSION} from npm has not the digest that is expected; nothing was built.`,
    );
  }
  const unpacked = await run("tar", ["-xzf", archive, "-C", place, ...wanted]);
  if (unpacked !== 0) throw new LaunchError(`${archive} cannot be unpacked (${unpacked}).`);
  rmSync(archive);
  return found;
}
