"use client";

import dynamic from "next/dynamic";
import { useCallback, useEffect, useRef, useState } from "react";
import { registerStepUpDialog } from "@/components/step-up";

const StepUpDialog = dynamic(() => import("./step-up-dialog").then((m) => m.StepUpDialog), { ssr: false });

type Waiting = (confirmed: boolean) => void;

/** Opens when the server requires a recent confirmation of identity; the refused request is then retried. */
export function StepUp() {
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<Waiting[]>([]);
  useEffect(
    () =>
      registerStepUpDialog(() => {
        setOpen(true);
        return new Promise((resolve) => waiting.current.push(resolve));
      }),
    [],
  );
  const finish = useCallback((confirmed: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(confirmed);
  }, []);
  useEffect(() => {
    // Escape would also close the dialog below, and discard its input. This listener runs first, because it was added
    // earlier.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing || waiting.current.length === 0) return;
      event.stopImmediatePropagation();
      finish(false);
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [finish]);
  return isOpen && <StepUpDialog onDone={() => finish(true)} onClose={() => finish(false)} />;
}
