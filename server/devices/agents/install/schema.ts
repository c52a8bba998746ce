import { z } from "zod";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A program for download: compressed file and contents. */
const program = z.strictObject({
  platform: z.string().regex(/^[a-z0-9-]{1,40}$/),
  file: z.string().regex(/^trailmark-agent-[a-z0-9-]{1,40}(\.exe|\.cjs|\.txt)?\.gz$/),
  bytes: z.int().min(1),
  sha256,
  programBytes: z.int().min(1),
  programSha256: sha256,
});

/** dist/agent/manifest.json, written by `npm run agent:build`: versions of agent and Node, and the programs. */
export const build = z.strictObject({
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,50}$/),
  node: z.string().regex(/^[0-9.]{1,20}$/),
  files: z.array(program).min(1),
  /** Licenses of everything in the programs. */
  licenses: program,
});
export type Build = z.output<typeof build>;

const script = z.strictObject({ name: z.enum(["install.sh", "install.ps1"]), sha256 });
export type ScriptName = z.output<typeof script>["name"];

/**
 * Data for enrolling a device. url is the server's public address; build is null, with a problem, if the programs were
 * not built or the address cannot be used in a script.
 */
export const installers = z.strictObject({
  url: z.string(),
  build: build.nullable(),
  scripts: z.array(script),
  problem: z.string().nullable(),
});
export type Installers = z.output<typeof installers>;
