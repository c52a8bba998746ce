import { randomUUID } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "./create-folder";

/** State between runs: the agent's identity and each log's watermark. */
export type AgentState = {
  agentId: string;
  url?: string;
  deviceId?: string;
  orgId?: string;
  token?: string;
  /** Idempotency-Key of an enrollment whose token is not stored yet. */
  idempotencyKey?: string | undefined;
  watermarks: Record<string, string>;
};

const FILE = "state.json";

/** State folder, readable only by its owner, because it contains the token. */
export class StateFolder {
  private constructor(
    private readonly dir: string,
    readonly state: AgentState,
  ) {}

  /** Opens the folder; the first run creates it with an id for this agent. */
  static async open(dir: string): Promise<StateFolder> {
    await createFolder(dir);
    const text = await readFile(join(dir, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (text) return new StateFolder(dir, JSON.parse(text));
    const fresh = new StateFolder(dir, { agentId: randomUUID(), watermarks: {} });
    await fresh.save();
    return fresh;
  }

  /** Writes the state atomically: after a crash the old or the new one is there. */
  async save(change: Partial<AgentState> = {}): Promise<void> {
    Object.assign(this.state, change);
    const draft = join(this.dir, `${FILE}.new`);
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(this.state, null, 2));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(this.dir, FILE));
  }

  /** Call after the server has acknowledged everything before the watermark. */
  async advance(source: string, watermark: string): Promise<void> {
    if (!watermark || this.state.watermarks[source] === watermark) return;
    await this.save({ watermarks: { ...this.state.watermarks, [source]: watermark } });
  }
}
