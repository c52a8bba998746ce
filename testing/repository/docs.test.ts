import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { FILTER_NAMES } from "@/server/audit/query/catalogue";
import { includesPermission, PERMISSIONS, type Permission, ROLE_PERMISSIONS } from "@/server/ground/permissions";

const GUIDES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

it.each(GUIDES)("%s links to existing files", (guide) => {
  const links = [...readFileSync(guide, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target = ""]) => target,
  );
  expect(links.filter((target) => !existsSync(join(dirname(guide), target)))).toEqual([]);
});

/** The anchors of a page's headings, as forges make them. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

it.each(GUIDES)("%s links to existing headings", (guide) => {
  const links = [...readFileSync(guide, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*\.md)?#([\w-]+)\)/g)];
  const wrong = links.filter(
    ([, page, anchor = ""]) => !anchorsOf(page ? join(dirname(guide), page) : guide).includes(anchor),
  );
  expect(wrong.map(([link]) => link)).toEqual([]);
});

it.each(GUIDES)("%s names existing files", (guide) => {
  const paths = [
    ...readFileSync(guide, "utf8").matchAll(
      /`((?:app|server|db|components|testing|scripts|e2e|docs|bench|agent|deploy)\/[^`*…<>\s]+)`/g,
    ),
  ];
  const named = paths.map(([, path = ""]) => path.replace(/[,:].*$/, ""));
  expect(named.filter((path) => !/NNNN|AREA|\.generated\./.test(path) && !existsSync(path))).toEqual([]);
});

it("walkthroughs name existing files and functions", () => {
  const rows = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/^\| `([^`]+\.tsx?)` \| ([^|]+) \|/gm)];
  const hops = rows.flatMap(([, file = "", names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => ({ file, name })),
  );
  expect(hops.length).toBeGreaterThan(30);
  const wrong = hops.filter(({ file, name }) => {
    const declared = new RegExp(`(function|const|async) ${name}\\b|^  ${name}\\(`, "m");
    return !existsSync(file) || !declared.test(readFileSync(file, "utf8"));
  });
  expect(wrong).toEqual([]);
});

it("the API guide lists every filter of the catalog", () => {
  const [, table = ""] = /^\| Parameter \| Entries \|\n((?:\|.*\n)+)/m.exec(readFileSync("docs/api.md", "utf8")) ?? [];
  const named = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(named).toEqual(expect.arrayContaining(FILTER_NAMES));
});

it("the permissions page lists every permission with its roles", () => {
  const rows = [...readFileSync("docs/permissions.md", "utf8").matchAll(/^\| `(\w+:\w+)` \| [^|]+ \| (.*) \|$/gm)];
  const shown = rows.map(([, name, cells = ""]) => [name, cells.split("|").map((cell) => cell.includes("●"))]);
  const roles = ["org_admin", "org_technician", "org_viewer", "partner_admin"] as const;
  const has = (name: Permission) => roles.map((role) => includesPermission(new Set(ROLE_PERMISSIONS[role]), name));
  expect(shown).toEqual(PERMISSIONS.map((name) => [name, has(name)]));
});

it("every decision is in the index, short, and has context, choice and cost", () => {
  const records = readdirSync(join("docs", "decisions"), { encoding: "utf8" }).filter((name) =>
    /^(?!README).*\.md$/.test(name),
  );
  expect(records.length).toBeGreaterThan(15);
  const index = readFileSync(join("docs", "decisions", "README.md"), "utf8");
  expect([...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name).sort()).toEqual(records.sort());
  const wrong = records.filter((name) => {
    const text = readFileSync(join("docs", "decisions", name), "utf8");
    const form = /^# .+\n\n## Context\n[\s\S]+\n## Choice\n[\s\S]+\n## Cost\n/;
    return !form.test(text) || text.split("\n").length > 30;
  });
  expect(wrong).toEqual([]);
});
