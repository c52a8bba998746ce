// Rooms and their allowed imports, tested by scripts/structure.mjs in `npm run check`.

/** Files that load build output by a path known only at run time, and the test of this rule. */
export const RUN_TIME = /^(server\/run\/process\/(main|current-service\.alone\.test)|scripts\/structure\.test)\.ts$/;

/** Isomorphic files of server/, also allowed in the browser; they import only each other. */
const WIRE_FILES = [
  "ground/(csv|records|text|wire|permissions)",
  "ground/time/(bounds|durations|wall-clock)",
  "audit/(actions|action-label|export-formats|export-name|first-change|provenance|row|sentence)",
  "audit/query/(catalogue|nearness|old-address|values)",
  "evidence/chain/(chain|bundle|note|verifier)",
  "evidence/proofs/(entry-proof|judge-proof)",
  "evidence/tree/(?!note-tools)[\\w-]+",
  "evidence/bundle/[\\w-]+",
  "organizations/overview/(arrange|attention)",
  "(.+/)?vocabulary",
];
const WIRE = ["package.json", "schema", "wire"];

/** Wings of server/, from the ground up: each imports earlier ones. */
const WINGS = [
  "ground",
  "audit",
  "evidence",
  "identity",
  "custom-fields",
  "saved-views",
  "exports",
  "retention",
  "devices",
  "notify",
  "detections",
  "organizations",
  "setup",
  "doors",
  "run",
];
const SERVER = [...WIRE, "db", "pages", ...WINGS];
const BROWSER = ["client", "components", "format", "ui", "component"];

/** Additional imports, whatever the order. */
const ALSO = { retention: ["admin"], doors: ["pages"], run: ["pages"] };
const wings = WINGS.map((name, i) => ({
  name,
  files: new RegExp(`^server/${name}/`),
  may: [...WIRE, "db", ...WINGS.slice(0, i), ...(ALSO[name] ?? [])],
  instead: `The wings of server/ go ${WINGS.join(" → ")}: move the shared part into the lower of the two.`,
}));

/**
 * The first entry that matches a path is its room; with `each`, every matching folder is one. A file may import its own
 * room and those in `may`; `instead` is the advice for other imports.
 */
export const ROOMS = [
  {
    name: "test",
    files: /^(?!e2e\/).*\.test\.tsx?$/,
    may: [...SERVER, ...BROWSER, "frame", "admin", "app", "routes", "agent", "scripts", "testing", "world"],
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
    may: SERVER.filter((room) => room !== "db"),
    instead: "A route file declares: it takes a verb of server/, never the database.",
  },
  {
    name: "app",
    files: /^app\//,
    may: [...WIRE, ...BROWSER, "frame", "pages"],
    instead:
      "Pages are bundled by Next, the server is not: show a component, and ask the server through app/trpc-server.tsx.",
  },
  { name: "client", files: /^components\/trpc\.tsx$/, may: [...WIRE, "components", "doors"], instead: "" },
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
  { name: "admin", files: /^db\/admin\.ts$/, may: ["db"], instead: "db is below the server: pass it what it needs." },
  {
    name: "db",
    files: /^db\//,
    may: [],
    instead: "db is below the server: pass it what it needs. db/admin.ts is for server/retention alone.",
  },
  {
    name: "pages",
    files: /^server\/doors\/front\/pages\.ts$/,
    may: SERVER,
    instead: "Everything that pages ask of the server is made of verbs and the tRPC router.",
  },
  ...wings,
  {
    name: "agent",
    files: /^agent\//,
    may: ["package.json", "schema", "world"],
    instead: "The agent runs on a customer's machine: of the server it knows wire schemas (schema.ts) alone.",
  },
  {
    name: "scripts",
    files: /^scripts\//,
    may: [...WIRE, "world"],
    instead: "Scripts start other programs and speak to the server through its API.",
  },
  {
    name: "bench",
    files: /^bench\//,
    may: [...SERVER, "scripts", "testing", "world"],
    instead: "A bench measures verbs and the built server; what it shares with e2e stands in testing/.",
  },
  {
    name: "e2e",
    files: /^e2e\//,
    may: [...WIRE, "testing", "world"],
    instead: "An end-to-end test knows what a user sees and the API; the rest stands in testing/.",
  },
  {
    name: "world",
    files: /^testing\/world\//,
    may: WIRE,
    instead: "The world is data for demo, simulator, bench and tests: it imports isomorphic files alone.",
  },
  {
    name: "testing",
    files: /^testing\//,
    may: [...SERVER, "routes", "scripts", "world"],
    instead: "testing/ is shared by tests, e2e and bench and imports neither of them.",
  },
  {
    name: "configuration",
    files: /^[^/]+\.(ts|mjs)$/,
    may: ["testing", "scripts"],
    instead: "A tool's configuration at the root takes what it needs from testing/ or scripts/.",
  },
];

/** Packages that some folders must not import. */
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
    packages: /^(?!(?:zod|fastest-levenshtein)$)/,
    instead:
      "An isomorphic file goes to the browser and the agent: of packages it imports zod and fastest-levenshtein alone.",
  },
  {
    files: /^components\//,
    packages:
      /^(node:|postgres$|drizzle-orm|pg$|graphile-worker$|pino$|nodemailer$|next-auth(?!\/react)|@node-rs\/|server-only$)/,
    instead: "Components run in the browser.",
  },
];
