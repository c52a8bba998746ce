import { readNewestCheckpoint } from "@/server/audit/chain/checkpoint-store";
import { log } from "@/server/log";
import { shared } from "@/server/shared";
import { type Head, listHeads, signCheckpoint } from "./checkpoints";

/** Every moved head is signed once it is this old, or this many rows long. */
const CHECKPOINT_EVERY_MS = 60_000;
const CHECKPOINT_EVERY_ROWS = 1_000;
const POLL_MS = 5_000;

type Signed = { seq: number; at: number };
type State = { signed: Map<string, Signed>; timer: NodeJS.Timeout | null; running: Promise<void> | null };
const state = () => shared("audit.checkpoint-worker", (): State => ({ signed: new Map(), timer: null, running: null }));

/** What was signed last, as kept on disk; read once an organization. */
async function lastSigned(orgId: string): Promise<Signed> {
  const known = state().signed.get(orgId);
  if (known) return known;
  const last = await readNewestCheckpoint(orgId);
  const signed = last ? { seq: last.seq, at: Date.parse(last.signedAt) } : { seq: 0, at: 0 };
  state().signed.set(orgId, signed);
  return signed;
}

async function isDue(head: Head, now: number): Promise<boolean> {
  const { seq, at } = await lastSigned(head.orgId);
  return head.seq !== seq && (head.seq - seq >= CHECKPOINT_EVERY_ROWS || now - at >= CHECKPOINT_EVERY_MS);
}

async function sweep(): Promise<void> {
  for (const head of await listHeads()) {
    const now = Date.now();
    if (!(await isDue(head, now))) continue;
    const signed = await signCheckpoint(head.orgId, new Date(now));
    // A refused one is tried again with the next period, not at every poll.
    state().signed.set(head.orgId, { seq: signed?.seq ?? state().signed.get(head.orgId)?.seq ?? 0, at: now });
  }
}

/** Signs moved heads in the background. Every process with workers keeps checkpoints of its own, outside the database. */
export const checkpointWorker = {
  name: "checkpoints",
  async start(): Promise<void> {
    const own = state();
    own.timer = setInterval(() => {
      own.running ??= sweep()
        .catch((error: unknown) => log.warn({ err: error }, "checkpoints were not signed"))
        .finally(() => {
          own.running = null;
        });
    }, POLL_MS);
    own.timer.unref();
  },
  async stop(): Promise<void> {
    const own = state();
    if (own.timer) clearInterval(own.timer);
    await own.running;
  },
};
