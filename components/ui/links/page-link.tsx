"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link whose page is fetched ahead once the pointer or the focus is on it, for links that stand side by side. Next
 * fetches the page of every link in view, twice: for a list, more requests than its own page needs.
 */
export function PageLink(props: ComponentProps<typeof Link>) {
  const [isLikely, setLikely] = useState(false);
  const expect = () => setLikely(true);
  return (
    <Link {...props} prefetch={isLikely ? null : false} onMouseEnter={expect} onTouchStart={expect} onFocus={expect} />
  );
}
