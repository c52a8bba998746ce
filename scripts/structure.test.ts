import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { roots, STEPS } from "./check.mjs";
import { violationsIn } from "./structure.mjs";

const check = (files: Record<string, string>) => violationsIn(new Map(Object.entries(files)));

/** What the check says to one file that imports another; both exist. */
function arrow(from: string, to: string): string[] {
  const module = to.replace(/\.tsx?$/, "");
  const below = to.startsWith(`${dirname(from)}/`);
  return check({ [from]: `import "${below ? `.${module.slice(dirname(from).length)}` : `@/${module}`}";`, [to]: "" });
}

describe("folder rules", () => {
  it.each([
    ["server/utils/text.ts", "stands in a folder that says nothing"],
    ["components/audit/hooks/use-row.ts", "stands in a folder that says nothing"],
    ["server/ids.js", "Sources end in .ts, .tsx or .mjs."],
    ["agent/main.mts", "Sources end in .ts, .tsx or .mjs."],
  ])("reject %s", (path, said) => expect(check({ [path]: "" })).toEqual([expect.stringContaining(said)]));
});

describe("import path rules", () => {
  it("reject parent paths", () => {
    const files = { "server/identity/users/users.ts": 'export * from "../ids";', "server/ground/ids.ts": "" };
    expect(check(files)).toEqual([
      "server/identity/users/users.ts:1 imports ../ids. Write @/… for what is not in or below this folder.",
    ]);
  });

  it("reject absolute paths", () => {
    expect(check({ "server/identity/users/users.ts": 'import "/srv/ids";' })[0]).toContain("Write @/…");
  });

  it("require literal import paths", () => {
    const text = "await import(name);\nawait import(`./$" + "{name}`);\nawait import(\n  /* later */ name,\n);";
    const found = check({ "server/identity/users/users.ts": `${text} // as import(name) does` });
    expect(found.map((line) => line.split(" ")[0])).toEqual(
      [1, 2, 3].map((line) => `server/identity/users/users.ts:${line}`),
    );
    expect(found[0]).toContain("imports what an expression says. Write the path itself");
    expect(check({ "server/run/process/main.ts": text })).toEqual([]);
  });

  it("require relative paths within a folder", () => {
    const files = {
      "server/identity/users/users.ts": "\nimport type { A } from '@/server/identity/users/find';",
      "server/identity/users/find.ts": "",
    };
    expect(check(files)).toEqual([
      "server/identity/users/users.ts:2 imports @/server/identity/users/find. Write ./… in and below a folder.",
    ]);
  });
});

describe("room rules", () => {
  it.each([
    ["app/page.tsx", "db/client.ts", "Pages are bundled by Next"],
    ["app/page.tsx", "server/identity/users/users.ts", "through app/trpc-server.tsx"],
    ["app/page.tsx", "testing/factories.ts", "Pages are bundled by Next"],
    ["app/api/v1/route.ts", "db/client.ts", "never the database"],
    ["components/query.ts", "server/identity/users/users.ts", "components/trpc.tsx"],
    ["components/nav-items.ts", "server/doors/trpc/root.ts", "components/trpc.tsx"],
    ["components/ui/page-header.tsx", "components/trpc.tsx", "The kit knows no domain"],
    ["components/format/time.ts", "components/ui/page-header.tsx", "format is below the kit"],
    ["components/ui/page-header.tsx", "components/audit/entry.ts", "The kit knows no domain"],
    ["components/audit/viewer.tsx", "components/frame/nav.tsx", "the frame and app stand above it"],
    ["components/audit/viewer.tsx", "server/audit/entries/list.ts", "isomorphic files of server/ alone"],
    ["components/frame/nav.tsx", "db/client.ts", "asks through tRPC"],
    ["components/audit/viewer.tsx", "app/page.tsx", "the frame and app stand above it"],
    ["db/client.ts", "server/ground/env.ts", "pass it what it needs"],
    ["db/migrate.ts", "db/admin.ts", "db/admin.ts is for server/retention"],
    ["db/admin.ts", "server/ground/ids.ts", "pass it what it needs"],
    ["server/ground/operation.ts", "server/identity/users/users.ts", "ground → audit → evidence"],
    ["server/ground/operation.ts", "testing/factories.ts", "ground → audit → evidence"],
    ["server/audit/entries/list.ts", "server/evidence/integrity/state.ts", "ground → audit → evidence"],
    ["server/identity/users/users.ts", "server/notify/deliveries/queue.ts", "ground → audit → evidence"],
    ["server/notify/deliveries/queue.ts", "server/doors/http/route.ts", "ground → audit → evidence"],
    ["server/doors/trpc/root.ts", "server/run/process/main.ts", "ground → audit → evidence"],
    ["server/identity/users/users.ts", "db/admin.ts", "ground → audit → evidence"],
    ["server/identity/users/users.ts", "components/ui/page-header.tsx", "ground → audit → evidence"],
    ["server/identity/users/users.ts", "bench/main.ts", "ground → audit → evidence"],
    ["server/run/process/main.ts", "app/page.tsx", "ground → audit → evidence"],
    ["server/identity/users/schema.ts", "server/identity/users/users.ts", "goes to the browser and the agent"],
    ["server/audit/row.ts", "server/ground/ids.ts", "goes to the browser"],
    ["agent/main.ts", "server/audit/actions.ts", "wire schemas"],
    ["agent/main.ts", "db/client.ts", "wire schemas"],
    ["scripts/demo/main.ts", "server/identity/users/users.ts", "through its API"],
    ["bench/main.ts", "e2e/support/api.ts", "stands in testing/"],
    ["e2e/audit/viewer.spec.ts", "bench/main.ts", "what a user sees"],
    ["e2e/audit/viewer.spec.ts", "server/identity/users/users.ts", "what a user sees"],
    ["testing/factories.ts", "e2e/support/api.ts", "imports neither"],
    ["server/identity/users/list.test.ts", "e2e/support/api.ts", "stands in testing/"],
    ["vitest.config.ts", "server/identity/users/users.ts", "configuration"],
  ])("reject an import from %s to %s", (from, to, instead) => {
    const found = arrow(from, to);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(instead);
  });

  it.each([
    ["components/audit/viewer.tsx", "server/audit/schema.ts"],
    ["components/verify/check-file.ts", "server/evidence/chain/chain.ts"],
    ["components/trpc.tsx", "server/doors/trpc/root.ts"],
    ["server/retention/prune.ts", "db/admin.ts"],
    ["server/audit/tail/tail.ts", "server/audit/query/cursor.ts"],
    ["agent/main.ts", "server/devices/agents/schema.ts"],
    ["server/identity/users/list.db.test.ts", "testing/factories.ts"],
    ["server/notify/deliveries/queue.ts", "server/identity/users/users.ts"],
    ["server/run/process/main.ts", "server/doors/front/front.ts"],
  ])("allow an import from %s to %s", (from, to) => expect(arrow(from, to)).toEqual([]));

  it("reject unknown rooms", () => {
    expect(arrow("shared/tools.ts", "server/ground/ids.ts")[0]).toContain("shared/tools.ts stands in no room");
  });

  it("cover types and dynamic imports", () => {
    const files = {
      "db/client.ts":
        'let a: import("@/server/ground/ids").Id;\nawait import("@/server/ground/log"); await import(/* later */ `@/server/ground/text`);',
    };
    expect(check(files)).toHaveLength(3);
  });
});

describe("import cycles between sibling rooms", () => {
  const back = (target: string) =>
    check({
      "components/audit/table/row.tsx": `import "@/components/audit/state/${target}";`,
      "components/audit/state/line.ts": "",
      "components/audit/state/schema.ts": "",
      "components/audit/state/inner/fold.tsx": 'import "@/components/audit/table/cell";',
      "components/audit/table/cell.tsx": "",
    });

  it.each(["line", "schema"])("are rejected at any depth: %s", (target) => {
    expect(back(target)).toEqual([
      "Rooms import each other in a circle: components/audit/table → components/audit/state → components/audit/table. Move what they share into a room below both.",
    ]);
  });

  it("include files beside a folder", () => {
    const files = {
      "server/audit/context.ts": 'import "./query/page";',
      "server/audit/query/page.ts": 'import "@/server/audit/row";',
      "server/audit/row.ts": 'import "./context";',
    };
    expect(check(files)).toContain(
      "Rooms import each other in a circle: server/audit/context.ts → server/audit/query → server/audit/row.ts → server/audit/context.ts. Move what they share into a room below both.",
    );
  });

  it("exclude the containing folder", () => {
    const files = {
      "components/audit/viewer.tsx": 'import "./table/row";',
      "components/audit/table/row.tsx": 'import "@/components/audit/context";',
      "components/audit/context.ts": "",
    };
    expect(check(files)).toEqual([]);
  });

  it("include files of one folder", () => {
    const files = {
      "server/identity/users/a.ts": 'import "./b";',
      "server/identity/users/b.ts": 'import type { C } from "./c";',
      "server/identity/users/c.ts": 'export { A } from "./a";',
    };
    expect(check(files)).toEqual([
      "Rooms import each other in a circle: server/identity/users/a.ts → server/identity/users/b.ts → server/identity/users/c.ts → server/identity/users/a.ts. Move what they share into a room below both.",
    ]);
  });
});

it.each([
  ["server/identity/users/users.ts", "react", "React stands in app/ and components/."],
  ["server/identity/users/users.ts", "@tanstack/react-query", "React stands in app/ and components/."],
  ["server/identity/users/users.ts", "next/headers", "React stands in app/ and components/."],
  ["components/audit/viewer.tsx", "node:fs", "Components run in the browser."],
  ["components/audit/viewer.tsx", "nodemailer", "Components run in the browser."],
  ["app/layout.tsx", "postgres", "SQL is written in server/ and db/."],
  ["agent/main.ts", "postgres", "SQL is written in server/ and db/."],
  ["server/identity/users/schema.ts", "drizzle-orm", "of packages it imports zod and"],
])("%s may not import the package %s", (from, name, instead) => {
  expect(check({ [from]: `import "${name}";` })[0]).toContain(instead);
});

describe("checks of a checkout", () => {
  const checkout = tempFolder();
  afterEach(() => rmSync(checkout, { recursive: true }));

  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(checkout, path)), { recursive: true });
      writeFileSync(join(checkout, path), text);
    }
  };
  const run = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [resolve(script), ...args], { cwd: checkout, encoding: "utf8" });

  it("the structure check exits 0 without violations", () => {
    execFileSync("git", ["init", "-q", checkout]);
    write({ "server/ground/ids.ts": "export const id = 1;" });
    expect(run("scripts/structure.mjs")).toMatchObject({ status: 0, stdout: "" });
  });

  it("the structure check exits 1 and names each violation", () => {
    execFileSync("git", ["init", "-q", checkout]);
    write({
      "server/ground/ids.ts": "export const id = 1;",
      "db/client.ts": 'import "@/server/ground/ids";',
      "server/identity/users/list.js": "",
    });
    expect(run("scripts/structure.mjs")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /^server\/identity\/users\/list\.js is read by no check.*\ndb\/client\.ts:1 imports @\/server\/ground\/ids\. db is below the server.*\n\n2 violations of the structure\.\n$/,
      ),
    });
  });

  it("Biome rejects long, unused and misplaced code", () => {
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

  it("knip finds unused code", () => {
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
      "server/run/process/main.ts": 'import "zod"; import "postgres"; import { used } from "@/server/users"; used();',
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
server/run/process/main.ts: postgres
Unused exports (1)
server/users.ts: kept
Unused exported types (1)
server/users.ts: Shape
`);
  });
});

it("ignores generated folders in the root", () => {
  expect(roots()).toEqual(expect.arrayContaining(["app", "server", "package.json"]));
  for (const left of ["node_modules", "dist", ".git"]) expect(roots()).not.toContain(left);
});

it("npm run check runs every step and exits with the worst exit code", () => {
  expect(Object.values(STEPS).map(([script = ""]) => basename(script))).toEqual([
    "next",
    "biome",
    "structure.mjs",
    "plain-words.mjs",
    "knip.js",
    "tsc",
  ]);
  const code = `import { runSteps } from ${JSON.stringify(pathToFileURL(resolve("scripts/check.mjs")).href)};
    process.exitCode = await runSteps([["-e", "process.exit(3)"], ["-e", "console.log('the last one')"]]);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 3, stdout: "the last one\n" });
});
