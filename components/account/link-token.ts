"use client";

import { useEffect, useState } from "react";

/** The token in the URL fragment, which no server or log ever sees; undefined until it has been read. */
export function useLinkToken(): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    setToken(window.location.hash.slice(1));
  }, []);
  return token;
}
