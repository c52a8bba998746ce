import { useEffect, useEffectEvent, useState } from "react";

/** Once it is quiet for so long the total is counted anew: a row that came while it was counted may count twice. */
const QUIET_MS = 5_000;

type Counted = { dataUpdatedAt: number; refetch: () => unknown };

/** How many of the rows that have arrived the total does not count yet. */
export function useAhead(counted: Counted, arrived: number, isFollowing: boolean): number {
  const [count, setCount] = useState({ at: counted.dataUpdatedAt, arrived: 0 });
  if (count.at !== counted.dataUpdatedAt) setCount({ at: counted.dataUpdatedAt, arrived });
  const recount = useEffectEvent(() => counted.refetch());
  useEffect(() => {
    if (arrived === 0 || !isFollowing) return;
    const timer = setTimeout(recount, QUIET_MS);
    return () => clearTimeout(timer);
  }, [arrived, isFollowing]);
  return arrived - count.arrived;
}
