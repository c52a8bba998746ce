import { useEffect, useEffectEvent, useRef } from "react";

/** Does something once, when the component is first shown; development shows each twice. */
export function useOnce(act: () => void): void {
  const isDone = useRef(false);
  const once = useEffectEvent(() => {
    if (isDone.current) return;
    isDone.current = true;
    act();
  });
  useEffect(() => once(), []);
}
