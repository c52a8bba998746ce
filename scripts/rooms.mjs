// The rooms of the house and which may import which: scripts/structure.mjs tests it in `npm run check`.

/** More files than this in one folder, tests included, and a room is missing. */
export const MAX_FILES = 30;

/** Folders of files that a program writes, that are data, or that only ever grow: they may be larger. */
export const UNCOUNTED = ["db/migrations", "db/migrations/meta", "docs/images", "server/scripts/library"];

/** Files that load what is built beside them, by a path that only a running program knows, and the test of the rule. */
export const RUN_TIME = /^(server\/process\/(main|current-service\.test)|scripts\/structure\.test)\.ts$/;

/** The isomorphic files of server/, which the browser may know as well; they import each other alone. */
const WIRE_FILES = [
  "(csv|records|text|wire)",
  "time/(bounds|durations|wall-clock)",
  "auth/permissions",
  "audit/(actions|action-label|device-named|export-name|row)",
  "audit/query/(catalogue|network|old-address|value-list|word-list)",
  "audit/chain/(chain|bundle|note|verifier)",
  "audit/proofs/(entry-proof|judge-proof)",
  "audit/tree/[\\w-]+",
  "audit/bundle/[\\w-]+",
  "organizations/overview/(arrange|attention)",
  "(.+/)?vocabulary",
];
const WIRE = ["package.json", "schema", "wire"];

const AUDIT = [
  "record",
  "chain",
  "witnesses",
  "checkpoints",
  "query",
  "entries",
  "integrity",
  "evidence",
  "proofs",
  "tail",
];
const IMPORT = ["presets", "read", "map", "reader", "decide", "run"];
/** What a domain may import. */
const GROUND = [...WIRE, "db", "env", "base", "background", "audit", ...AUDIT, "auth", "domain", "retention"];
const SERVER = [...GROUND, "import", ...IMPORT, "import-verbs", "http", "trpc"];
const BROWSER = ["client", "components", "format", "ui", "component"];

/** Rooms in an order, each of which may import the ones before it. */
const inOrder = (names, folder, may) =>
  names.map((name, i) => ({
    name,
    files: new RegExp(`^${folder}/${name}/`),
    may: [...may, ...names.slice(0, i)],
    instead: `In ${folder} it goes ${names.join(" → ")}: move what two of them need to the earlier one or below both.`,
  }));

/**
 * The first entry that matches a path is its room; with `each`, every folder that the pattern matches is one. A file
 * may import its own room and the rooms in `may`; `instead` is the check's advice for any other import.
 */
export const ROOMS = [
  {
    name: "test",
    files: /^(?!e2e\/).*\.test\.tsx?$/,
    may: [
      ...SERVER,
      ...BROWSER,
      "frame",
      "admin",
      "app",
      "routes",
      "front",
      "pages",
      "process",
      "cli",
      "agent",
      "scripts",
      "testing",
    ],
    instead: "What tests, e2e and bench share stands in testing/.",
  },
  { name: "package.json", files: /^package\.json$/, may: [], instead: "" },
  {
    name: "schema",
    files: /^server\/(.+\/)?([\w-]+-)?schema\.ts$/,
    may: WIRE,
    instead: "A schema goes to the browser and the agent: it imports zod and other isomorphic files alone.",
  },
  {
    name: "wire",
    files: new RegExp(`^server/(${WIRE_FILES.join("|")})\\.ts$`),
    may: WIRE,
    instead: "An isomorphic file goes to the browser: it imports zod and other isomorphic files alone.",
  },
  {
    name: "routes",
    files: /^app\/(.+\/)?route\.ts$/,
    may: [...SERVER.filter((room) => room !== "db"), "process"],
    instead: "A route file declares: it takes a verb of server/, never the database.",
  },
  {
    name: "app",
    files: /^app\//,
    may: [...WIRE, ...BROWSER, "frame", "pages"],
    instead:
      "Pages are bundled by Next, the server is not: show a component, and ask the server through app/trpc-server.tsx.",
  },
  { name: "client", files: /^components\/trpc\.tsx$/, may: [...WIRE, "components", "trpc"], instead: "" },
  {
    name: "components",
    files: /^components\/[^/]+$/,
    may: [...WIRE, "client"],
    instead: "The browser speaks to the server through components/trpc.tsx, which alone knows the AppRouter type.",
  },
  {
    name: "format",
    files: /^components\/format\//,
    may: [...WIRE, "components"],
    instead: "format is below the kit and every domain: pass it what it formats.",
  },
  {
    name: "ui",
    files: /^components\/ui\//,
    may: [...WIRE, "components", "format"],
    instead: "The kit knows no domain: pass it what it shows.",
  },
  {
    name: "frame",
    files: /^components\/frame\//,
    may: [...WIRE, ...BROWSER],
    instead:
      "The browser asks through tRPC; of server/ it imports isomorphic files alone (schema.ts, vocabulary.ts …).",
  },
  {
    name: "component",
    each: true,
    files: /^components\/[^/]+\//,
    may: [...WIRE, ...BROWSER],
    instead:
      "The browser asks through tRPC and imports isomorphic files of server/ alone; the frame and app stand above it.",
  },
  { name: "env", files: /^server\/env\.ts$/, may: [], instead: "env.ts is read by everything and imports nothing." },
  {
    name: "admin",
    files: /^db\/admin\.ts$/,
    may: ["db", "env"],
    instead: "db is below the server and knows its env alone.",
  },
  {
    name: "db",
    files: /^db\//,
    may: ["env"],
    instead: "db is below the server and knows its env alone; db/admin.ts is for server/retention.",
  },
  {
    name: "base",
    files: /^server\/((limits|log)\/)?[^/]+$/,
    may: [...WIRE, "db", "env"],
    instead: "What stands in server/ itself is below every room of it: move it into the room it needs.",
  },
  {
    name: "background",
    files: /^server\/background\//,
    may: [...WIRE, "db", "env", "base"],
    instead: "Metrics, streams, threads and background loops are below the domains, which register with them.",
  },
  {
    name: "audit",
    files: /^server\/audit\/[^/]+$/,
    may: [...WIRE, "db", "env", "base"],
    instead: "What stands in server/audit itself is below its rooms: move it into the room it needs.",
  },
  ...inOrder(AUDIT, "server/audit", [...WIRE, "db", "env", "base", "background", "audit"]),
  {
    name: "a new folder of server/audit",
    files: /^server\/audit\/[^/]+\//,
    may: [],
    instead: "A new folder of server/audit gets its place in the order first: AUDIT in scripts/rooms.mjs.",
  },
  {
    name: "auth",
    files: /^server\/auth\//,
    may: [...WIRE, "db", "env", "base", "background", "audit", "record"],
    instead:
      "auth finds out who is calling, below the domains: move what it needs to server/, or the verb to a domain.",
  },
  {
    name: "http",
    files: /^server\/http\//,
    may: GROUND,
    instead: "A door knows declarations, never the front or a process: they import it.",
  },
  {
    name: "trpc",
    files: /^server\/trpc\//,
    may: SERVER,
    instead: "A door takes verbs of server/ and stands below front and process.",
  },
  {
    name: "pages",
    files: /^server\/front\/pages\.ts$/,
    may: SERVER,
    instead: "What pages may ask of the server is made of verbs and the tRPC router.",
  },
  {
    name: "front",
    files: /^server\/front\//,
    may: [...SERVER, "pages"],
    instead: "The front answers with the doors: it knows no page and no command.",
  },
  {
    name: "process",
    files: /^server\/process\//,
    may: [...SERVER, "front", "pages"],
    instead: "No page and no test starts here.",
  },
  {
    name: "cli",
    files: /^server\/cli\//,
    may: [...SERVER, "process"],
    instead: "A command calls verbs of server/.",
  },
  ...inOrder(IMPORT, "server/custom-fields/import", [...GROUND, "import"]),
  {
    name: "import",
    files: /^server\/custom-fields\/import\/(normalise\.ts|import-folder\.ts|record\/)/,
    may: GROUND,
    instead: "It is below the steps of an import: move the part that needs them into a verb.",
  },
  {
    name: "import-verbs",
    files: /^server\/custom-fields\/import\//,
    may: [...GROUND, "import", ...IMPORT],
    instead: "A verb of the import is called by the doors.",
  },
  {
    name: "retention",
    files: /^server\/retention\//,
    may: [...GROUND, "admin"],
    instead: "A domain imports db, what stands below it, and other domains; doors, front and processes import it.",
  },
  {
    name: "domain",
    each: true,
    files: /^server\/[^/]+\//,
    may: GROUND,
    instead: "A domain imports db, what stands below it, and other domains; doors, front and processes import it.",
  },
  {
    name: "agent",
    files: /^agent\//,
    may: ["package.json", "schema"],
    instead: "The agent runs on a customer's machine: of the server it knows wire schemas (schema.ts) alone.",
  },
  {
    name: "scripts",
    files: /^scripts\//,
    may: WIRE,
    instead: "Scripts start other programs and speak to the server through its API.",
  },
  {
    name: "bench",
    files: /^bench\//,
    may: [...SERVER, "scripts", "testing"],
    instead: "A bench measures verbs and the built server; what it shares with e2e stands in testing/.",
  },
  {
    name: "e2e",
    files: /^e2e\//,
    may: [...WIRE, "testing"],
    instead: "An end-to-end test knows what a user sees and the API; the rest stands in testing/.",
  },
  {
    name: "testing",
    files: /^testing\//,
    may: [...SERVER, "routes", "scripts"],
    instead: "testing/ is shared by tests, e2e and bench and imports neither of them.",
  },
  {
    name: "configuration",
    files: /^[^/]+\.(ts|mjs)$/,
    may: ["testing", "scripts"],
    instead: "A tool's configuration at the root takes what it needs from testing/ or scripts/.",
  },
];

/** Packages that belong to some rooms alone. */
export const PACKAGES = [
  {
    files: /^(server|db|agent|testing|bench|e2e|scripts)\//,
    packages: /^(react|react-dom|@mantine|@tanstack|nuqs|lucide-react|next\/(?!dist\/server)[^/]+)(\/|$)/,
    instead: "React stands in app/ and components/.",
  },
  {
    files: /^(app\/(?!.*\.test\.tsx?$)|agent\/|scripts\/)/,
    packages: /^(postgres|drizzle-orm)(\/|$)/,
    instead: "SQL is written in server/ and db/.",
  },
  {
    files: new RegExp(`^server/((.+/)?([\\w-]+-)?schema|${WIRE_FILES.join("|")})\\.ts$`),
    packages: /^(?!zod$)/,
    instead: "An isomorphic file goes to the browser and the agent: of packages it imports zod alone.",
  },
  {
    files: /^components\//,
    packages:
      /^(node:|postgres$|drizzle-orm|pg-boss$|pino$|nodemailer$|next-auth(?!\/react)|@node-rs\/|@nats-io\/|server-only$)/,
    instead: "Components run in the browser.",
  },
];
