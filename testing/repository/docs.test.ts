import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { FILTER_NAMES } from "@/server/audit/query/catalogue";

const GUIDES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

it.each(GUIDES)("%s links to files that are there", (guide) => {
  const links = [...readFileSync(guide, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target = ""]) => target,
  );
  expect(links.filter((target) => !existsSync(join(dirname(guide), target)))).toEqual([]);
});

it.each(GUIDES)("%s names files of the tree as they are called", (guide) => {
  const paths = [
    ...readFileSync(guide, "utf8").matchAll(
      /`((?:app|server|db|components|testing|scripts|e2e|docs|bench|agent|deploy)\/[^`*…<>\s]+)`/g,
    ),
  ];
  const named = paths.map(([, path = ""]) => path.replace(/[,:].*$/, ""));
  expect(named.filter((path) => !/NNNN|AREA|\.generated\./.test(path) && !existsSync(path))).toEqual([]);
});

it.each(GUIDES)("%s asks curl for nothing that curl refuses: to resume a download under the server's name", (guide) => {
  const options = [...readFileSync(guide, "utf8").matchAll(/^.*\bcurl .*$/gm)].map(([line]) =>
    [...line.matchAll(/ -([a-zA-Z]+)/g)].map(([, letters]) => letters).join(""),
  );
  expect(options.filter((letters) => letters.includes("C") && letters.includes("J"))).toEqual([]);
});

it("the walks name files, and in each a function that it declares", () => {
  const hops = [...readFileSync("docs/walks.md", "utf8").matchAll(/^\| `([^`]+)` \| `(\w+)` \|/gm)];
  expect(hops.length).toBeGreaterThan(45);
  const wrong = hops.filter(([, file = "", name = ""]) => {
    const declared = new RegExp(`(function|const|async) ${name}\\b|^  ${name}\\(`, "m");
    return !existsSync(file) || !declared.test(readFileSync(file, "utf8"));
  });
  expect(wrong.map(([hop]) => hop)).toEqual([]);
});

it("the API guide's table of audit filters names every filter of the catalogue", () => {
  const [, table = ""] = /^\| Parameter \| Entries \|\n((?:\|.*\n)+)/m.exec(readFileSync("docs/api.md", "utf8")) ?? [];
  const named = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(named).toEqual(expect.arrayContaining(FILTER_NAMES));
});

it("every decision has a number, a date, a status and the three headings", () => {
  const records = readdirSync(join("docs", "decisions"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md"),
  );
  expect(records.length).toBeGreaterThan(20);
  const wrong = records.filter((path) => {
    const name = basename(path);
    const text = readFileSync(join("docs", "decisions", path), "utf8");
    const form =
      /^# \d{3}: .+\n\nDate: \d{4}-\d{2}-\d{2}[\s\S]*?Status: \w+[\s\S]*## Context[\s\S]*## Decision[\s\S]*## Consequences/;
    return !form.test(text) || !text.startsWith(`# ${name.slice(0, 3)}: `);
  });
  expect(wrong).toEqual([]);
});
