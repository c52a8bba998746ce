import { z } from "zod";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** One program for download: the compressed file and its contents. */
const program = z.strictObject({
  platform: z.string().regex(/^[a-z0-9-]{1,40}$/),
  file: z.string().regex(/^trailmark-agent-[a-z0-9-]{1,40}(\.exe|\.cjs|\.txt)?\.gz$/),
  bytes: z.int().min(1),
  sha256,
  programBytes: z.int().min(1),
  programSha256: sha256,
});

/** dist/agent/manifest.json, which `npm run agent:build` writes: the agent's version, the Node in it, its programs. */
export const build = z.strictObject({
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,50}$/),
  node: z.string().regex(/^[0-9.]{1,20}$/),
  files: z.array(program).min(1),
  /** The licences of all that is in the programs; none in what an earlier version built. */
  licenses: program.optional(),
});
export type Build = z.output<typeof build>;

const script = z.strictObject({ name: z.enum(["install.sh", "install.ps1"]), sha256 });
export type ScriptName = z.output<typeof script>["name"];

/**
 * What a device is enrolled with. url is the server's public address; build is null where the programs have not been
 * built or the address cannot be in a script, and problem then says so.
 */
export const installers = z.strictObject({
  url: z.string(),
  build: build.nullable(),
  scripts: z.array(script),
  problem: z.string().nullable(),
});
export type Installers = z.output<typeof installers>;
