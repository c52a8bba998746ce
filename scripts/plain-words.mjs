// Finds sentences of guides, test names and comments that read like a translated relative clause.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./run.mjs";

const START = /(?:^|[.!] |: )((?:What|Who|Whose|That which|One that|So many) [^?]*)$/;
const END = /\b(?:as such|of it|of (?:its|their|his|her) own)(?:[.;:]|$)/;

/** Exceptions, by some of their words: at most 20. */
const ALLOWED = [];

/** Prose of a guide: paragraphs, list items and table cells, without code. */
function proseOf(source) {
  const prose = source.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ""));
  return prose
    .split("\n")
    .flatMap((line, i) =>
      line.split("|").map((text) => ({ line: i + 1, text: text.trim().replace(/^(?:[-*>]|\d+\.) |\*\*/g, "") })),
    );
}

function namesOf(source) {
  return source.split("\n").flatMap((line, i) => {
    const [, , name] = /^\s*(?:it|test|describe)\b.*?\((["'`])(.+?)\1/.exec(line) ?? [];
    return name ? [{ line: i + 1, text: name.replace(/^./, (letter) => letter.toUpperCase()) }] : [];
  });
}

/** Comments of a program, line by line. */
const commentsOf = (source) =>
  source.split("\n").flatMap((line, i) => {
    const [, text] = /^\s*(?:\/\/|\/?\*+)\s?(.*?)\s*(?:\*\/)?$/.exec(line) ?? [];
    return text ? [{ line: i + 1, text }] : [];
  });

const READERS = [
  [/^(?!bench\/).*\.md$/, proseOf],
  [/\.(test|spec)\.tsx?$/, namesOf],
  // Folders without offending comments.
  [/^(agent|app|bench|components|db|scripts|server|testing)\/.*\.(tsx?|mjs)$/, commentsOf],
];

/** True if a text has an offending sentence. */
export const unclear = (text) =>
  text.split(/(?<=[.!]) /).some((sentence) => START.test(sentence) || END.test(sentence));

function offenders() {
  const git = ["-c", "safe.directory=*", "ls-files"];
  const files = execFileSync("git", git, { cwd: ROOT, encoding: "utf8" }).split("\n");
  return files.flatMap((path) => {
    const [, read] = READERS.find(([pattern]) => pattern.test(path)) ?? [];
    if (!read || !existsSync(join(ROOT, path))) return [];
    return read(readFileSync(join(ROOT, path), "utf8"))
      .filter(({ text }) => unclear(text) && !ALLOWED.some((words) => text.includes(words)))
      .map(({ line, text }) => `${path}:${line}: ${text}`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = offenders();
  for (const offender of found) console.error(offender);
  if (found.length > 0)
    console.error(`${found.length} sentences begin with What, Who, One that … or end in "of it": put a noun first.`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
