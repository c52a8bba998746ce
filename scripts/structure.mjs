// Structure check of `npm run check`: import paths, directions between rooms, and cycles. Not dependency-cruiser, which
// cannot read TSX with TypeScript 7; uses knip's parser.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { PACKAGES, ROOMS, RUN_TIME } from "./rooms.mjs";

const ENDINGS = ["", ".ts", ".tsx", ".mjs", "/index.ts", "/index.tsx"];

const SOURCE = /\.(tsx?|mjs)$/;
const COMMENTS = String.raw`(?:\s|/\*.*?\*/)*`;
const DYNAMIC = new RegExp(String.raw`\bimport\(${COMMENTS}(?:"([^"]+)"|'([^']+)'|\x60([^\x60$]+)\x60|(?=\S))`, "g");

/** Modules named in a text, in order, including types. Modules known only at run time have no value. */
function requestsOf(path, text) {
  const { module, comments } = parseSync(path, text);
  const named = [
    ...module.staticImports.map((statement) => statement.moduleRequest),
    ...module.staticExports.flatMap((statement) => statement.entries.slice(0, 1).map((entry) => entry.moduleRequest)),
  ].filter(Boolean);
  // By pattern, because to the parser import("./x").T is a type instead of an import.
  const dynamic = [...text.matchAll(DYNAMIC)]
    .filter(({ index }) => !comments.some(({ start, end }) => start <= index && index < end))
    .map(({ index, 1: double, 2: single, 3: template }) => ({ value: double ?? single ?? template, start: index }));
  return [...named, ...dynamic].sort((a, b) => a.start - b.start);
}

/** Imports of the files: `{ from, line, specifier, to }`; `to` is a path, or undefined for a package. */
function importsOf(files) {
  const resolve = (from, specifier) => {
    if (!/^(@\/|\.)/.test(specifier ?? "")) return undefined;
    const path = specifier.startsWith("@/") ? specifier.slice(2) : posix.join(posix.dirname(from), specifier);
    return path + (ENDINGS.find((ending) => files.has(path + ending)) ?? "");
  };
  return [...files]
    .filter(([path]) => SOURCE.test(path))
    .flatMap(([from, text]) =>
      requestsOf(from, text).map(({ value: specifier, start }) => ({
        from,
        line: text.slice(0, start).split("\n").length,
        specifier,
        to: resolve(from, specifier),
      })),
    );
}

/** Room of a path: its entry, and a distinguishing name. */
function roomOf(path) {
  const entry = ROOMS.find(({ files }) => files.test(path));
  return entry && { ...entry, id: entry.each ? path.match(entry.files)[0].slice(0, -1) : entry.name };
}

const UNREAD = /\/[^/]+\.([cm]ts|c?js|jsx)$/;
const NO_ROOMS = /(^|\/)(lib|utils|helpers|hooks|types|services)\//;

function fileNames(files) {
  return [...files.keys()].flatMap((path) => [
    ...(UNREAD.test(path) ? [`${path} is read by no check. Sources end in .ts, .tsx or .mjs.`] : []),
    ...(NO_ROOMS.test(path) ? [`${path} stands in a folder that says nothing. Name it by what is in it.`] : []),
  ]);
}

function aliasStyle({ from, specifier, to }) {
  if (specifier === undefined)
    return RUN_TIME.test(from) ? undefined : "Write the path itself: what is imported has to be known before it runs.";
  if (specifier.startsWith("/")) return "Write @/… for what is not in or below this folder.";
  if (/(^|\/)\.\.(\/|$)/.test(specifier)) return "Write @/… for what is not in or below this folder.";
  if (specifier.startsWith("@/") && to.startsWith(`${posix.dirname(from)}/`)) return "Write ./… in and below a folder.";
}

function arrow({ from, specifier, to }) {
  if (to === undefined)
    return PACKAGES.find((rule) => rule.files.test(from) && rule.packages.test(specifier ?? ""))?.instead;
  const [source, target] = [roomOf(from), roomOf(to)];
  if (!source || !target) return `${source ? to : from} stands in no room: give it one in scripts/rooms.mjs.`;
  return source.id === target.id || source.may.includes(target.name) ? undefined : source.instead;
}

/** Cycles of a graph `node → set of nodes`, each as a closed walk. Consumes the graph. */
function circles(graph) {
  const found = [];
  for (;;) {
    for (let before = -1; before !== graph.size; ) {
      before = graph.size;
      for (const [node, next] of graph) {
        for (const one of next) if (!graph.has(one)) next.delete(one);
        if (next.size === 0) graph.delete(node);
      }
    }
    if (graph.size === 0) return found;
    const walk = [graph.keys().next().value];
    let [next] = graph.get(walk[0]);
    for (; !walk.includes(next); [next] = graph.get(next)) walk.push(next);
    const circle = walk.slice(walk.indexOf(next));
    graph.get(circle.at(-1)).delete(next);
    found.push([...circle, next].join(" → "));
  }
}

function graphOf(pairs) {
  const graph = new Map();
  for (const [from, to] of pairs) if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

/**
 * An import as an arrow between sibling rooms. A room is a folder or a file beside it, so cycles through loose files
 * count.
 */
function sideBySide({ from, to }) {
  const [source, target] = [from, to].map((path) => path.split("/"));
  const depth = source.findIndex((name, i) => name !== target[i]);
  if (depth < 1 || roomOf(from)?.name === "test") return [];
  return [[source, target].map((names) => names.slice(0, depth + 1).join("/"))];
}

/**
 * @param files path from the root → text (empty for non-sources)
 * @returns one line per violation: the place, and the advice.
 */
export function violationsIn(files) {
  const imports = importsOf(files);
  const own = imports.filter(({ to }) => files.has(to));
  return [
    ...fileNames(files),
    ...imports.flatMap((one) =>
      [aliasStyle(one), arrow(one)]
        .filter(Boolean)
        .map((instead) => `${one.from}:${one.line} imports ${one.specifier ?? "what an expression says"}. ${instead}`),
    ),
    ...circles(graphOf(own.flatMap(sideBySide))).map(
      (circle) => `Rooms import each other in a circle: ${circle}. Move what they share into a room below both.`,
    ),
  ];
}

/** Files of the checkout known to git, or not ignored. */
function checkout() {
  const listed = execFileSync("git", [
    ...["-c", "safe.directory=*"],
    ...["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
  ]);
  const paths = listed
    .toString()
    .split("\0")
    .filter((path) => path !== "" && existsSync(path));
  return new Map(paths.map((path) => [path, SOURCE.test(path) ? readFileSync(path, "utf8") : ""]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = violationsIn(checkout());
  for (const line of found) process.stdout.write(`${line}\n`);
  if (found.length > 0) process.stdout.write(`\n${found.length} violations of the structure.\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
