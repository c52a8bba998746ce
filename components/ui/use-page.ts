"use client";

import { parseAsInteger, useQueryState } from "nuqs";

/** The page of the list in the address. */
export const usePage = () => useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
