import type { JobKind } from "@/server/ground/jobs";
import { claim } from "./claim";
import { attempt } from "./destination";
import { DELIVERY } from "./queue";
import { settle } from "./settle";

/**
 * Sends a message. Endpoints that do not answer take a place for ten seconds each: one owner's must not take all there are.
 * An attempt whose process died is made again; receivers know the message by its id.
 */
export const deliveryJob: JobKind<{ id: string }> = {
  ...DELIVERY,
  atOnce: 8,
  atOncePerGroup: 3,
  async run({ id }) {
    const claimed = await claim(id);
    if (claimed) await settle(claimed, await attempt(claimed, new Date()));
  },
};
