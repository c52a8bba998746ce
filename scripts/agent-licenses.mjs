import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LaunchError, ROOT } from "./run.mjs";

const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** Package folder of a bundled file below node_modules: "node_modules/zod", "node_modules/@scope/name". */
const packageOf = (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll("\\", "/"))?.[0];

/** License texts of a package. */
function textOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (texts.length === 0 && !license) throw new LaunchError(`${name} has no licence; nothing was built.`);
  return { title: `${name} ${version} (${license ?? "see below"})`, text: texts.join("\n\n") };
}

const part = ({ title, text }) => `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${text}\n`;

/**
 * Licenses of everything in the agent's programs: ours, of each package in the bundle, and Node's, which includes its
 * parts.
 * @param inputs files of the bundle, as named in esbuild's metafile
 * @param node the file with Node's license; version its version
 */
export function licenseText(inputs, { node, version }) {
  const folders = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  if (!existsSync(node)) throw new LaunchError(`Node's licence is not at ${node}; nothing was built.`);
  const parts = [
    { title: "Trailmark agent (Apache-2.0)", text: readFileSync(join(ROOT, "LICENSE"), "utf8").trim() },
    ...folders.map((folder) => textOf(join(ROOT, folder))),
    { title: `Node.js ${version} and its parts`, text: readFileSync(node, "utf8").trim() },
  ];
  return parts.map(part).join("\n");
}
