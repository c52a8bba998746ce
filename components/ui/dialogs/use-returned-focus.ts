"use client";

import { useEffect, useState } from "react";

/** Gives the focus back to what had it before the dialog that calls this. */
export function useReturnedFocus() {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) opener.focus();
    },
    [opener],
  );
}
