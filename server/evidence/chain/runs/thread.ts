import type { Worker } from "node:worker_threads";
import type { Tenant } from "@/db/client";
import type { SeqRange } from "@/server/evidence/chain/copy-rows";
import type { Run } from "@/server/evidence/chain/verifier";
import { startThread } from "@/server/ground/background/threads";

/** Input of a reading thread: the tenant, the snapshot, and the sequence of the requested row. */
export type ThreadTask = { tenant: Tenant; orgId: string; snapshot: string; mark: number | undefined };

/** Message to the thread: the next range, or the end. */
export type ToThread = SeqRange | "end";

/** Message from the thread: rows read so far, its runs, or the failure. */
export type FromThread =
  | { kind: "progress"; rows: number }
  | { kind: "runs"; runs: Run[] }
  | { kind: "failed"; message: string };

/** Memory of a thread: rows pass through and little is kept. */
const HEAP = { maxHeapMb: 128, youngHeapMb: 6 };

/** A thread that reads ranges of a chain, one at a time. */
export class ChainThread {
  readonly #worker: Worker;

  constructor(task: ThreadTask) {
    this.#worker = startThread({ name: "chain-thread", task, ...HEAP });
    // read() has its own listeners, which notify callers.
    this.#worker.on("error", () => {});
  }

  /** @throws Error if the thread fails or ends meanwhile */
  read(range: SeqRange, onProgress: (rows: number) => void): Promise<Run[]> {
    const worker = this.#worker;
    return new Promise<Run[]>((resolve, reject) => {
      const onMessage = (message: FromThread) => {
        if (message.kind === "progress") return onProgress(message.rows);
        settle();
        if (message.kind === "runs") resolve(message.runs);
        else reject(new Error(message.message));
      };
      const onError = (error: unknown) => {
        settle();
        reject(error);
      };
      const onExit = () => onError(new Error("the reading thread ended"));
      const settle = () => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      };
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      this.#send(range);
    });
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  /** Ends the thread and its connection at once. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
