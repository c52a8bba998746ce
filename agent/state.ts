import { randomUUID } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "./create-folder";

/** The state that outlives the program: its identity and how far each log has been shipped. */
export type AgentState = {
  agentId: string;
  url?: string;
  deviceId?: string;
  orgId?: string;
  token?: string;
  /** The Idempotency-Key of an enrolment whose token has not been saved. */
  idempotencyKey?: string | undefined;
  watermarks: Record<string, string>;
};

const FILE = "state.json";

/** The state folder; only its owner can read it, because the token lies there. */
export class StateFolder {
  private constructor(
    private readonly dir: string,
    readonly state: AgentState,
  ) {}

  /** Opens the folder, made on the first run together with an id for this agent. */
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

  /** Writes the state so that a crash leaves the old or the new one, whole. */
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

  /** To be called once the server has acknowledged what lies before the watermark. */
  async advance(source: string, watermark: string): Promise<void> {
    if (!watermark || this.state.watermarks[source] === watermark) return;
    await this.save({ watermarks: { ...this.state.watermarks, [source]: watermark } });
  }
}
