import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { roots, STEPS } from "./check.mjs";
import { violationsIn } from "./structure.mjs";

const check = (files: Record<string, string>) => violationsIn(new Map(Object.entries(files)));

/** What the check says to one file that imports another; both exist. */
function arrow(from: string, to: string): string[] {
  const module = to.replace(/\.tsx?$/, "");
  const below = to.startsWith(`${dirname(from)}/`);
  return check({ [from]: `import "${below ? `.${module.slice(dirname(from).length)}` : `@/${module}`}";`, [to]: "" });
}

describe("folders", () => {
  const filled = (folder: string, count: number) =>
    check(Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/file-${i}.css`, ""])));

  it("hold at most 30 files, tests included", () => {
    expect(filled("server/devices", 30)).toEqual([]);
    expect(filled("server/devices", 31)).toEqual([
      "server/devices/ has 31 files, more than 30. A room is missing: give it a folder.",
    ]);
  });

  it.each(["db/migrations/meta", "db/migrations"])("%s may be larger", (folder) =>
    expect(filled(folder, 31)).toEqual([]),
  );

  it.each([
    ["server/utils/text.ts", "stands in a folder that says nothing"],
    ["components/audit/hooks/use-row.ts", "stands in a folder that says nothing"],
    ["server/ids.js", "Sources end in .ts, .tsx or .mjs."],
    ["agent/main.mts", "Sources end in .ts, .tsx or .mjs."],
  ])("hold no %s", (path, said) => expect(check({ [path]: "" })).toEqual([expect.stringContaining(said)]));
});

describe("import paths", () => {
  it("never climb", () => {
    const files = { "server/users/list.ts": 'export * from "../ids";', "server/ids.ts": "" };
    expect(check(files)).toEqual([
      "server/users/list.ts:1 imports ../ids. Write @/… for what is not in or below this folder.",
    ]);
  });

  it("do not begin at the root of the disk", () => {
    expect(check({ "server/users/list.ts": 'import "/srv/ids";' })[0]).toContain("Write @/…");
  });

  it("are written out", () => {
    const text = "await import(name);\nawait import(`./$" + "{name}`);\nawait import(\n  /* later */ name,\n);";
    const found = check({ "server/users/list.ts": `${text} // as import(name) does` });
    expect(found.map((line) => line.split(" ")[0])).toEqual([1, 2, 3].map((line) => `server/users/list.ts:${line}`));
    expect(found[0]).toContain("imports what an expression says. Write the path itself");
    expect(check({ "server/process/main.ts": text })).toEqual([]);
  });

  it("are relative in and below a folder", () => {
    const files = {
      "server/users/list.ts": "\nimport type { A } from '@/server/users/find';",
      "server/users/find.ts": "",
    };
    expect(check(files)).toEqual([
      "server/users/list.ts:2 imports @/server/users/find. Write ./… in and below a folder.",
    ]);
  });
});

describe("rooms", () => {
  it.each([
    ["app/page.tsx", "db/client.ts", "Pages are bundled by Next"],
    ["app/page.tsx", "server/users/list.ts", "through app/trpc-server.tsx"],
    ["app/page.tsx", "testing/factories.ts", "Pages are bundled by Next"],
    ["app/api/v1/route.ts", "db/client.ts", "never the database"],
    ["components/query.ts", "server/users/list.ts", "components/trpc.tsx"],
    ["components/nav-items.ts", "server/trpc/root.ts", "components/trpc.tsx"],
    ["components/ui/section.tsx", "components/trpc.tsx", "The kit knows no domain"],
    ["components/format/time.ts", "components/ui/section.tsx", "format is below the kit"],
    ["components/ui/section.tsx", "components/audit/entry.ts", "The kit knows no domain"],
    ["components/audit/viewer.tsx", "components/frame/nav.tsx", "the frame and app stand above it"],
    ["components/audit/viewer.tsx", "server/audit/entries/list.ts", "isomorphic files of server/ alone"],
    ["components/frame/nav.tsx", "db/client.ts", "asks through tRPC"],
    ["components/audit/viewer.tsx", "app/page.tsx", "the frame and app stand above it"],
    ["db/client.ts", "server/ids.ts", "knows its env alone"],
    ["db/migrate.ts", "db/admin.ts", "db/admin.ts is for server/retention"],
    ["db/admin.ts", "server/ids.ts", "knows its env alone"],
    ["server/env.ts", "server/ids.ts", "imports nothing"],
    ["server/operation.ts", "server/users/list.ts", "below every room"],
    ["server/operation.ts", "testing/factories.ts", "below every room"],
    ["server/background/metrics.ts", "server/users/list.ts", "below the domains"],
    ["server/audit/details.ts", "server/audit/record/record.ts", "below its rooms"],
    ["server/audit/record/writer.ts", "server/audit/chain/append.ts", "In server/audit it goes record → chain → "],
    ["server/audit/chain/append.ts", "server/audit/query/count.ts", "record → chain"],
    ["server/audit/query/count.ts", "server/audit/entries/list.ts", "record → chain"],
    ["server/audit/entries/list.ts", "server/audit/integrity/status.ts", "record → chain"],
    ["server/audit/integrity/status.ts", "server/audit/tail/tail.ts", "record → chain"],
    ["server/audit/later/list.ts", "server/audit/record/record.ts", "AUDIT in scripts/rooms.mjs"],
    ["server/auth/sign-in.ts", "server/users/list.ts", "below the domains"],
    ["server/http/route.ts", "server/front/front.ts", "never the front"],
    ["server/trpc/users.ts", "app/page.tsx", "A door takes verbs"],
    ["server/front/front.ts", "app/page.tsx", "it knows no page"],
    ["server/process/main.ts", "app/page.tsx", "No page"],
    ["server/cli/main.ts", "testing/factories.ts", "A command calls verbs"],
    [
      "server/custom-fields/import/read/csv.ts",
      "server/custom-fields/import/run/apply.ts",
      "read → map → reader → decide → run",
    ],
    [
      "server/custom-fields/import/map/guess.ts",
      "server/custom-fields/import/plan.ts",
      "read → map → reader → decide → run",
    ],
    ["server/custom-fields/import/normalise.ts", "server/custom-fields/import/plan.ts", "below the steps"],
    ["server/custom-fields/import/plan.ts", "server/http/route.ts", "called by the doors"],
    ["server/users/list.ts", "db/admin.ts", "doors, front and processes import it"],
    ["server/users/list.ts", "server/http/route.ts", "doors, front and processes import it"],
    ["server/users/list.ts", "components/ui/section.tsx", "doors, front and processes import it"],
    ["server/users/list.ts", "bench/main.ts", "doors, front and processes import it"],
    ["server/users/schema.ts", "server/users/list.ts", "goes to the browser and the agent"],
    ["server/audit/row.ts", "server/ids.ts", "goes to the browser"],
    ["agent/main.ts", "server/audit/actions.ts", "wire schemas"],
    ["agent/main.ts", "db/client.ts", "wire schemas"],
    ["scripts/demo/main.ts", "server/users/list.ts", "through its API"],
    ["bench/main.ts", "e2e/support/api.ts", "stands in testing/"],
    ["e2e/audit/viewer.spec.ts", "bench/main.ts", "what a user sees"],
    ["e2e/audit/viewer.spec.ts", "server/users/list.ts", "what a user sees"],
    ["testing/factories.ts", "e2e/support/api.ts", "imports neither"],
    ["server/users/list.test.ts", "e2e/support/api.ts", "stands in testing/"],
    ["vitest.config.ts", "server/users/list.ts", "configuration"],
  ])("%s does not import %s", (from, to, instead) => {
    const found = arrow(from, to);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(instead);
  });

  it.each([
    ["components/audit/viewer.tsx", "server/audit/schema.ts"],
    ["components/verify/check-file.ts", "server/audit/chain/chain.ts"],
    ["components/trpc.tsx", "server/trpc/root.ts"],
    ["server/retention/prune.ts", "db/admin.ts"],
    ["server/audit/tail/tail.ts", "server/audit/query/cursor.ts"],
    ["agent/main.ts", "server/agents/schema.ts"],
    ["server/users/list.db.test.ts", "testing/factories.ts"],
    ["db/client.ts", "server/env.ts"],
  ])("%s may import %s", (from, to) => expect(arrow(from, to)).toEqual([]));

  it("are known to the table", () => {
    expect(arrow("shared/tools.ts", "server/ids.ts")[0]).toContain("shared/tools.ts stands in no room");
  });

  it("see types and dynamic imports as well", () => {
    const files = {
      "db/client.ts":
        'let a: import("@/server/ids").Id;\nawait import("@/server/log/log"); await import(/* later */ `@/server/text`);',
    };
    expect(check(files)).toHaveLength(3);
  });

  it("go one way also where a table allows both", () => {
    const files = {
      "server/users/list.ts": 'import "@/server/devices/list";',
      "server/devices/list.ts": "",
      "server/devices/get.ts": 'import "@/server/users/get";',
      "server/users/get.ts": "",
    };
    expect(check(files)).toEqual([
      "Folders import each other in a circle: server/users → server/devices → server/users. Move what they share into a folder below both.",
    ]);
  });
});

describe("folders side by side", () => {
  const back = (target: string) =>
    check({
      "components/audit/table/row.tsx": `import "@/components/audit/fold/${target}";`,
      "components/audit/fold/line.ts": "",
      "components/audit/fold/schema.ts": "",
      "components/audit/fold/inner/fold.tsx": 'import "@/components/audit/table/cell";',
      "components/audit/table/cell.tsx": "",
    });

  it("import each other one way, whatever lies below them", () => {
    expect(back("line")).toEqual([
      "Folders import each other in a circle: components/audit/table → components/audit/fold → components/audit/table. Move what they share into a folder below both.",
    ]);
  });

  it("may read each other's declarations", () => expect(back("schema")).toEqual([]));

  it("are not the folder that holds them", () => {
    const files = {
      "components/audit/viewer.tsx": 'import "./table/row";',
      "components/audit/table/row.tsx": 'import "@/components/audit/context";',
      "components/audit/context.ts": "",
    };
    expect(check(files)).toEqual([]);
  });
});

it("files do not import each other in a circle", () => {
  const files = {
    "server/users/a.ts": 'import "./b";',
    "server/users/b.ts": 'import type { C } from "./c";',
    "server/users/c.ts": 'export { A } from "./a";',
  };
  expect(check(files)).toEqual([
    "Files import each other in a circle: server/users/a.ts → server/users/b.ts → server/users/c.ts → server/users/a.ts. Move what they share into a file below both.",
  ]);
});

it.each([
  ["server/users/list.ts", "react", "React stands in app/ and components/."],
  ["server/users/list.ts", "@tanstack/react-query", "React stands in app/ and components/."],
  ["server/users/list.ts", "next/headers", "React stands in app/ and components/."],
  ["components/audit/viewer.tsx", "node:fs", "Components run in the browser."],
  ["components/audit/viewer.tsx", "nodemailer", "Components run in the browser."],
  ["app/layout.tsx", "postgres", "SQL is written in server/ and db/."],
  ["agent/main.ts", "postgres", "SQL is written in server/ and db/."],
  ["server/users/schema.ts", "drizzle-orm", "of packages it imports zod alone"],
])("%s does not import the package %s", (from, name, instead) => {
  expect(check({ [from]: `import "${name}";` })[0]).toContain(instead);
});

describe("in a checkout", () => {
  const checkout = mkdtempSync(join(tmpdir(), "trailmark-structure-"));
  afterEach(() => rmSync(checkout, { recursive: true }));

  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(checkout, path)), { recursive: true });
      writeFileSync(join(checkout, path), text);
    }
  };
  const run = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [resolve(script), ...args], { cwd: checkout, encoding: "utf8" });

  it("the check ends with 0 where nothing is wrong", () => {
    execFileSync("git", ["init", "-q", checkout]);
    write({ "server/ids.ts": "export const id = 1;" });
    expect(run("scripts/structure.mjs")).toMatchObject({ status: 0, stdout: "" });
  });

  const MANY = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`docs/images/more/${i}.css`, ""]));
  it.each<[rule: string, planted: Record<string, string>, line: string]>([
    ["the size of folders", MANY, "docs/images/more/ has 31 files, more than 30."],
    [
      "the rooms",
      { "db/client.ts": 'import "@/server/ids";' },
      "db/client.ts:1 imports @/server/ids. db is below the server",
    ],
    [
      "the rooms of tests",
      { "bench/main.ts": 'import "@/e2e/api";', "e2e/api.ts": "" },
      "bench/main.ts:1 imports @/e2e/api. A bench measures verbs",
    ],
    [
      "packages",
      { "server/users/list.ts": 'import "react";' },
      "server/users/list.ts:1 imports react. React stands in app/ and components/.",
    ],
    [
      "the style of paths",
      { "server/users/list.ts": 'import "../ids";' },
      "server/users/list.ts:1 imports ../ids. Write @/…",
    ],
    [
      "imports that are written out",
      { "server/users/list.ts": "await import(path);" },
      "server/users/list.ts:1 imports what an expression says. Write the path itself",
    ],
    ["the endings of files", { "server/users/list.js": "" }, "server/users/list.js is read by no check."],
    [
      "the names of folders",
      { "server/utils/a.ts": "" },
      "server/utils/a.ts stands in a folder that says nothing. Name it by what is in it.",
    ],
    [
      "circles of files",
      { "server/users/a.ts": 'import "./b";', "server/users/b.ts": 'import "./a";' },
      "Files import each other in a circle: server/users/a.ts → server/users/b.ts → server/users/a.ts.",
    ],
    [
      "circles of folders",
      {
        "server/users/a.ts": 'import "@/server/devices/a";',
        "server/devices/a.ts": "",
        "server/devices/b.ts": 'import "@/server/users/b";',
        "server/users/b.ts": "",
      },
      "Folders import each other in a circle: server/",
    ],
  ])("the check ends with 1 for a planted violation of the rule of %s, and names it", (_, planted, line) => {
    execFileSync("git", ["init", "-q", checkout]);
    write({ "server/ids.ts": "export const id = 1;", ...planted });
    const { status, stdout } = run("scripts/structure.mjs");
    expect(status).toBe(1);
    expect(stdout).toContain(line);
    expect(stdout).toContain("\n1 violations of the structure.\n");
  });

  it("Biome refuses what is too long, what is not used and what has its own place or form", () => {
    execFileSync("git", ["init", "-q", checkout]);
    copyFileSync("biome.json", join(checkout, "biome.json"));
    const lines = (count: number) => "  call();\n".repeat(count);
    write({
      "server/three.ts": "export const sum = (a: number, b: number, c: number) => a + b + c;",
      "server/four.ts": "export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;",
      "server/owner.ts":
        "export class Owner {\n  constructor(readonly a: 1, readonly b: 1, readonly c: 1, readonly d = 1) {}\n}",
      "server/eighty.ts": `export function run(call: () => void) {\n${lines(78)}}\n`,
      "server/longer.ts": `export function run(call: () => void) {\n${lines(81)}}\n`,
      "server/four-hundred.ts": "call();\n".repeat(400),
      "server/endless.ts": "call();\n".repeat(401),
      "server/environment.ts": "export const port = process.env.PORT;",
      "server/required.ts": 'const fs = require("node:fs");\nexport const read = fs.readFileSync;',
      "server/protocol.ts": 'import { join } from "path";\nexport const path = join("a", "b");',
      "server/import.ts": 'import { join } from "node:path";\nexport const path = "a/b";',
      "server/parameter.ts": "export function run(given: string): void {}",
      "server/variable.ts": "export function run(): void {\n  const left = 1;\n}",
    });
    const { status, stdout } = run("node_modules/@biomejs/biome/bin/biome", "lint", "--reporter=github");
    expect(status).toBe(1);
    const found = [...stdout.matchAll(/title=lint\/\w+\/(\w+),file=.*?(server\/[\w-]+\.ts)/g)];
    expect(found.map(([, rule, file]) => `${file}: ${rule}`).sort()).toEqual([
      "server/endless.ts: noExcessiveLinesPerFile",
      "server/environment.ts: noProcessEnv",
      "server/four.ts: useMaxParams",
      "server/import.ts: noUnusedImports",
      "server/longer.ts: noExcessiveLinesPerFunction",
      "server/owner.ts: useMaxParams",
      "server/parameter.ts: noUnusedFunctionParameters",
      "server/protocol.ts: useNodejsImportProtocol",
      "server/required.ts: noCommonJs",
      "server/variable.ts: noUnusedVariables",
    ]);
  });

  it("knip finds what nothing uses", () => {
    mkdirSync(checkout, { recursive: true });
    copyFileSync("knip.json", join(checkout, "knip.json"));
    symlinkSync(resolve("node_modules"), join(checkout, "node_modules"));
    write({
      "package.json": JSON.stringify({
        name: "planted",
        dependencies: { zod: "4", croner: "11" },
        devDependencies: { yaml: "2" },
      }),
      "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { "@/*": ["./*"] } } }),
      "server/process/main.ts": 'import "zod"; import "postgres"; import { used } from "@/server/users"; used();',
      "server/users.ts": "export const used = () => kept; export const kept = 1; export type Shape = { a: 1 };",
      "server/dead.ts": "export const dead = 1;",
    });
    const { status, stdout } = run("node_modules/knip/bin/knip.js", "--no-config-hints", "--reporter", "compact");
    expect(status).toBe(1);
    expect(stdout).toBe(`Unused files (1)
server/dead.ts: server/dead.ts
Unused dependencies (1)
package.json: croner
Unused devDependencies (1)
package.json: yaml
Unlisted dependencies (1)
server/process/main.ts: postgres
Unused exports (1)
server/users.ts: kept
Unused exported types (1)
server/users.ts: Shape
`);
  });
});

it("what a machine leaves in the root is not checked", () => {
  expect(roots()).toEqual(expect.arrayContaining(["app", "server", "package.json"]));
  for (const left of ["node_modules", "dist", ".git"]) expect(roots()).not.toContain(left);
});

it("npm run check runs every step, and ends with the worst of their exit codes", () => {
  expect(Object.values(STEPS).map(([script = ""]) => basename(script))).toEqual([
    "next",
    "biome",
    "structure.mjs",
    "knip.js",
    "tsc",
  ]);
  const code = `import { runSteps } from ${JSON.stringify(pathToFileURL(resolve("scripts/check.mjs")).href)};
    process.exitCode = await runSteps([["-e", "process.exit(3)"], ["-e", "console.log('the last one')"]]);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 3, stdout: "the last one\n" });
});
