"use client";

import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { onStepUp } from "@/components/step-up";

const StepUpDialog = dynamic(() => import("./step-up-dialog").then((m) => m.StepUpDialog), { ssr: false });

type Waiting = (confirmed: boolean) => void;

/** Opens whenever the server asks for a fresh proof of who is at the browser; the refused request then goes again. */
export function StepUp() {
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<Waiting[]>([]);
  useEffect(
    () =>
      onStepUp(() => {
        setOpen(true);
        return new Promise((resolve) => waiting.current.push(resolve));
      }),
    [],
  );
  const finish = (confirmed: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(confirmed);
  };
  return isOpen && <StepUpDialog onDone={() => finish(true)} onClose={() => finish(false)} />;
}
