import { When } from "@/components/format/when";
import type { LiveQuery } from "./use-live-query";

/** When the device gave the answer that is shown; nothing where none is. */
export const Answered = ({ live }: { live: LiveQuery }) =>
  live.answeredAt && !live.error ? (
    <span>
      Answered <When at={live.answeredAt} />
    </span>
  ) : null;
