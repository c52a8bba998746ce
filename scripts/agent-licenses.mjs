import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LaunchError, ROOT } from "./run.mjs";

const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** The folder below node_modules that holds a bundled file's package: "node_modules/zod", "node_modules/@scope/name". */
const packageOf = (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll("\\", "/"))?.[0];

/** Texts that a package asks to be passed on. */
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
 * The licences of everything in the agent's programs: ours, of each package in the bundle, and Node's own text, which
 * holds those of its parts.
 * @param inputs files of the bundle, as esbuild's metafile names them
 * @param node the file with Node's licence; version its version
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
