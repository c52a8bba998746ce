"use client";

import { useEffect, useState } from "react";

/** The secret of a link, which follows # so that no server and no log sees it; undefined until it is read. */
export function useLinkToken(): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    setToken(window.location.hash.slice(1));
  }, []);
  return token;
}
